"""The command without a name: specs to the files of their targets."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, TypeVar

from passgen import naming, resources
from passgen.commands import completion
from passgen.commands.outcome import EXIT_FINE, EXIT_WRONG, CommandParser, Outcome
from passgen.commands.table import COMMANDS
from passgen.diagnostics import Diagnostic, Progress, UserError
from passgen.generate import STDOUT, Generated, Options, SpecsError, generate
from passgen.output import (
    FileRemark,
    OutputFile,
    StaleFile,
    compare,
    depfile_text,
    find_remarks,
    tool_inputs,
    write_outputs,
)
from passgen.passgen_rules.suggestions import nearest_name
from passgen.spec import STDIN, UnreadableError
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

    def options(self, folder: Path | None) -> Options:
        """Return the options of `passgen.generate`; `folder` is the current one."""
        return Options(
            targets=tuple(dict.fromkeys(self.target or ())),
            output=self.output,
            name=self.name,
            prefix=self.prefix,
            template_dir=self.template_dir,
            folder=folder,
        )


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
    if arguments.output == "":
        parser.error("-o takes a folder, and its name is empty")


class UnexpectedOutputsError(UserError):
    """The outputs are not those that a build system expects."""


def run(argv: Sequence[str], folder: Path | None) -> Outcome:
    """Generate files from the specs in `argv`; `folder` is the current one."""
    arguments = parse(argv)
    if arguments.version:
        return Outcome(lines=(f"passgen {_version()}",))
    if arguments.completion is not None:
        return completion.script(arguments.completion)
    if arguments.cmake_dir:
        return Outcome(lines=(str(resources.cmake()),))
    if arguments.schema:
        return Outcome(lines=(str(resources.schema()),))
    return generate_outputs(arguments, folder)


def generate_outputs(arguments: GenerateArguments, folder: Path | None) -> Outcome:
    """Generate files from specs; print, compare or write them as `arguments` ask."""
    progress = Progress(sys.stderr, 2 * len(arguments.specs))
    try:
        made = generate(arguments.specs, arguments.options(folder), progress.step)
    except SpecsError as error:
        return Outcome(messages=tuple(_messages(error)), code=EXIT_WRONG)
    finally:
        progress.clear()
    if arguments.output == STDOUT:
        return Outcome(text=made.files[0].text, messages=made.warnings)
    lines = tuple(str(file.path) for file in made.files)
    if arguments.list_outputs:
        return Outcome(lines=lines, messages=made.warnings)
    try:
        remarks, stale = _deliver(arguments, made)
    except UserError as error:
        messages: tuple[Diagnostic | str, ...] = (*made.warnings, str(error))
        return Outcome(messages=messages, code=EXIT_WRONG, inputs=made.inputs)
    if arguments.check:
        return _check_outputs(made, stale, remarks)
    warned = (f"{path}: warning: {text}" for path, text in remarks)
    return Outcome(lines=lines, messages=(*made.warnings, *warned), inputs=made.inputs)


def _messages(error: SpecsError) -> Iterator[Diagnostic | str]:
    for message in error.messages:
        if isinstance(message, UnreadableError):
            yield str(message)
            yield from _command_meant(message.name)
        elif isinstance(message, Diagnostic):
            yield message


def _deliver(
    arguments: GenerateArguments, made: Generated
) -> tuple[list[FileRemark], list[StaleFile]]:
    """Write or compare the outputs; return remarks, and outputs that are stale."""
    if arguments.expect_outputs is not None:
        _expect(made.files, arguments.expect_outputs)
    folder = Path(arguments.output or "")
    spec_folders = {Path(spec).parent for spec in arguments.specs}
    remarks = find_remarks(folder, made.files, spec_folders)
    if arguments.check:
        return remarks, compare(made.files)
    write_outputs(folder, made.files, _about(arguments, made))
    return remarks, []


def _expect(files: Sequence[OutputFile], expected: Sequence[str]) -> None:
    """Raise `UnexpectedOutputsError` unless `expected` are the paths of `files`."""
    wanted = {os.path.realpath(path): path for path in expected}
    made = {os.path.realpath(file.path): file.path for file in files}
    surprises = [
        f"{wanted[path]}: error: is expected, but not written"
        for path in wanted
        if path not in made
    ]
    surprises += [
        f"{made[path]}: error: is written, but not expected"
        for path in made
        if path not in wanted
    ]
    if surprises:
        raise UnexpectedOutputsError("\n".join(surprises))


def _about(arguments: GenerateArguments, made: Generated) -> Iterator[OutputFile]:
    """Yield the files for build systems that `arguments` ask for: list and depfile."""
    paths = [str(file.path) for file in made.files]
    if arguments.outputs_file is not None:
        text = "".join(f"{path}\n" for path in paths)
        yield OutputFile(Path(arguments.outputs_file), text)
    if arguments.depfile is not None:
        outputs_folder = arguments.options(None).layout_folder
        targets = chosen_targets(arguments.target or (), arguments.root)
        inputs = [*made.inputs, *tool_inputs(targets, arguments.root, outputs_folder)]
        yield OutputFile(Path(arguments.depfile), depfile_text(paths, inputs))


def _version() -> str:
    import importlib.metadata  # noqa: PLC0415 - takes a while, and is rarely asked for

    return importlib.metadata.version("mlir-passgen")


def _command_meant(spec: str) -> list[str]:
    """Return a note if `spec`, which is not a file, looks like a mistyped command."""
    meant = nearest_name(spec, COMMANDS)
    return [f"note: did you mean the command 'passgen {meant}'?"] if meant else []


def _check_outputs(
    made: Generated, stale: Sequence[StaleFile], remarks: Sequence[FileRemark]
) -> Outcome:
    """Return the outcome of `--check`."""
    states = {True: "is missing", False: "is out of date"}
    errors = [
        f"{output.file.path}: error: {states[output.is_missing]}; to renew it: "
        f"{output.file.command}"
        for output in stale
    ]
    errors += [f"{path}: error: {text}" for path, text in remarks]
    return Outcome(
        diff="".join(output.diff for output in stale),
        messages=(*made.warnings, *errors),
        code=EXIT_WRONG if errors else EXIT_FINE,
    )
