"""The command without a name: specs to the files of their targets."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from passgen.commands.generate_arguments import GenerateArguments
from passgen.commands.outcome import EXIT_FINE, EXIT_WRONG, Outcome
from passgen.commands.table import COMMANDS
from passgen.diagnostics import Diagnostic, Progress, UserError
from passgen.generation import Generated, Options, SpecsError, generate
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
from passgen.source import STDOUT
from passgen.spec import UnreadableError
from passgen.targets import chosen_targets


def options_of(arguments: GenerateArguments, folder: Path | None) -> Options:
    """Return the options of `passgen.generate`.

    Args:
        arguments: those of the command.
        folder: the current folder.
    """
    return Options(
        targets=tuple(dict.fromkeys(arguments.target or ())),
        output=arguments.output,
        name=arguments.name,
        prefix=arguments.prefix,
        template_dir=arguments.template_dir,
        folder=folder,
    )


class UnexpectedOutputsError(UserError):
    """The outputs are not those that a build system expects."""


def generate_outputs(arguments: GenerateArguments, folder: Path | None) -> Outcome:
    """Generate files from specs; print, compare or write them as `arguments` ask."""
    progress = Progress(sys.stderr, 2 * len(arguments.specs))
    try:
        made = generate(arguments.specs, options_of(arguments, folder), progress.step)
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
        outputs_folder = options_of(arguments, None).layout_folder
        targets = chosen_targets(arguments.target or (), arguments.root)
        inputs = [*made.inputs, *tool_inputs(targets, arguments.root, outputs_folder)]
        yield OutputFile(Path(arguments.depfile), depfile_text(paths, inputs))


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
