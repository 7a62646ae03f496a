"""The guess whether the value of an option leads beyond the IR.

An option may declare it. Where it does not, as in a pass of xDSL or in a class that is
written by hand, the words of its argument decide.
"""

from __future__ import annotations

import re
from typing import Final

_OUTSIDE_WORD: Final = re.compile(
    r"\b(cmd|command|dir|directory|directories|dirname|exe|executable|file|filename"
    r"|filepath|folder|host|library|libraries|path|pathname|program|script|shell|tool"
    r"|toolkit|uri|url)s?\b"
)
"""A word in the argument of an option whose value is a file, a program or a host."""

_BETWEEN_WORDS: Final = re.compile(
    r"[_\d]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"
)
"""What separates words beside punctuation: `log_dir`, `file2`, `outFile`, `IRFile`."""


def suggests_outside_access(argument: str, type_name: str) -> bool:
    """Return whether an option seems to name a file, a program or a host.

    Args:
        argument: its name in pipelines.
        type_name: the type of its value, or of the elements of a list; a `bool` names
            nothing.
    """
    if type_name == "bool":
        return False
    # The plural `URLs` looks like the two words `UR` and `Ls`: it is read whole, too.
    spellings = _BETWEEN_WORDS.sub("-", argument), re.sub(r"[_\d]+", "-", argument)
    return any(_OUTSIDE_WORD.search(words.lower()) for words in spellings)
