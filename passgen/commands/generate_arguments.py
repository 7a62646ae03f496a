"""What `passgen` takes when no command is named: specs, targets, where to write."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from passgen import naming
from passgen.commands import COMMANDS
from passgen.commands.outcome import CommandParser
from passgen.diagnostics import nearest
from passgen.spec import STDIN
from passgen.targets import DEFAULT_TARGETS, TARGETS, Target, user_targets

STDOUT: Final = "-"
"""What `-o` takes to print."""

_DESCRIPTION: Final = """\
Write the boilerplate of compiler passes from declarative specs: for a spec of
the group Affine, affine_passes.py (base classes, options, registration) and
affine_passes.md (reference). Files that are up to date are not touched."""

_EXAMPLES: Final = """\
examples:
  passgen affine.yaml                   write affine_passes.py and .md
  passgen -o gen specs/*.yaml           write several groups into the folder gen
  passgen --name Affine -               read a spec from standard input
  passgen --target python -o - a.yaml   print the Python module, write nothing
  passgen --check -o gen specs/*.yaml   fail, with a diff, if a file is stale
  passgen --target cpp -o gen a.yaml    write the C++ of mlir-tblgen

commands, each with a --help of its own:
"""


class Arguments(argparse.Namespace):
    """The arguments as they were given."""

    specs: list[str]
    name: str | None = None
    prefix: str | None = None
    target: list[str] | None = None
    output: str | None = None
    check: bool = False
    depfile: str | None = None
    outputs_file: str | None = None
    expect_outputs: list[str] | None = None
    template_dir: str | None = None
    list_outputs: bool = False
    cmake_dir: bool = False
    schema: bool = False
    version: bool = False

    @property
    def root(self) -> Path | None:
        """The folder of the user's own templates."""
        return Path(self.template_dir) if self.template_dir else None

    @property
    def folder(self) -> Path | None:
        """The folder of the outputs, unless they are printed."""
        return None if self.output == STDOUT else Path(self.output or "")

    @property
    def is_question(self) -> bool:
        """Whether it is answered without a spec."""
        return self.cmake_dir or self.schema or self.version

    @property
    def writes(self) -> bool:
        """Whether files are written."""
        return not (self.check or self.list_outputs or self.output == STDOUT)

    def targets(self) -> list[Target]:
        """Return what to write, each once."""
        own = user_targets(self.root)
        return [
            target
            for name in dict.fromkeys(self.target or DEFAULT_TARGETS)
            for target in own.get(name) or [TARGETS[name]]
        ]


def parse(argv: Sequence[str]) -> Arguments:
    """Return the arguments in `argv`; exit with a message where they make no sense."""
    listed = "".join(
        f"  passgen {each.name:<9}{each.summary}\n" for each in COMMANDS.values()
    )
    parser = CommandParser("passgen", _DESCRIPTION, _EXAMPLES + listed)
    add = parser.add_argument
    add("specs", metavar="SPEC", nargs="*", help="a spec; - reads standard input")
    _add_arguments_to_write(parser)
    add("--check", action="store_true", help="write nothing, fail if a file is stale")
    add("--list-outputs", action="store_true", help="print what would be written")
    add(
        "--schema",
        action="store_true",
        help="print the path of the JSON Schema of specs, for editors, and exit",
    )
    add(
        "--cmake-dir",
        action="store_true",
        help="print the folder of PassgenConfig.cmake and exit",
    )
    add("--version", action="store_true", help="print the version and exit")
    arguments = parser.parse_args(argv, Arguments())
    if not arguments.is_question:
        if not arguments.specs:
            parser.error("the following arguments are required: SPEC")
        _refuse_senseless(parser, arguments)
    return arguments


def parse_to_write(argv: Sequence[str], parser: CommandParser) -> Arguments:
    """Return the arguments in `argv` of a command that only writes files.

    Args:
        argv: the arguments.
        parser: that of the command, without arguments so far.
    """
    parser.add_argument("specs", metavar="SPEC", nargs="+", help="a spec")
    _add_arguments_to_write(parser)
    arguments = parser.parse_args(argv, Arguments())
    if STDIN in arguments.specs:
        parser.error("specs are files here: standard input is none")
    if arguments.output == STDOUT:
        parser.error("-o takes a folder here")
    _refuse_senseless(parser, arguments)
    return arguments


def _add_arguments_to_write(parser: CommandParser) -> None:
    add = parser.add_argument
    add("--name", metavar="NAME", help="name of the group, rather than the spec's")
    add(
        "--prefix",
        metavar="PREFIX",
        help="what names of C functions begin with, rather than the group's name",
    )
    add(
        "--target",
        metavar="TARGET",
        action="append",
        help=f"what to write: {', '.join(TARGETS)}, or a folder of --template-dir; may "
        "be repeated; by default python and markdown",
    )
    add(
        "-o",
        dest="output",
        metavar="DIR",
        help="folder to write into, by default the current one",
    )
    add("--depfile", metavar="FILE", help="write what was read, for make and ninja")
    add(
        "--outputs-file",
        metavar="FILE",
        help="write the paths of the outputs, for build systems that plan with them",
    )
    add(
        "--expect-outputs",
        metavar="FILE",
        nargs="+",
        help="write nothing and fail unless these are the outputs, as a build was told",
    )
    add(
        "--template-dir",
        metavar="DIR",
        help="templates that come before passgen's own, DIR/TARGET/FILE.j2",
    )


def _refuse_senseless(parser: CommandParser, arguments: Arguments) -> None:
    """Exit with a message if what was given makes no sense."""
    _refuse_names(parser, arguments)
    _refuse_contradictions(parser, arguments)


def _refuse_names(parser: CommandParser, arguments: Arguments) -> None:
    """Exit with a message if a name that was given can be none."""
    if arguments.root is not None and not arguments.root.is_dir():
        parser.error(f"--template-dir: found no folder '{arguments.template_dir}'")
    targets = {**TARGETS, **user_targets(arguments.root)}
    for name in arguments.target or ():
        if name not in targets:
            close = nearest(name, targets)
            parser.error(
                f"argument --target: found '{name}', expected one of "
                f"{', '.join(targets)}"
                + (f"; did you mean '{close}'?" if close else "")
            )
    if arguments.name is not None and not naming.is_pascal_case(arguments.name):
        parser.error(
            f"--name: found '{arguments.name}', expected a name in PascalCase, such as "
            "'MyDialect'"
        )
    if arguments.prefix is not None and not re.fullmatch(
        r"\w*", arguments.prefix, re.ASCII
    ):
        parser.error("--prefix takes letters, digits and underscores")


def _refuse_contradictions(parser: CommandParser, arguments: Arguments) -> None:
    """Exit with a message if what was given does not go together."""
    if arguments.name is not None and len(arguments.specs) > 1:
        parser.error("--name takes one spec, as it names one group")
    if arguments.specs.count(STDIN) > 1:
        parser.error("standard input can be read once")
    if arguments.output == STDOUT and arguments.check:
        parser.error("--check compares files, so it cannot be used with '-o -'")
    if (
        arguments.output == STDOUT
        and len(arguments.specs) * len(arguments.targets()) > 1
    ):
        parser.error(
            "'-o -' prints one output: give one spec, and one --target of one template"
        )
    if arguments.depfile is not None and not arguments.writes:
        parser.error("--depfile tells what written files are of, and none is written")
    if arguments.outputs_file is not None and not arguments.writes:
        parser.error("--outputs-file tells what was written, and nothing is")
    if arguments.expect_outputs is not None and arguments.output == STDOUT:
        parser.error("--expect-outputs is about files, and '-o -' writes none")
    if arguments.output == "":
        parser.error("-o takes a folder, and its name is empty")
