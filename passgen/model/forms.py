"""Forms: properties of an operation and of all that is nested in it."""

from __future__ import annotations

from dataclasses import dataclass

from passgen.model.constraints import Name
from passgen.passgen_rules import forms
from passgen.source import Location


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
    def meaning(self) -> forms.Form:
        """What rules know of it; nothing of an external form but the name."""
        absent, only = (
            tuple(sorted({*map(str, names)})) for names in (self.absent, self.only)
        )
        return forms.Form(self.name, absent=absent, only=only, check=self.check)
