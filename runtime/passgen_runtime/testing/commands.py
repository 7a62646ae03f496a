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
    """The destination or the source of a stream of a command."""

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
    reader = _CommandReader(text.strip(), programs)
    return reader.pipelines if reader.read() else None


class _CommandReader:
    """Reads the commands of one text."""

    def __init__(self, text: str, programs: Collection[str]) -> None:
        self.pipelines: list[Pipeline] = [()]
        self._text = text
        self._programs = programs
        self._position = 0
        self._words: list[str] = []
        self._redirections: list[Redirection] = []

    def read(self) -> bool:
        """Read all commands; return whether they need no shell."""
        while self._position < len(self._text):
            token = self._next()
            if token is None:
                return False
            if token["word"] is not None:
                self._words.append(_unquote(token["word"]))
                continue
            if token["redirection"] is not None:
                is_fine = self._redirect(token["redirection"])
            else:
                is_fine = self._end_command()
            if not is_fine:
                return False
            if token["operator"] == "&&":
                self.pipelines.append(())
        return self._end_command()

    def _next(self) -> re.Match[str] | None:
        token = _TOKEN.match(self._text, self._position)
        self._position = token.end() if token else self._position
        return token

    def _redirect(self, operator: str) -> bool:
        """Read what follows a redirection; return whether it is a file, if needed."""
        path = ""
        if not operator.endswith(("&1", "&2")):
            target = self._next()
            if target is None or target["word"] is None:
                return False
            path = _unquote(target["word"])
        self._redirections.append(Redirection(operator, path))
        return True

    def _end_command(self) -> bool:
        """Add the command that was read; return whether it needs no shell."""
        must_fail = False
        while self._words[:1] == ["not"]:
            must_fail = not must_fail
            self._words.pop(0)
        if not self._words or self._words[0] not in self._programs:
            return False
        command = Command(tuple(self._words), must_fail, tuple(self._redirections))
        self.pipelines[-1] = (*self.pipelines[-1], command)
        self._words.clear()
        self._redirections.clear()
        return True


def _unquote(word: str) -> str:
    def piece(match: re.Match[str]) -> str:
        escaped, single, double, plain = match.groups()
        if double is not None:
            return _ESCAPE.sub(r"\1", double)
        return next(piece for piece in (escaped, single, plain) if piece is not None)

    return _PIECE.sub(piece, word)
