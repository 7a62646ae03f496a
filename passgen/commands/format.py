"""`passgen format`: specs in the normal layout."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from passgen.commands.outcome import EXIT_FINE, EXIT_WRONG, CommandParser, Outcome
from passgen.output import OutputFile, compare, write
from passgen.source import STDIN
from passgen.spec import layout, read_source


class _FormatArguments(argparse.Namespace):
    specs: list[str]
    check: bool = False


def run(argv: Sequence[str], _folder: Path | None) -> Outcome:
    """Lay out the specs in `argv`; name those that changed."""
    parser = CommandParser("passgen format")
    add = parser.add_argument
    add("specs", metavar="SPEC", nargs="+", help="a spec; - prints standard input")
    add("--check", action="store_true", help="write nothing, fail if a file differs")
    arguments = parser.parse_args(argv, _FormatArguments())
    if STDIN in arguments.specs:
        if arguments.check or len(arguments.specs) > 1:
            parser.error(
                "standard input is printed: it is given alone, without --check"
            )
        return Outcome(text=layout(read_source(STDIN)))
    files = [
        OutputFile(Path(spec), layout(read_source(spec))) for spec in arguments.specs
    ]
    if not arguments.check:
        return Outcome(lines=tuple(str(path) for path in write(files)))
    stale = compare(files)
    return Outcome(
        text="".join(spec.diff for spec in stale),
        messages=tuple(
            f"{spec.file.path}: error: is not in the normal layout; to mend it: "
            f"passgen format {spec.file.path}"
            for spec in stale
        ),
        code=EXIT_WRONG if stale else EXIT_FINE,
    )
