"""The checkers that a RUN line runs: which prefixes they read, and in which file."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import PurePath
from typing import Final

from filecheck.options import Options, parse_argv_options

CHECKERS: Final = ("filecheck", "FileCheck")

_ENDS: Final = frozenset("|&;()")
_UNKNOWN: Final = re.compile(r"[$`]|%\{|%[A-Za-z_]\w*$|.*\.(sh|py)$")


@dataclass(slots=True)
class CheckersOfCommand:
    """The checkers that a command runs."""

    found: list[Options] = field(default_factory=list)
    unknown: str = ""
    """The word that may stand for a checker or for its flags; empty if none may."""


def find_checkers(command: str, known: Collection[str] = ()) -> CheckersOfCommand:
    """Return the checkers of a command.

    Args:
        command: with values in place of substitutions.
        known: programs that are no checkers, beside those on the `PATH`.
    """
    checkers = CheckersOfCommand()
    try:
        programs = list(_programs(command))
    except ValueError as error:  # of `shlex`
        return CheckersOfCommand(unknown=f"{command}: {error}")
    for words in programs:
        names = [PurePath(word).name for word in words]
        first = next(
            (index for index, name in enumerate(names) if name in CHECKERS), None
        )
        if first is None:
            continue
        arguments = words[first + 1 :]
        if not arguments:
            continue  # it has no file whose checks it could read
        unknown = _first_unknown(arguments)
        try:
            checkers.found.append(parse_argv_options(["filecheck", *arguments]))
        except RuntimeError:  # its message lists words, and names no flag
            unknown = unknown or shlex.join(words[first:])
        checkers.unknown = checkers.unknown or unknown
    if not checkers.found and not checkers.unknown:
        unknown_program = partial(_unknown_program, known={*known, *CHECKERS})
        checkers.unknown = next(filter(None, map(unknown_program, programs)), "")
    return checkers


def _unknown_program(words: list[str], known: Collection[str]) -> str:
    """Return the word of a program that may run a checker; empty if none does."""
    first = next((word for word in words if word != "not"), "")
    if first and first not in known and shutil.which(first) is None:
        return first  # it may be a substitution of a project's `lit.cfg.py`
    return _first_unknown(words)


def _first_unknown(words: list[str]) -> str:
    return next(filter(_UNKNOWN.match, words), "")


def _programs(command: str) -> Iterator[list[str]]:
    """Yield the words of each program, without redirections.

    Raises:
        ValueError: a quotation mark is not closed.
    """
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    words: list[str] = []
    tokens = iter(lexer)
    for token in tokens:
        if token and _ENDS.issuperset(token):
            yield words
            words = []
        elif token.strip("<>&|") == "" and ("<" in token or ">" in token):
            if words and words[-1] in {"0", "1", "2"}:
                words.pop()  # the number of the stream
            next(tokens, "")
        elif " " in token and any(checker in token for checker in CHECKERS):
            yield from _programs(token)  # as in `sh -c "my-opt %s | filecheck %s"`
        else:
            words.append(token)
    yield words
