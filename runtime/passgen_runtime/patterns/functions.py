"""Functions that conditions test and rewrites call: of a pass, and of the runtime.

The latter compare types by kinds and widths, and attributes with literals. They are
values: what compiles, prints or evaluates a pattern asks them for `holds` or `apply`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib import import_module
from typing import Any, Literal, TypeAlias, cast

from passgen_rules.pattern_functions import WIDTH_RELATIONS
from passgen_runtime.errors import nearest_note
from passgen_runtime.patterns.constant_functions import (
    AreConstants,
    IsWidthDifference,
    MakeConstant,
)
from passgen_runtime.patterns.ir_reader import IRReader
from passgen_runtime.patterns.rewrite_pattern import PatternError

Number: TypeAlias = int | float

NativeFunction: TypeAlias = Callable[..., Any]

NamedFunctions: TypeAlias = tuple[tuple[str, str | NativeFunction], ...]


@dataclass(frozen=True, slots=True)
class Native:
    """A function in Python that the pass declares."""

    name: str

    def __str__(self) -> str:
        """Return the name."""
        return self.name


@dataclass(frozen=True, slots=True)
class IsOfKind:
    """Tests whether a type, or that of the elements of one, is of a kind."""

    kind: str

    def holds(self, reader: IRReader, type_: object) -> bool:
        """Return whether it is."""
        return reader.element(type_).kind == self.kind

    def why_not(self, type_: str) -> str:
        """Return a message that it fails, given texts of the arguments."""
        return f"the type {type_} is not of the kind '{self.kind}'"

    def __str__(self) -> str:
        """Return a name that says what it tests."""
        return f"passgen.any {self.kind}"


@dataclass(frozen=True, slots=True)
class IsScalar:
    """Tests whether a type is no vector or tensor of numbers."""

    def holds(self, reader: IRReader, type_: object) -> bool:
        """Return whether it is none."""
        return not reader.element(type_).is_shaped

    def why_not(self, type_: str) -> str:
        """Return a message that it fails, given texts of the arguments."""
        return f"the type {type_} is a vector or a tensor"

    def __str__(self) -> str:
        """Return a name that says what it tests."""
        return "passgen.scalar"


@dataclass(frozen=True, slots=True)
class FitsLiteral:
    """Tests whether a number can be an attribute of a type."""

    number: Number

    def holds(self, reader: IRReader, type_: object) -> bool:
        """Return whether it can."""
        return reader.constant(self.number, type_) is not None

    def why_not(self, type_: str) -> str:
        """Return a message that it fails, given texts of the arguments."""
        return f"{self.number} is no attribute of the type {type_}"

    def __str__(self) -> str:
        """Return a name that says what it tests."""
        return f"passgen.fits {self.number!r}"


@dataclass(frozen=True, slots=True)
class EqualsLiteral:
    """Tests whether an attribute is a number in whatever type, or a splat of it."""

    number: Number

    def holds(self, reader: IRReader, attribute: object) -> bool:
        """Return whether it is."""
        type_ = reader.type_of(attribute)
        expected = None if type_ is None else reader.constant(self.number, type_)
        return expected is not None and bool(expected == attribute)

    def why_not(self, attribute: str) -> str:
        """Return a message that it fails, given texts of the arguments."""
        return f"{attribute} is not {self.number}"

    def __str__(self) -> str:
        """Return a name that says what it tests."""
        return f"passgen.is {self.number!r}"


@dataclass(frozen=True, slots=True)
class MakeLiteral:
    """Makes an attribute of a type of a number, which vectors repeat."""

    number: Number

    def apply(self, reader: IRReader, type_: object) -> object:
        """Return the attribute; a condition says that it fits."""
        return reader.constant(self.number, type_)

    def __str__(self) -> str:
        """Return a name that says what it makes."""
        return f"passgen.make {self.number!r}"


@dataclass(frozen=True, slots=True)
class HasWidths:
    """Tests how the widths of two types, or of the elements of two, compare."""

    relation: str
    """A name in `WIDTH_RELATIONS`."""

    def holds(self, reader: IRReader, one: object, other: object) -> bool:
        """Return whether they compare so; those that are not known do not."""
        widths = reader.element(one).width, reader.element(other).width
        known = [width for width in widths if width is not None]
        return known[1:] != [] and WIDTH_RELATIONS[self.relation](*known)

    def why_not(self, one: str, other: str) -> str:
        """Return a message that it fails, given texts of the arguments."""
        return f"`{self.relation}` does not hold of {one} and {other}"

    def __str__(self) -> str:
        """Return a name that says what it tests."""
        return f"passgen.{self.relation}"


@dataclass(frozen=True, slots=True)
class HasUses:
    """Tests whether a value has a number of uses."""

    number: Literal[0, 1]

    def holds(self, reader: IRReader, value: object) -> bool:
        """Return whether it has so many."""
        return reader.count_uses(value, self.number + 1) == self.number

    def why_not(self, value: str) -> str:
        """Return a message that it fails, given texts of the arguments."""
        return f"{value} does not have one use" if self.number else f"{value} has uses"

    def __str__(self) -> str:
        """Return a name that says what it tests."""
        return "passgen.oneUse" if self.number else "passgen.unused"


@dataclass(frozen=True, slots=True)
class LacksAttribute:
    """Tests whether an operation does not have an attribute."""

    name: str

    def holds(self, reader: IRReader, operation: object) -> bool:
        """Return whether it has none."""
        return self.name not in reader.attributes(operation)

    def why_not(self, operation: str) -> str:
        """Return a message that it fails, given texts of the arguments."""
        return f"attribute '{self.name}' is there, of {operation}"

    def __str__(self) -> str:
        """Return a name that says what it tests."""
        return f"passgen.lacks {self.name}"


AttributeTest: TypeAlias = (
    IsOfKind
    | IsScalar
    | FitsLiteral
    | EqualsLiteral
    | HasWidths
    | AreConstants
    | IsWidthDifference
)
"""What depends on types and attributes alone, which never change."""

Test: TypeAlias = Native | AttributeTest | HasUses | LacksAttribute
RewriteFunction: TypeAlias = Native | MakeLiteral | MakeConstant


@dataclass(frozen=True)
class NativeFunctions:
    """The functions in Python that patterns call."""

    reader: IRReader
    constraints: Mapping[str, NativeFunction]
    """They get what PDL gives them, and return whether it matches."""

    rewrites: Mapping[str, NativeFunction]
    """They get the library's rewriter, and what PDL gives them.

    They return a result, a tuple of several, or `None`.
    """

    def test(self, test: Test) -> Callable[..., bool]:
        """Return the function that tests whether a condition holds."""
        if isinstance(test, Native):
            return self.constraints[test.name]
        if isinstance(test, HasUses | LacksAttribute):
            return partial(test.holds, self.reader)
        return _memoize(test.holds, self.reader)

    def rewrite(
        self, function: RewriteFunction, kinds: Sequence[str]
    ) -> Callable[..., tuple[Any, ...]]:
        """Return the function that a rewrite calls; it returns a tuple of results.

        Args:
            function: says what it does.
            kinds: of its results.
        """
        if not isinstance(function, Native):
            make = _memoize(function.apply, self.reader)
            return lambda _rewriter, *given: (make(*given),)
        native, classes = self.rewrites[function.name], self.reader.classes

        def rewrite(*given: object) -> tuple[Any, ...]:
            returned = native(*given)
            results = returned if isinstance(returned, tuple) else (returned,)
            if returned is None:
                results = ()
            is_right = len(results) == len(kinds) and all(
                isinstance(result, classes[kind])
                for result, kind in zip(results, kinds, strict=True)
            )
            if not is_right:
                expected = ", ".join(f"!pdl.{kind}" for kind in kinds) or "nothing"
                subject = f"rewrite '{function.name}' returned {returned!r}"
                raise TypeError(f"{subject}, expected {expected}")
            return results

        return rewrite


def _memoize(function: Callable[..., Any], reader: IRReader) -> Callable[..., Any]:
    """Return `function` for `reader`, called once for each of many arguments."""
    return lru_cache(partial(function, reader))


def import_functions(functions: NamedFunctions, what: str) -> dict[str, NativeFunction]:
    """Return the functions that are given as `module:function`, or as they are.

    Args:
        functions: by name.
        what: the file that declares them and their kind, for errors.

    Raises:
        PatternError: there is no such function.
    """
    return {
        name: (
            _import(function, f"{what} '{name}'")
            if isinstance(function, str)
            else function
        )
        for name, function in functions
    }


def _import(function: str, subject: str) -> NativeFunction:
    module_name, _, name = function.partition(":")
    try:
        module = import_module(module_name)
    except Exception as error:  # importing may raise anything; it is chained
        message = f"{subject}: '{function}' does not import: {error}"
        raise PatternError(message) from error
    found = getattr(module, name, None)
    if not callable(found):
        what = f"'{module_name}' has no function '{name}'"
        notes: tuple[str, ...] = ()
        if hasattr(module, name):
            what = f"'{function}' is no function, but of type '{type(found).__name__}'"
        else:
            notes = nearest_note(name, vars(module))
        raise PatternError("\nnote: ".join((f"{subject}: {what}", *notes)))
    return cast("NativeFunction", found)
