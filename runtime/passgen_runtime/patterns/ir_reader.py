"""The reader by which patterns look at the IR of a library."""

from __future__ import annotations

import weakref
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from passgen_runtime.context import Context, Operation

Attribute: TypeAlias = Any
Type: TypeAlias = Any
Value: TypeAlias = Any


class Element(NamedTuple):
    """The type of a number: a scalar type, or that of the elements of a shaped one."""

    kind: Literal["integer", "float", ""]
    """Empty if it is another type; integers have no sign."""

    width: int | None
    """In bits; `None` if it is not known, as for `index`."""

    is_shaped: bool = False


class IRReader(ABC):
    """Reads the IR of a context."""

    classes: Mapping[str, Any]
    """The classes of attributes, operations, types and values, by `Kind`."""

    def __init__(self, context: Context) -> None:
        """Serve `context`, which may end before this object does."""
        self._context = weakref.ref(context)
        self.made: dict[object, Any] = {}
        """What is made once for the context, such as graphs and appliers."""

    @property
    def context(self) -> Context:
        """The context."""
        context = self._context()
        assert context is not None, "the context has ended"
        return context

    @abstractmethod
    def attributes(self, operation: Operation) -> dict[str, Attribute]:
        """Return the attributes of `operation`, properties included."""

    @abstractmethod
    def default(self, operation: Operation, name: str) -> Attribute | None:
        """Return the attribute that an operation gets if it is created without it."""

    @abstractmethod
    def key(self, part: Operation | Value) -> object:
        """Return the identity of an operation or a value."""

    @abstractmethod
    def count_uses(self, value: Value, limit: int) -> int:
        """Return how often operations use `value`, at most `limit`."""

    @abstractmethod
    def plain(self, attribute: Attribute) -> Any:  # noqa: ANN401 - as the field is
        """Return a string, number, type or array attribute as what it holds."""

    @abstractmethod
    def type_of(self, attribute: Attribute) -> Type | None:
        """Return the type of a typed attribute, `None` of any other."""

    @abstractmethod
    def number(self, attribute: Attribute) -> float | None:
        """Return the number that an attribute is, or whose splat it is, if any."""

    @abstractmethod
    def constant(self, number: float, type_: Type) -> Attribute | None:
        """Return a number, or its splat, as an attribute; `None` if it does not fit."""

    @abstractmethod
    def flags(self, attribute: Attribute) -> frozenset[str] | None:
        """Return the names of the flags in an attribute; `None` if it has none."""

    @abstractmethod
    def with_flags(self, attribute: Attribute, flags: frozenset[str]) -> Attribute:
        """Return an attribute with some of its flags."""

    @abstractmethod
    def element(self, type_: Type) -> Element:
        """Return the type of the numbers in values of a type."""

    @abstractmethod
    def is_composite(self, attribute: Attribute) -> bool:
        """Return whether an attribute consists of others, as an array does."""


def integer_fits(number: float, width: int) -> bool:
    """Return whether a number is an integer of so many bits, with a sign or without."""
    return number == int(number) and -(1 << width >> 1) <= number < 1 << width
