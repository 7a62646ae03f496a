"""`passgen new`: a new pass that runs, from its spec to its test."""

from __future__ import annotations

import argparse
import keyword
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from passgen import naming, new_pass, output, spec_lint
from passgen.commands.outcome import EXIT_WRONG, Outcome
from passgen.commands.parser import CommandParser
from passgen.commands.new_pass import NewPass
from passgen.output.files import OutputFile

_DESCRIPTION: Final = """\
Write a new pass that runs: its spec, what is generated of it, an implementation
to go on from, a driver, and a FileCheck test. No file that is there is touched."""

_EPILOG: Final = """\
examples:
  passgen new UnrollLoops
  passgen new UnrollLoops --group Loops --summary 'Unroll loops' -o loops
"""

_ARGUMENT: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(slots=True)
class _Arguments(argparse.Namespace):
    name: str = ""
    group: str | None = None
    argument: str | None = None
    summary: str | None = None
    output: str = "."


def run(argv: Sequence[str], _folder: Path | None) -> Outcome:
    """Write the files of the pass in `argv`."""
    new, folder = _parse(argv)
    files = [
        OutputFile(folder / file.path, file.text) for file in new_pass.new_pass(new)
    ]
    taken = [
        f"{file.path}: error: it exists, and only new files are written"
        for file in files
        if file.path.exists()
    ]
    if files[0].path.exists():
        taken.append("note: a further pass of a group is a further entry of its spec")
    if taken:
        return Outcome(messages=tuple(taken), code=EXIT_WRONG)
    output.write(files)
    return Outcome(lines=tuple(str(file.path) for file in files))


def _parse(argv: Sequence[str]) -> tuple[NewPass, Path]:
    parser = CommandParser("passgen new", _DESCRIPTION, _EPILOG)
    add = parser.add_argument
    add("name", metavar="NAME", help="the pass, in PascalCase: UnrollLoops")
    add("--group", metavar="NAME", help="its group, in PascalCase; by default NAME")
    add("--argument", help="its name in pipelines; by default NAME in kebab case")
    add("--summary", metavar="TEXT", help="what it does, in one line")
    add("-o", dest="output", metavar="DIR", help="folder to write into")
    arguments = parser.parse_args(argv, _Arguments())
    for flag, name in (("NAME", arguments.name), ("--group", arguments.group)):
        if name is not None and not naming.is_pascal_case(name):
            parser.error(
                f"{flag}: found '{name}', expected a name in PascalCase, such as "
                "'UnrollLoops'"
            )
    if keyword.iskeyword(arguments.name):  # None, True, False
        parser.error(
            f"NAME: found '{arguments.name}', a word of Python, expected the name of a "
            "class, such as 'UnrollLoops'"
        )
    argument = arguments.argument
    if argument is not None and not _ARGUMENT.fullmatch(argument):
        parser.error(
            f"--argument: found '{argument}', expected a name in kebab case, such as "
            "'unroll-loops'"
        )
    given = arguments.summary
    if given is not None and not given.isprintable():
        parser.error("--summary takes one line of text")
    if given is not None and not given.strip():
        parser.error("--summary takes one line of text, and it is empty")
    summary = (given or new_pass.default_summary(arguments.name)).strip()
    for _, fault in spec_lint.summary_faults(summary):
        parser.error(f"--summary: found '{summary}', which {fault}")
    if not arguments.output:
        parser.error("-o takes a folder, and its name is empty")
    new = NewPass(
        arguments.name,
        argument or new_pass.default_argument(arguments.name),
        arguments.group or arguments.name,
        summary,
    )
    return new, Path(arguments.output)
