"""Regular expressions that are compiled when they are first used.

`re.compile` at the top of each module that has an expression took a fifth of all
imports, and most expressions are for what few specs have.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


def lazy_pattern(text: AnyStr, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[AnyStr]:
    """Return what `re.compile` returns, as far as its methods go.

    Raises:
        re.error: on first use, if `text` is no regular expression.
    """
    return cast("re.Pattern[AnyStr]", _LazyPattern(text, flags))


class _LazyPattern:
    """Stands for a compiled pattern; after the first use, it has its methods."""

    def __init__(self, text: str | bytes, flags: re.RegexFlag) -> None:
        self.pattern = text
        self._flags = flags

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a pattern has
        value = getattr(re.compile(self.pattern, self._flags), name)
        setattr(self, name, value)
        return value
