"""Forms: properties of an operation and of all that is nested in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from passgen.model.constraints import Name
from passgen.source import Location

GIVES_NO_FORM: Final = frozenset(
    {
        *("canonicalize", "control-flow-sink", "cse", "inline", "mem2reg", "sccp"),
        *("loop-invariant-code-motion", "remove-dead-values", "sroa", "symbol-dce"),
        *("strip-debuginfo", "symbol-privatize", "topological-sort"),
    }
)
"""The passes of MLIR that rewrite any IR, and lower none: they give no form."""


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
    def is_inherited(self) -> bool:
        """Whether it holds of what is nested in an operation of which it holds."""
        return bool(self.absent or self.only)

    @property
    def meaning(self) -> tuple[object, ...]:
        """All that tells it from another form of the same name."""
        absent, only = (
            frozenset(map(str, names)) for names in (self.absent, self.only)
        )
        return absent, only, self.check
