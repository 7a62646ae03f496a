"""`passgen format`: specs in the normal layout."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from passgen.commands import reporting
from passgen.commands.outcome import EXIT_FINE, EXIT_WRONG, CommandParser, Outcome
from passgen.output import OutputFile, compare, json_text, write
from passgen.source import STDIN
from passgen.spec import layout, read_source


class _FormatArguments(argparse.Namespace):
    specs: list[str]
    check: bool = False
    json: bool = False


def run(argv: Sequence[str], _folder: Path | None) -> Outcome:
    """Lay out the specs in `argv`; name those that changed."""
    parser = CommandParser("passgen format")
    add = parser.add_argument
    add("specs", metavar="SPEC", nargs="+", help="a spec; - prints standard input")
    add("--check", action="store_true", help="write nothing, fail if a file differs")
    add("--json", action="store_true", help="print what changed as JSON, for programs")
    arguments = parser.parse_args(argv, _FormatArguments())
    if STDIN in arguments.specs and arguments.json:
        parser.error("--json is for files, not for standard input")
    if STDIN in arguments.specs:
        if arguments.check or len(arguments.specs) > 1:
            parser.error(
                "standard input is printed: it is given alone, without --check"
            )
        return Outcome(text=layout(read_source(STDIN)))
    if arguments.json:
        return _as_json(arguments)
    files = [_laid_out(spec) for spec in arguments.specs]
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


def _laid_out(spec: str) -> OutputFile:
    return OutputFile(Path(spec), layout(read_source(spec)))


def _as_json(arguments: _FormatArguments) -> Outcome:
    """Lay out the right specs; return each with what differs, and the errors."""
    files, refused = reporting.read_each(arguments.specs, _laid_out)
    stale = compare(files)
    if not arguments.check:
        write(files)
    diffs = {each.file.path: each.diff for each in stale}
    answer: dict[str, object] = {
        "files": [
            {
                "file": str(file.path),
                "isNormal": file.path not in diffs,
                "diff": diffs.get(file.path, ""),
            }
            for file in files
        ]
    }
    if refused:
        errors = [found for refusal in refused for found in refusal.objects()]
        answer["diagnostics"] = errors
    is_wrong = refused or (arguments.check and stale)
    return Outcome(text=json_text(answer), code=EXIT_WRONG if is_wrong else EXIT_FINE)
