"""The command that a command line names, imported when it is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from passgen.commands.outcome import Outcome
from passgen.commands.table import COMMANDS

Run: TypeAlias = Callable[[Sequence[str], Path | None], Outcome]
"""Takes the arguments after the name of the command, and the current folder."""

_COMPLETE: Final = "--complete="
"""What the completion scripts of shells call, with the command line so far."""


def run_command(words: Sequence[str], folder: Path | None) -> Outcome:
    """Run the command that `words` begin with, by default `generate`."""
    if words and words[0].startswith(_COMPLETE):
        from passgen.commands.completion import complete

        return complete(words[0].removeprefix(_COMPLETE), _function)
    if words and words[0] in COMMANDS:
        return _function(words[0])(words[1:], folder)
    return _function("generate")(words, folder)


def _function(name: str) -> Run:  # noqa: C901, PLR0912 - a table
    """Return the function of the command called `name`."""
    run: Run
    match name:
        case "agents":
            from passgen.commands.agents import run
        case "diff":
            from passgen.commands.diff import run
        case "drift":
            from passgen.commands.drift import run
        case "format":
            from passgen.commands.format import run
        case "generate":
            run = _generate
        case "import":
            from passgen.commands.import_tablegen import run
        case "lint":
            from passgen.commands.lint import run
        case "list":
            from passgen.commands.list import run
        case "lsp":
            from passgen.commands.lsp import run
        case "new":
            from passgen.commands.new import run
        case "site":
            from passgen.commands.site import run
        case "watch":
            from passgen.commands.watch import run
        case _:
            raise AssertionError(name)
    return run


def _generate(words: Sequence[str], folder: Path | None) -> Outcome:
    """Answer a question such as `--version`, or generate files."""
    from passgen.commands.generate_arguments import parse

    arguments = parse(words)
    if arguments.is_question:
        from passgen.commands.questions import answer

        return answer(arguments)
    from passgen.commands.generate import generate_outputs

    return generate_outputs(arguments, folder)
