"""Immutable values that cost little to declare.

`@dataclass(frozen=True, slots=True)` writes and compiles six methods a class while it
is imported. For all the classes that passgen declares, most of which a run makes no
value of, that took as long as all its work. A `Record` means the same, and compiles an
`__init__` alone, when the first value of its class is made.

    class Anchor(Record):
        kind: str
        name: str = ""
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

AnyRecord = TypeVar("AnyRecord", bound="Record")


def _no_values(_record: Record) -> tuple[()]:
    return ()


@dataclass_transform(frozen_default=True)
class _RecordType(type):
    """The type of the classes of records: what a class annotates becomes its slots."""

    __match_args__: tuple[str, ...]
    _defaults: dict[str, Any]
    _values: Callable[[Any], Any]

    def __new__(
        cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]
    ) -> _RecordType:
        fields = tuple(namespace.pop("__annotations__", ()))
        defaults = {each: namespace.pop(each) for each in fields if each in namespace}
        of_slots = {"__slots__": fields, "__match_args__": fields}
        made = super().__new__(cls, name, bases, {**namespace, **of_slots})
        made._defaults = defaults
        made._values = attrgetter(*fields) if fields else _no_values
        return made


class Record(metaclass=_RecordType):
    """A value with the fields that its class annotates, in that order.

    It equals another of its class whose fields are equal. Defaults are shared by all
    values, so they are immutable as well. A class of records has no subclasses.
    """

    def __init__(self, *values: Any, **fields: Any) -> None:  # noqa: ANN401 - per class
        """Take the fields, in their order or by name."""
        cls = type(self)
        cls.__init__ = _compiled_init(cls)  # type: ignore[method-assign]  # for the next
        cls.__init__(self, *values, **fields)

    def __setattr__(self, name: str, value: object) -> None:
        """Raise AttributeError: a record never changes."""
        message = f"cannot assign to '{name}': a {type(self).__name__} is immutable"
        raise AttributeError(message)

    def __delattr__(self, name: str) -> None:
        """Raise AttributeError, as an assignment does."""
        message = f"cannot delete '{name}': a {type(self).__name__} is immutable"
        raise AttributeError(message)

    def __eq__(self, other: object) -> bool:
        """Return whether `other` is of the same class and has equal fields."""
        if type(other) is not type(self):
            return NotImplemented
        values = type(self)._values
        return bool(values(self) == values(other))

    def __hash__(self) -> int:
        """Return a hash of the fields; one that is unhashable raises TypeError."""
        return hash(type(self)._values(self))  # noqa: SLF001 - of its own

    def __repr__(self) -> str:
        """Return the call that makes this value."""
        shown = ", ".join(f"{name}={value!r}" for name, value in fields(self).items())
        return f"{type(self).__qualname__}({shown})"

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        """Return how a copy is made, as slots that refuse assignment need."""
        return type(self), tuple(fields(self).values())


def fields(record: Record) -> dict[str, Any]:
    """Return the values of the fields of `record` by their names, in their order."""
    return {name: getattr(record, name) for name in type(record).__match_args__}


def replace(record: AnyRecord, /, **changes: object) -> AnyRecord:
    """Return `record` with other values for the fields in `changes`."""
    return type(record)(**{**fields(record), **changes})


def _compiled_init(cls: _RecordType) -> Callable[..., None]:
    """Return an `__init__` with the parameters that the fields of `cls` ask for."""
    names = cls.__match_args__
    defaults = cls._defaults
    parameters = [
        f"{each}=defaults[{each!r}]" if each in defaults else each for each in names
    ]
    body = [f"    assign(self, {each!r}, {each})\n" for each in names] or ["    pass\n"]
    text = f"def __init__(self, {', '.join(parameters)}):\n{''.join(body)}"
    scope: dict[str, Any] = {"assign": object.__setattr__, "defaults": defaults}
    exec(text, scope)  # noqa: S102 - field names alone, as `dataclasses` does it
    init: Callable[..., None] = scope["__init__"]
    return init
