"""What may break a rule, and why: a part of the model."""

from __future__ import annotations

from dataclasses import dataclass

from passgen.source import Location


@dataclass(frozen=True)
class Ignore:
    """A rule of `passgen diff`, `lint` or `drift` that a part of the spec may break."""

    rule: str
    reason: str
    """Why, for whoever reads the spec."""

    location: Location
    """Of the rule's name."""

    name: str = ""
    """What users call the only thing that it is about; empty: all that is here."""
