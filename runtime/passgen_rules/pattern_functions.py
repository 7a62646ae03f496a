"""The functions of the pattern language, which `where` and `make` call undeclared.

`CONSTANT_FUNCTIONS` says once what constants a `make` computes: the rewriter applies it
to numbers, and a prover may apply it to bit vectors.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal


@dataclass(frozen=True)
class ConstantFunction:
    """A function of attributes that makes an attribute of the same kind and type."""

    kind: Literal["integer", "flags", "case"]
    """Integers, which wrap; sets of flags; the numbers of the cases of an enum."""

    num_arguments: int
    apply: Callable[..., Any]
    """It takes integers, or bit vectors with the same operators; sets of flags, or bit
    masks; the number of a case."""

    cases: tuple[int, ...] = ()
    """The result for each case, as a table."""


_INVERSE_PREDICATES: Final = (1, 0, 5, 4, 3, 2, 9, 8, 7, 6)
"""The numbers of `eq ne slt sle sgt sge ult ule ugt uge`, those that hold where they do
not."""

CONSTANT_FUNCTIONS: Final[Mapping[str, ConstantFunction]] = {
    "add": ConstantFunction("integer", 2, operator.add),
    "sub": ConstantFunction("integer", 2, operator.sub),
    "mul": ConstantFunction("integer", 2, operator.mul),
    "commonFlags": ConstantFunction("flags", 2, operator.and_),
    "invertPredicate": ConstantFunction(
        "case", 1, _INVERSE_PREDICATES.__getitem__, _INVERSE_PREDICATES
    ),
}
"""What `make` calls."""

WIDTH_RELATIONS: Final[Mapping[str, Callable[[int, int], bool]]] = {
    "narrower": operator.lt,
    "wider": operator.gt,
    "sameWidth": operator.eq,
}
"""How `where` compares the widths of two types."""

WIDTH_DIFFERENCE: Final = "isWidthDifference"
"""`isWidthDifference(c, T, U)`: a constant is the width of T without that of U."""

SCALAR: Final = "scalar"
"""`scalar`: a type is no vector or tensor."""

ABSENT: Final = "absent"
"""`absent`: a flag is not there."""

CONSTRAINTS: Final = frozenset({ABSENT, SCALAR, WIDTH_DIFFERENCE, *WIDTH_RELATIONS})
"""What `where` calls."""
