"""Places in the text of a pipeline, and the error about a text with a mistake."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Span(NamedTuple):
    """Characters `start` up to, not including, `end` of a textual pipeline."""

    start: int
    end: int


@dataclass(eq=False)
class PipelineTextError(ValueError):
    """A text does not follow the grammar of pipelines."""

    message: str
    text: str
    """The whole text of the user, which `span` refers to."""

    span: Span
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the message, without the place."""
        return self.message
