"""Remarks: what a pass says about its decisions, with named values."""

from __future__ import annotations

import string
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from passgen.model.constraints import Ignore
from passgen.source import Location

RemarkKind: TypeAlias = Literal["passed", "missed", "failed", "analysis"]

_MAX_FIELDS: Final = 4
"""A method that emits a remark has five arguments at most: the operation is one."""


@dataclass(frozen=True)
class RemarkField:
    """A value that a remark has."""

    name: str
    """In camelCase."""

    type: str
    """A scalar type of options, `operation` or `location`."""

    is_list: bool
    location: Location
    description: str = ""

    @property
    def shown_type(self) -> str:
        """The type as documentation has it."""
        return f"list of {self.type}" if self.is_list else self.type


@dataclass(frozen=True)
class Remark:
    """A remark that a pass declares."""

    name: str
    """In camelCase, unique in the pass; users see it."""

    kind: RemarkKind
    message: str
    """The text, in which `{field}` stands for the value of a field."""

    fields: tuple[RemarkField, ...]
    location: Location
    message_location: Location
    description: str = ""
    """When the pass emits it, as Markdown."""

    advice: str = ""
    """What a user can do about it, in one line."""

    ignores: tuple[Ignore, ...] = ()

    @property
    def is_described(self) -> bool:
        """Whether there is more to say than its message and advice."""
        return bool(self.description or self.fields)

    @property
    def has_many_fields(self) -> bool:
        """Whether ruff counts too many arguments of the method in Python."""
        return len(self.fields) > _MAX_FIELDS

    @property
    def shown_message(self) -> str:
        """The message as documentation has it: with the names of fields in braces."""
        parts = string.Formatter().parse(self.message)
        return "".join(
            text if name is None else f"{text}{{{name}}}" for text, name, *_ in parts
        )

    @property
    def locations(self) -> tuple[str, ...]:
        """The names of the fields that hold the location of an operation."""
        return tuple(field.name for field in self.fields if field.type == "location")

    def named_in_message(self) -> tuple[tuple[str, str], ...]:
        """Return the name and the format of each field in the message.

        Raises:
            ValueError: the braces of the message do not match.
        """
        return tuple(
            (f"{name}!{conversion}" if conversion else name, form or "")
            for _, name, form, conversion in string.Formatter().parse(self.message)
            if name is not None
        )
