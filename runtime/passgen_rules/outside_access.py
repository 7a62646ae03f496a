"""The guess whether the value of an option leads beyond the IR.

An option may declare it. Where it does not, as in a pass of xDSL or in a class that is
written by hand, the words of its argument decide.
"""

from __future__ import annotations

import re
from typing import Final

_OUTSIDE_WORD: Final = re.compile(
    r"\b(command|dir|directory|executable|file|filename|folder|library|libraries|path"
    r"|program|script|shell|tool|toolkit|url)s?\b"
)
"""A word in the argument of an option whose value is a file or a program."""


def suggests_outside_access(argument: str, type_name: str) -> bool:
    """Return whether an option seems to name a file or a program.

    Args:
        argument: its name in pipelines.
        type_name: the type of its value, or of the elements of a list; a `bool` names
            nothing.
    """
    words = argument.replace("_", "-")
    return type_name != "bool" and bool(_OUTSIDE_WORD.search(words))
