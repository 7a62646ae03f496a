"""The arguments of the command without a name, and of those that write the same files.

They are read before anything else is imported, as a question such as `--version` needs
no more.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final, TypeVar

from passgen.commands.outcome import CommandParser
from passgen.commands.table import COMMANDS
from passgen.source import STDIN, STDOUT
from passgen.targets import TARGETS, TargetError, chosen_targets

SHELLS: Final = ("bash", "zsh", "fish")
"""The shells with a completion script."""


class GenerateArguments(argparse.Namespace):
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
    completion: str | None = None

    @property
    def root(self) -> Path | None:
        """The folder of the user's own templates."""
        return Path(self.template_dir) if self.template_dir else None

    @property
    def is_question(self) -> bool:
        """Whether the call is answered without a spec."""
        asks = self.cmake_dir or self.schema or self.version
        return asks or self.completion is not None

    @property
    def writes(self) -> bool:
        """Whether files are written."""
        return not (self.check or self.list_outputs or self.output == STDOUT)


def parse(argv: Sequence[str]) -> GenerateArguments:
    """Return the arguments in `argv`; exit with a message if they make no sense."""
    listed = "".join(
        f"  passgen {name:<9}{summary}\n" for name, summary in COMMANDS.items()
    )
    parser = CommandParser("passgen", listed)
    add = parser.add_argument
    add("specs", metavar="SPEC", nargs="*", help="a spec; - reads standard input")
    _add_arguments_to_write(parser)
    add("--check", action="store_true", help="write nothing, fail if a file is stale")
    add(
        "--list-outputs",
        action="store_true",
        help="print the paths of the outputs, and exit",
    )
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
    add("--completion", choices=SHELLS, help="print a completion script for a shell")
    add("--version", action="store_true", help="print the version and exit")
    arguments = parser.parse_args(argv, GenerateArguments())
    if not arguments.is_question:
        if not arguments.specs:
            parser.error("the following arguments are required: SPEC")
        _refuse_senseless(parser, arguments)
    return arguments


ArgumentsT = TypeVar("ArgumentsT", bound=GenerateArguments)


def parse_to_write(
    argv: Sequence[str], parser: CommandParser, namespace: ArgumentsT
) -> ArgumentsT:
    """Return the arguments in `argv` of a command that only writes files.

    Args:
        argv: the arguments.
        parser: that of the command, with the arguments of its own.
        namespace: for the arguments.
    """
    parser.add_argument("specs", metavar="SPEC", nargs="+", help="a spec")
    _add_arguments_to_write(parser)
    arguments = parser.parse_args(argv, namespace)
    if STDIN in arguments.specs:
        parser.error("specs must be files here, not standard input")
    if arguments.output == STDOUT:
        parser.error("-o takes a folder here, not '-'")
    _refuse_senseless(parser, arguments)
    return arguments


def _add_arguments_to_write(parser: CommandParser) -> None:
    add = parser.add_argument
    add(
        "--name",
        metavar="NAME",
        help="name of the group instead of that in the spec; '' for none",
    )
    add(
        "--prefix",
        metavar="PREFIX",
        help="prefix of the names of C functions; by default the group's name",
    )
    add(
        "--target",
        metavar="TARGET",
        action="append",
        help=f"one of {', '.join(TARGETS)}, or a folder of --template-dir; may "
        "be repeated; by default python and markdown",
    )
    add(
        "-o",
        dest="output",
        metavar="DIR",
        help="folder to write into, by default the current one",
    )
    add(
        "--depfile", metavar="FILE", help="write the list of inputs, for make and ninja"
    )
    add(
        "--outputs-file",
        metavar="FILE",
        help="write the paths of the outputs, for build systems",
    )
    add(
        "--expect-outputs",
        metavar="FILE",
        nargs="+",
        help="fail, and write nothing, if the outputs are other files than these",
    )
    add(
        "--template-dir",
        metavar="DIR",
        help="templates that override those of passgen: DIR/TARGET/FILE.j2",
    )


def _refuse_senseless(parser: CommandParser, arguments: GenerateArguments) -> None:
    _refuse_names(parser, arguments)
    _refuse_contradictions(parser, arguments)


def _refuse_names(parser: CommandParser, arguments: GenerateArguments) -> None:
    """Exit with a message if the name of a target, a group or a prefix is wrong."""
    from passgen import naming  # noqa: PLC0415 - slow to import; no question needs it

    try:
        chosen_targets(arguments.target or (), arguments.root)
    except TargetError as error:
        parser.error(str(error))
    if arguments.name and not naming.is_group_name(arguments.name):
        parser.error(
            f"--name: found '{arguments.name}', expected a letter, then letters, "
            "digits and underscores, such as 'MyDialect', or '' for none"
        )
    prefix = arguments.prefix
    if prefix is not None and not re.fullmatch(r"\w*", prefix, re.ASCII):
        parser.error("--prefix takes letters, digits and underscores")


def _refuse_contradictions(parser: CommandParser, arguments: GenerateArguments) -> None:
    """Exit with a message if arguments contradict each other."""
    if arguments.name is not None and len(arguments.specs) > 1:
        parser.error("--name takes one spec, as it names one group")
    if arguments.specs.count(STDIN) > 1:
        parser.error("standard input can be read once")
    if arguments.output == STDOUT and arguments.check:
        parser.error("--check compares files, so it cannot be used with '-o -'")
    targets = chosen_targets(arguments.target or (), arguments.root)
    if arguments.output == STDOUT and len(arguments.specs) * len(targets) > 1:
        parser.error(
            "'-o -' prints one output: give one spec, and one --target of one template"
        )
    if arguments.depfile is not None and not arguments.writes:
        parser.error(
            "--depfile lists what written files depend on, but no file is written"
        )
    if arguments.outputs_file is not None and not arguments.writes:
        parser.error("--outputs-file lists the files that are written, but no file is")
    if arguments.expect_outputs is not None and arguments.output == STDOUT:
        parser.error(
            "--expect-outputs checks which files are written, but '-o -' writes none"
        )
