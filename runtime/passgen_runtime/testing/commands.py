"""Commands of RUN lines: the part of the shell's syntax that needs no shell.

not my-opt %s --my-pass 2>&1 | filecheck %s && my-opt %s -o %t
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

_TOKEN: Final = re.compile(
    r"""\s*(?:
    (?P<redirection>[012]?>&[12]|&>>?|[12]?>>?|0?<(?!<))
    | (?P<operator>&&|\|(?!\|))
    | (?P<word>(?:[^\s'"\\|&;<>$`*?]|\\.|'[^']*'|"(?:[^"\\$`]|\\.)*")+)
    )""",
    re.VERBOSE,
)
_PIECE: Final = re.compile(r"""\\(.)|'([^']*)'|"((?:[^"\\]|\\.)*)"|([^'"\\]+)""")
_ESCAPE: Final = re.compile(r"""\\(["\\$`])""")


@dataclass(frozen=True, slots=True)
class Redirection:
    """Where a stream of a command goes, or comes from."""

    operator: str
    path: str = ""
    """Empty if the operator names a stream: `2>&1`."""


@dataclass(frozen=True, slots=True)
class Command:
    """A program and its arguments."""

    words: tuple[str, ...]
    must_fail: bool
    redirections: tuple[Redirection, ...]


Pipeline = tuple[Command, ...]


def parse_commands(text: str, programs: Collection[str]) -> list[Pipeline] | None:
    """Return the pipelines that `&&` connects in `text`, each as its commands.

    Returns `None` if a shell has to run it: it uses more of the shell's syntax, or a
    program that is not one of `programs`.
    """
    pipelines: list[list[Command]] = [[]]
    words: list[str] = []
    redirections: list[Redirection] = []

    def end_command() -> bool:
        must_fail = False
        while words[:1] == ["not"]:
            must_fail = not must_fail
            words.pop(0)
        if not words or words[0] not in programs:
            return False
        command = Command(tuple(words), must_fail, tuple(redirections))
        pipelines[-1].append(command)
        words.clear()
        redirections.clear()
        return True

    position, text = 0, text.strip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            return None
        position = match.end()
        if (word := match["word"]) is not None:
            words.append(_unquoted(word))
        elif (operator := match["redirection"]) is not None:
            redirection = Redirection(operator)
            if operator[-2:-1] != "&" or operator in {"&>", "&>>"}:
                target = _TOKEN.match(text, position)
                if target is None or target["word"] is None:
                    return None
                redirection = Redirection(operator, _unquoted(target["word"]))
                position = target.end()
            redirections.append(redirection)
        else:
            if not end_command():
                return None
            if match["operator"] == "&&":
                pipelines.append([])
    if not end_command():
        return None
    return [tuple(pipeline) for pipeline in pipelines]


def _unquoted(word: str) -> str:
    def piece(match: re.Match[str]) -> str:
        escaped, single, double, plain = match.groups()
        if double is not None:
            return _ESCAPE.sub(r"\1", double)
        return next(each for each in (escaped, single, plain) if each is not None)

    return _PIECE.sub(piece, word)
