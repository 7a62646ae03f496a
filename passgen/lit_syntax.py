"""The syntax of RUN lines, which lit and FileCheck tests of MLIR begin with."""

from __future__ import annotations

from typing import Final

from passgen.lazy_pattern import lazy_pattern

_WORD: Final = lazy_pattern(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


def mlir_word(text: str) -> str:
    """Return `text`, one word of a RUN line that a shell takes as it is.

    Raises:
        ValueError: it is something else.
    """
    if not _WORD.fullmatch(text):
        message = f"'{text}' is no plain word of a RUN line"
        raise ValueError(message)
    return text
