"""The syntax of RUN lines, which lit and FileCheck tests of MLIR begin with."""

from __future__ import annotations

import re
from typing import Final

_WORD: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


def mlir_word(text: str) -> str:
    """Return `text`, one word of a RUN line that a shell takes as it is.

    Raises:
        ValueError: it is something else.
    """
    if not _WORD.fullmatch(text):
        message = f"'{text}' is no plain word of a RUN line"
        raise ValueError(message)
    return text
