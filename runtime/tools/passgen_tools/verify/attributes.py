"""Attributes of operations, and the numbers that stand for them in semantics."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from random import Random
from typing import Any, Final, TypeAlias

from passgen_runtime.context import Operation
from passgen_runtime.patterns import PatternLibrary
from passgen_tools.verify.semantics import Type

Attribute: TypeAlias = Any

WIDTHS: Final = {"overflowFlags": 2, "isExact": 1, "predicate": 4}
"""The widths of those that are no value of the operation's type."""

OPTIONAL: Final = frozenset({"overflowFlags", "isExact"})
"""The attributes that an operation need not have."""

PREDICATES: Final = range(10)
_OVERFLOW: Final = [f"#arith.overflow<{f}>" for f in ("none", "nsw", "nuw", "nsw, nuw")]

FULL_WIDTH: Final = 8
"""The width of constants up to which functions get all."""


def candidates(type_: Type, literal: int | None) -> Sequence[int]:
    """Return the numbers that functions get: all of few, or those that matter."""
    named = {"overflowFlags": range(4), "isExact": [1], "predicate": PREDICATES}
    half = 1 << (type_.width - 1)
    if literal is not None:
        return [literal] * (-half <= literal < 2 * half)
    if type_.text in named or type_.width <= FULL_WIDTH:
        return named.get(type_.text, sorted(range(-half, half), key=abs))
    powers = [sign << bit for bit in range(type_.width) for sign in (1, -1)]
    near = {power + step for power in powers for step in (-1, 0, 1)}
    random = {Random(seed).randrange(-half, half) for seed in range(16)}  # noqa: S311
    return [n for n in sorted(near | random, key=abs) if -half <= n < half]


def attribute_text(number: int, type_: Type) -> str:
    """Return the attribute that a number stands for."""
    if type_.text == "overflowFlags":
        return _OVERFLOW[number]
    texts = {"predicate": f"{number % 16} : i64", "isExact": "unit" if number else ""}
    return texts.get(type_.text, f"{number} : {type_.text}")


class AttributeNumbers:
    """The attributes of an IR library, and the numbers that stand for them."""

    def __init__(self, library: PatternLibrary) -> None:
        """Serve `library`."""
        self._library = library

    def attributes(self, numbers: Sequence[int], type_: Type) -> Sequence[Attribute]:
        """Return the attributes that numbers stand for."""
        texts = (attribute_text(number, type_) for number in numbers)
        return self._parse(f"[{', '.join(texts)}]")

    def number(self, attribute: Attribute, type_: Type) -> int | None:
        """Return the number that stands for an attribute; `None` if it is no `type_`.

        Raises:
            TypeError: nothing stands for it.
        """
        for name, known in self._named.items():
            for number, other in known:
                if type(other) is type(attribute) and other == attribute:
                    return number if type_.text == name else None
        found = self._library.number(attribute)
        if not isinstance(found, int):
            raise TypeError
        kind = type_.text
        if kind in WIDTHS:
            if kind != "predicate" or found not in PREDICATES:
                return None
            kind = "i64"
        own = self._library.type_of(attribute)
        return found if own == self._library.parse_type(kind) else None

    def number_in(self, operation: Operation, type_: Type) -> int:
        """Return the number that stands for the attribute `type_.text` of an operation.

        Without the attribute, it is 0: no flag is set.
        """
        found = self._library.attributes(operation).get(type_.text)
        return 0 if found is None else self.number(found, type_) or 0

    @cached_property
    def _named(self) -> dict[str, list[tuple[int, Attribute]]]:
        """The attributes that are no numbers, by name."""
        flags = self._parse(f"[{', '.join(_OVERFLOW)}]")
        (unit,) = self._parse("[unit]")
        return {"overflowFlags": [*enumerate(flags)], "isExact": [(1, unit)]}

    def _parse(self, text: str) -> Sequence[Attribute]:
        context = self._library.context
        module = f"builtin.module attributes {{arith.value = {text}}} {{}}"
        parsed = context.parse(module, "attribute")
        found: Sequence[Attribute] = self._library.plain(
            self._library.attributes(parsed)["arith.value"]
        )
        return found
