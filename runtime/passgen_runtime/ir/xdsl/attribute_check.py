"""The check that attributes are attributes, with data of their kind.

xDSL's verifier leaves it out. After `operation.attributes["x"] = "text"`, or with
`StringAttr(7)`, the IR verifies, and cannot be printed or is printed as other IR.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Final, TypeGuard
from weakref import ref

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AffineSetAttr,
    ArrayAttr,
    BytesAttr,
    DictionaryAttr,
    FileLineColLoc,
    FloatData,
    IntAttr,
    IntegerAttr,
    Signedness,
    SignednessAttr,
    StringAttr,
)
from xdsl.ir import Attribute, Data, Operation, ParametrizedAttribute
from xdsl.ir.affine import AffineMap, AffineSet

DATA_KINDS: Final[Mapping[type[Attribute], type | tuple[type, ...]]] = {
    AffineMapAttr: AffineMap,
    AffineSetAttr: AffineSet,
    ArrayAttr: tuple,
    BytesAttr: bytes,
    DictionaryAttr: Mapping,
    FloatData: (float, int),
    IntAttr: int,
    SignednessAttr: Signedness,
    StringAttr: str,
}
"""The builtin attributes that have data, and its kind."""


class AttributeCheck:
    """Checks operations; an attribute never changes, and is looked at once."""

    def __init__(self) -> None:
        """Remember nothing yet."""
        self._checked: dict[int, ref[Attribute]] = {}
        """Attributes that are as they should be, by identity; dead ones leave."""

    def first_problem(
        self, operations: Iterable[Operation]
    ) -> tuple[Operation, str] | None:
        """Return the first operation with a wrong attribute, and what is wrong."""
        checked = self._checked
        for operation in operations:
            # Most operations are left by these lines alone: they are counted in time.
            problem = ""
            for values in (operation.attributes, operation.properties):
                for name, value in values.items():
                    if id(value) not in checked or type(name) is not str:
                        problem = problem or self._problem_of(name, value)
            for result in operation.results:
                if id(result.type) not in checked:
                    what = "the type of a result"
                    problem = problem or self._check(what, result.type)
            location = operation.location
            if (
                type(location) is not FileLineColLoc
                or type(location.line.data) is not int
                or type(location.column.data) is not int
                or type(location.filename.data) is not str
            ):
                # Each operation has one of its own: too many to remember.
                problem = problem or _problem("the location", location)
            if operation.regions:
                problem = problem or self._problem_of_arguments(operation)
            if problem:
                return operation, problem
        return None

    def _problem_of(self, name: object, value: object) -> str:
        """Return the fault of an attribute; empty if there is none."""
        if not isinstance(name, str):
            return f"attribute name {name!r} is no text"
        return self._check(f"attribute '{name}'", value)

    def _problem_of_arguments(self, operation: Operation) -> str:
        """Return the fault of types of block arguments; empty if there is none."""
        for region in operation.regions:
            for block in region.blocks:
                for argument in block.args:
                    if id(argument.type) in self._checked:
                        continue
                    what = "the type of a block argument"
                    if problem := self._check(what, argument.type):
                        return problem
        return ""

    def _check(self, what: str, value: object) -> str:
        """Return the fault of `value`; remember a value without one."""
        problem = _problem(what, value)
        if not problem and isinstance(value, Attribute):
            key = id(value)
            # Called with the dead reference, which is the default of `pop`.
            self._checked[key] = ref(value, partial(self._checked.pop, key))
        return problem


def _problem(what: str, value: object) -> str:
    """Return the fault of `value`, which is called `what`; or an empty text."""
    for part in _parts(value):
        found = f"{what} {'is' if part is value else 'has in it'}"
        if not isinstance(part, Attribute):
            advice = "StringAttr('text') makes one of a text"
            return f"{found} {part!r}, which is no attribute: {advice}"
        kind = DATA_KINDS.get(type(part))
        if kind is None:
            continue
        data = part.data if isinstance(part, Data) else None
        name = type(part).__name__
        if not isinstance(data, kind) or (kind is int and isinstance(data, bool)):
            expected = (kind[0] if isinstance(kind, tuple) else kind).__name__
            return f"{found} {name}({data!r}): expected data of type {expected}"
        if isinstance(part, DictionaryAttr):
            for key in part.data:
                if not isinstance(key, str):
                    return f"{found} a {name} with the name {key!r}, which is no text"
    return ""


def _parts(value: object) -> Iterator[object]:
    """Yield `value` and what is nested in it, without names."""
    pending = [value]
    while pending:
        part = pending.pop()
        yield part
        if _is_integer_of_bool(part):
            pending.append(part.type)
        elif isinstance(part, ParametrizedAttribute):
            pending += part.parameters
        elif isinstance(part, ArrayAttr):
            pending += part.data
        elif isinstance(part, DictionaryAttr):
            pending += part.data.values()


def _is_integer_of_bool(part: object) -> TypeGuard[IntegerAttr[Any]]:
    """Return whether `part` is an integer that xDSL makes of a Python `bool`.

    `IntegerAttr.from_bool` and vector types do; it is printed as an integer. Elsewhere
    a `bool` is printed as `True`, which does not parse.
    """
    if not isinstance(part, IntegerAttr):
        return False
    value: object = part.value  # a pass may have made it of something else
    return isinstance(value, IntAttr) and isinstance(value.data, bool)
