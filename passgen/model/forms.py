"""Forms: properties of an operation and of all that is nested in it."""

from __future__ import annotations

from dataclasses import dataclass

from passgen.model.constraints import Name
from passgen.passgen_rules import forms
from passgen.source import Location


@dataclass(frozen=True)
class FormKind:
    """The kind of a form, and what it names."""

    key: str
    """The key in specs and in Python; empty for an external form."""

    words: str
    """What it says of `value`, in documentation."""

    value: tuple[Name, ...] | str

    @property
    def names(self) -> tuple[str, ...]:
        """What it names."""
        if isinstance(self.value, str):
            return (self.value,)
        return tuple(map(str, self.value))


@dataclass(frozen=True)
class Form:
    """A property of an operation; it has one of the kinds, or is external."""

    name: str
    """In camelCase; forms of several groups with one name are the same form."""

    summary: str
    """One line, may be empty."""

    location: Location
    check_location: Location
    """The place of the `check`, of an external form's Python, or of the name."""

    absent: tuple[Name, ...] = ()
    """The operations and dialects of which none may be there."""

    only: tuple[Name, ...] = ()
    """The operations and dialects of which all operations are."""

    check: str = ""
    """`module:function`, which yields or returns what is wrong with an operation."""

    python: str = ""
    """`module:NAME` of an external form, which another spec declares."""

    @property
    def kind(self) -> FormKind:
        """What it says of operations."""
        if self.absent:
            return FormKind("absent", "none of", self.absent)
        if self.only:
            return FormKind("only", "only", self.only)
        if self.check:
            return FormKind("check", "checked by", self.check)
        return FormKind("", "declared in", self.python)

    @property
    def meaning(self) -> forms.Form:
        """What rules know of it; nothing of an external form but the name."""
        absent, only = (
            tuple(sorted({*map(str, names)})) for names in (self.absent, self.only)
        )
        return forms.Form(self.name, absent=absent, only=only, check=self.check)
