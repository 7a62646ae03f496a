"""Remarks as data, and their text in the form of MLIR."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, Final, Literal, TypeAlias, get_args

RemarkKind = Literal["passed", "missed", "failed", "analysis"]

REMARK_KINDS: Final[tuple[RemarkKind, ...]] = get_args(RemarkKind)

MLIR_KINDS: Final[Mapping[RemarkKind, str]] = {
    "passed": "Passed",
    "missed": "Missed",
    "failed": "Failure",
    "analysis": "Analysis",
}
"""The names of the kinds in the texts and the YAML of MLIR."""

FieldValue: TypeAlias = Any
"""A string, a number, a boolean or a list of them: a value of JSON."""

_QUOTED_FOR: Final = frozenset(" ,{}")


@dataclass(frozen=True, slots=True)
class Remark:
    """The decision of a pass about an operation, and the reason."""

    kind: RemarkKind
    """`passed`: something was done; `missed`: a possible improvement was not made;
    `failed`: an attempt did not succeed; `analysis`: a fact."""

    category: str
    """The text that filters match: by default, the argument of the pass."""

    name: str
    """Identifies the remark, as a key to count by."""

    message: str
    location: str
    """The location, in the form of `Diagnostic.location`."""

    function: str = ""
    """The symbol of the operation, or of its closest parent with one; may be empty."""

    fields: Mapping[str, FieldValue] = field(default_factory=dict)
    """The values in the message, and further ones."""

    advice: str = ""
    """What a user can do about it."""

    callers: tuple[str, ...] = ()
    """The locations of calls, in the form of `Diagnostic.callers`."""

    def arguments(self) -> Iterator[tuple[str, str]]:
        """Yield the key and the text of each argument that MLIR shows."""
        if self.message:
            yield "Remark", self.message
        for key, value in self.fields.items():
            yield key, text_of(value)
        if self.advice:
            yield "Suggestion", self.advice

    def __str__(self) -> str:
        """Return the message of the diagnostic that MLIR prints."""
        parts = [f"[{MLIR_KINDS[self.kind]}] {self.name}"]
        if self.category:
            parts.append(f"Category:{self.category}")
        if self.function:
            parts.append(f"Function={self.function}")
        shown = (
            f'{key}="{text}"' if _QUOTED_FOR & set(text) else f"{key}={text}"
            for key, text in sorted(self.arguments(), key=itemgetter(0))
        )
        return " | ".join((*parts, ", ".join(shown)))


def text_of(value: FieldValue) -> str:
    """Return the text of a field in the form of LLVM."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:e}"
    if isinstance(value, list):
        return ", ".join(map(text_of, value))
    return str(value)
