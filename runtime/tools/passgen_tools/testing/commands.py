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


def parse_commands(text: str, programs: Collection[str]) -> list[Pipeline] | None:
    """Return the pipelines that `&&` connects in `text`, each as its commands.

    Returns `None` if a shell has to run it: it uses more of the shell's syntax, or a
    program that is not one of `programs`.
    """
    text = text.strip()
    pipelines = [[Command()]]
    position = 0
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None:
            return None
        position = token.end()
        command = pipelines[-1][-1]
        if token["end"] == "&&":
            pipelines.append([Command()])
        elif token["end"]:
            pipelines[-1].append(Command())
        elif token["kind"]:
            stream = token["stream"] or ("0" if token["kind"] == "<" else "1")
            streams = "12" if stream == "&" else stream
            target = _unquote(token["word"])
            command.redirections.append(Redirection(streams, token["kind"], target))
        elif token["word"] == "not" and not command.words:
            command.must_fail = not command.must_fail
        else:
            command.words.append(_unquote(token["word"]))
    commands = [command for pipeline in pipelines for command in pipeline]
    are_known = all(
        command.words[:1] and command.words[0] in programs for command in commands
    )
    return pipelines if are_known else None


def _unquote(word: str) -> str:
    return shlex.split(word)[0]
