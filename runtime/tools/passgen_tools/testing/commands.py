"""Commands of RUN lines: the part of the shell's syntax that needs no shell.

not my-opt %s --my-pass 2>&1 | filecheck %s && my-opt %s -o %t
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final, NamedTuple

_TOKEN: Final = re.compile(
    r"""\s*(?:
    (?:(?P<stream>[12&](?=>)|0(?=<))?(?P<kind>>>?|<|>&(?=[12]\b))\s*)?
    (?P<word>(?:[^\s'"\\|&;<>$`*?]|\\.|'[^']*'|"(?:[^"\\$`]|\\[^$`])*")+)
    | (?P<end>&&|\|(?!\|))
    )""",
    re.VERBOSE,
)

_OPERATOR: Final = re.compile(r"\|\||;;|<<<|<<|\S")

FILE_TEXT: Final = re.compile(r"%\{readfile:([^}]*)\}")
"""The substitution of a file's text, which becomes part of one word."""


class Redirection(NamedTuple):
    """The destination or the source of streams of a command."""

    streams: str
    """The numbers of the streams: `12` for both outputs."""

    kind: str
    """`<`, `>`, `>>` or `>&`."""

    target: str
    """A path; the number of a stream for `>&`."""


@dataclass(slots=True)
class Command:
    """A program and its arguments."""

    words: list[str] = field(default_factory=list)
    redirections: list[Redirection] = field(default_factory=list)
    must_fail: bool = False


Pipeline = list[Command]


class NeedsShell(NamedTuple):
    """The answer that a shell has to run a command."""

    reason: str
    """The part of the command that needs it."""


def parse_commands(text: str, programs: Collection[str]) -> list[Pipeline] | NeedsShell:
    """Return the pipelines that `&&` connects in `text`, each as its commands.

    A shell has to run it if it uses more of the shell's syntax, or a program that is
    not one of `programs`.
    """
    text = text.strip()
    pipelines = [[Command()]]
    position = 0
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None:
            return NeedsShell(_unread(text, position))
        position = token.end()
        command = pipelines[-1][-1]
        if token["end"] == "&&":
            pipelines.append([Command()])
        elif token["end"]:
            pipelines[-1].append(Command())
        elif token["kind"]:
            stream = token["stream"] or ("0" if token["kind"] == "<" else "1")
            streams = "12" if stream == "&" else stream
            target = unquote(token["word"])
            command.redirections.append(Redirection(streams, token["kind"], target))
        elif token["word"] == "not" and not command.words:
            command.must_fail = not command.must_fail
        else:
            command.words.append(unquote(token["word"]))
    commands = [command for pipeline in pipelines for command in pipeline]
    reason = next(filter(None, (_why_shell(each, programs) for each in commands)), "")
    return NeedsShell(reason) if reason else pipelines


def _why_shell(command: Command, programs: Collection[str]) -> str:
    """Return why a shell has to run a command; empty if it has not."""
    if not command.words:
        return "a command without a program"
    name = command.words[0]
    return "" if name in programs else f"'{name}' is no program of `mlir_tools`"


def _unread(text: str, position: int) -> str:
    """Return the operator of the shell at a position, and the word that has it."""
    operator = _OPERATOR.search(text, position)
    assert operator is not None  # `text` ends without blanks
    blank = max(text.rfind(" ", 0, operator.start()), text.rfind("\t", 0, position))
    word = text[blank + 1 :].split(maxsplit=1)[0]
    return f"'{operator[0]}'" + (f" in '{word}'" if word != operator[0] else "")


def unquote(word: str) -> str:
    """Return the text of a word that may have quotes."""
    return shlex.split(word)[0]
