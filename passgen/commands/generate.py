"""The command without a name: specs to the files of their targets."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from passgen import naming, output, spec_file
from passgen.commands import COMMANDS
from passgen.commands.outcome import EXIT_FINE, EXIT_USAGE, EXIT_WRONG, Outcome
from passgen.commands.parser import CommandParser
from passgen.diagnostics import Diagnostic, SpecError, nearest
from passgen.frontend import read
from passgen.generate import Generated, write
from passgen.known_passes import needed_groups
from passgen.model import PassGroup
from passgen.output import OutputError, OutputFile
from passgen.spec_file import STDIN, UnreadableError
from passgen.targets import DEFAULT_TARGETS, TARGETS
from passgen.targets.origin import Origin, origin
from passgen.terminal import Progress

_STDOUT: Final = "-"

_DESCRIPTION: Final = """\
Write the boilerplate of compiler passes from declarative specs: for a spec of the
group Affine, affine_passes.py (base classes, options, registration) and
affine_passes.md (reference). Files that are up to date are not touched."""

_EXAMPLES: Final = """\
examples:
  passgen affine.yaml                   write affine_passes.py and affine_passes.md
  passgen -o gen specs/*.yaml           write into the folder gen, several groups
  passgen --name Affine -               read a spec from standard input
  passgen --target python -o - a.yaml   print the Python module
  passgen --check -o gen specs/*.yaml   fail, with a diff, if an output is stale
  passgen --target cpp -o gen a.yaml    write the C++ that mlir-tblgen would write

commands, each with a --help of its own:
"""


@dataclass(slots=True)
class _Arguments(argparse.Namespace):
    specs: list[str] = field(default_factory=list)
    name: str | None = None
    prefix: str | None = None
    target: list[str] | None = None
    output: str | None = None
    check: bool = False
    version: bool = False


@dataclass(slots=True)
class _Made:
    """What the specs became, and what was said about them."""

    specs: list[tuple[Origin, Generated]] = field(default_factory=list)
    messages: list[Diagnostic | str] = field(default_factory=list)
    is_wrong: bool = False


def run(argv: Sequence[str], folder: Path | None) -> Outcome:
    """Write what the specs in `argv` become; `folder` is the current one."""
    arguments = _parse(argv)
    if arguments.version:
        return Outcome(lines=(f"passgen {_version()}",))
    made = _generate_all(arguments, folder)
    if made.is_wrong:
        return Outcome(messages=tuple(made.messages), code=EXIT_WRONG)
    outcome = _deliver(arguments, made.specs)
    return replace(outcome, messages=(*made.messages, *outcome.messages))


def _deliver(
    arguments: _Arguments, made: Sequence[tuple[Origin, Generated]]
) -> Outcome:
    """Print, compare or write the outputs, as the arguments ask."""
    if arguments.output == _STDOUT:
        return Outcome(text=made[0][1].files[0].text)
    files, clash = _output_files(made, Path(arguments.output or ""))
    if clash:
        return Outcome(messages=(clash,), code=EXIT_USAGE)
    try:
        if arguments.check:
            return _check(files)
        output.write(files)
    except OutputError as error:
        return Outcome(messages=(str(error),), code=EXIT_WRONG)
    return Outcome(lines=tuple(str(file.path) for file in files))


def _version() -> str:
    import importlib.metadata  # noqa: PLC0415 - takes a while, and is rarely asked for

    return importlib.metadata.version("mlir-passgen")


def _parse(argv: Sequence[str]) -> _Arguments:
    listed = "".join(
        f"  passgen {each.name:<30}{each.summary}\n" for each in COMMANDS.values()
    )
    parser = CommandParser("passgen", _DESCRIPTION, _EXAMPLES + listed)
    add = parser.add_argument
    add("specs", metavar="SPEC", nargs="*", help="a spec; - reads standard input")
    add("--name", metavar="NAME", help="name of the group, rather than the spec's")
    add(
        "--prefix",
        metavar="PREFIX",
        help="what names of C functions begin with, rather than the group's name",
    )
    add(
        "--target",
        choices=list(TARGETS),
        action="append",
        help="what to write, may be repeated; by default python and markdown",
    )
    add(
        "-o",
        dest="output",
        metavar="DIR",
        help="folder to write into, by default the current one; - prints one output",
    )
    add("--check", action="store_true", help="write nothing, fail if a file is stale")
    add("--version", action="store_true", help="print the version and exit")
    arguments = parser.parse_args(argv, _Arguments())
    if arguments.version:
        return arguments
    if not arguments.specs:
        parser.error("the following arguments are required: SPEC")
    targets = arguments.target or list(DEFAULT_TARGETS)
    if arguments.name is not None and len(arguments.specs) > 1:
        parser.error("--name takes one spec, as it names one group")
    if arguments.name is not None and not naming.is_pascal_case(arguments.name):
        parser.error(
            f"--name: found '{arguments.name}', expected a name in PascalCase, such as "
            "'MyDialect'"
        )
    if arguments.prefix is not None and not re.fullmatch(
        r"\w*", arguments.prefix, re.ASCII
    ):
        parser.error("--prefix takes letters, digits and underscores")
    if arguments.specs.count(STDIN) > 1:
        parser.error("standard input can be read once")
    if arguments.output == _STDOUT and arguments.check:
        parser.error("--check compares files, so it cannot be used with '-o -'")
    if arguments.output == _STDOUT and len(arguments.specs) * len(set(targets)) > 1:
        parser.error("'-o -' prints one output: give one spec and one --target")
    if arguments.output == "":
        parser.error("-o takes a folder, and its name is empty")
    return arguments


def _generate_all(arguments: _Arguments, folder: Path | None) -> _Made:
    made = _Made()
    progress = Progress(sys.stderr, 2 * len(arguments.specs))
    groups: dict[str, PassGroup] = {}
    unread: dict[str, SpecError | UnreadableError] = {}
    for spec in arguments.specs:
        progress.step(spec)
        try:
            source = spec_file.read(spec)
            groups[spec] = read(source, arguments.name, arguments.prefix)
        except (SpecError, UnreadableError) as error:
            unread[spec] = error
    for spec in arguments.specs:
        progress.step(spec)
        try:
            if spec in unread:
                raise unread[spec]
            # What the passes of an unread spec are called is not known.
            place, generated = _generate(
                arguments, folder, spec, groups, may_name=not unread
            )
        except SpecError as error:
            made.is_wrong = True
            made.messages += error.diagnostics
        except UnreadableError as error:
            made.is_wrong = True
            made.messages += [str(error), *_command_meant(spec)]
        else:
            made.messages += generated.warnings
            made.specs.append((place, generated))
    progress.clear()
    return made


def _generate(
    arguments: _Arguments,
    folder: Path | None,
    spec: str,
    groups: Mapping[str, PassGroup],
    *,
    may_name: bool,
) -> tuple[Origin, Generated]:
    """Return what `spec` becomes; `may_name`: whether it may name passes of others."""
    others = {each: group for each, group in groups.items() if each != spec}
    needed = needed_groups(groups[spec], list(others.values()))
    names = list(dict.fromkeys(arguments.target or ()))
    place = origin(
        spec,
        folder,
        name=arguments.name,
        prefix=arguments.prefix,
        targets=names,
        output=arguments.output,
        others=[each for each, group in others.items() if group in needed],
    )
    targets = [TARGETS[name] for name in names or DEFAULT_TARGETS]
    beside = list(others.values()) if may_name else None
    return place, write(groups[spec], targets, place, beside)


def _command_meant(spec: str) -> list[str]:
    """Return a note if `spec`, which is no file, looks like a mistyped command."""
    meant = nearest(spec, COMMANDS)
    return [f"note: did you mean the command 'passgen {meant}'?"] if meant else []


def _output_files(
    made: Sequence[tuple[Origin, Generated]], folder: Path
) -> tuple[list[OutputFile], str]:
    """Return the files to write, and a message if two specs share one."""
    files: dict[Path, OutputFile] = {}
    specs: dict[Path, str] = {}
    for place, generated in made:
        for file in generated.files:
            path = folder / file.name
            if path in files:
                other = specs[path]
                return (
                    [],
                    f"{place.spec}: error: its output {path} is that of {other} too",
                )
            specs[path] = place.spec
            files[path] = OutputFile(path, file.text, place.command)
    return list(files.values()), ""


def _check(files: Sequence[OutputFile]) -> Outcome:
    stale = output.compare(files)
    messages = []
    for each in stale:
        state = "is missing" if each.is_missing else "is out of date"
        messages.append(
            f"{each.file.path}: error: {state}; to renew it: {each.file.command}"
        )
    return Outcome(
        text="".join(each.diff for each in stale),
        messages=tuple(messages),
        code=EXIT_WRONG if stale else EXIT_FINE,
    )
