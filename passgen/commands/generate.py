"""The command without a name: specs to the files of their targets."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from passgen import output, resources
from passgen.checks import needed_groups
from passgen.commands import COMMANDS
from passgen.commands.generate_arguments import STDOUT, Arguments, parse
from passgen.commands.outcome import EXIT_FINE, EXIT_USAGE, EXIT_WRONG, Outcome
from passgen.diagnostics import (
    Diagnostic,
    Progress,
    RenderError,
    SpecError,
    UserError,
    nearest,
)
from passgen.generate import Generated, read, write
from passgen.model import PassGroup
from passgen.output import Orphan, OutputError, OutputFile, StaleFile, depfile, orphans
from passgen.source import SourceFile
from passgen.spec import UnreadableError, spec_parts
from passgen.spec import files as spec_file
from passgen.targets.origin import Origin, origin

_NOT_A_SPEC: Final = """\
expected a spec in YAML, found TableGen
note: passgen import {spec} -o passes.yaml makes a spec of it"""


class TemplateError(UserError):
    """A template of the user's is wrong; the text says which and why."""

    def __init__(self, root: Path, error: RenderError) -> None:
        """Say that a template is wrong where templates of `root` come first."""
        own = root / error.template
        place = str(own) if own.is_file() else error.template
        if error.line is not None:
            place += f":{error.line}"
        super().__init__(
            f"{place}: error: {error.reason}\n"
            f"note: templates are taken from {root} first"
        )


class UnexpectedOutputsError(UserError):
    """The outputs are not those that a build was told to expect."""


class _Made:
    """What the specs became, and what was said about them."""

    def __init__(self) -> None:
        self.specs: list[tuple[Origin, Generated]] = []
        self.messages: list[Diagnostic | str] = []
        self.is_wrong = False


def run(argv: Sequence[str], folder: Path | None) -> Outcome:
    """Write what the specs in `argv` become; `folder` is the current one."""
    arguments = parse(argv)
    if arguments.version:
        return Outcome(lines=(f"passgen {_version()}",))
    if arguments.cmake_dir:
        return Outcome(lines=(str(resources.cmake()),))
    if arguments.schema:
        return Outcome(lines=(str(resources.schema()),))
    made = _generate_all(arguments, folder)
    if made.is_wrong:
        return Outcome(messages=tuple(made.messages), code=EXIT_WRONG)
    outcome = _deliver(arguments, made.specs)
    return replace(
        outcome,
        messages=(*made.messages, *outcome.messages),
        inputs=tuple(_specs_read(made.specs)),
    )


def _deliver(arguments: Arguments, made: Sequence[tuple[Origin, Generated]]) -> Outcome:
    """Print, compare or write the outputs, as the arguments ask, and seek orphans."""
    if arguments.output == STDOUT:
        return Outcome(text=made[0][1].files[0].text)
    folder = Path(arguments.output or "")
    files, clash = _output_files(made, folder)
    if clash:
        return Outcome(messages=(clash,), code=EXIT_USAGE)
    lines = tuple(str(file.path) for file in files)
    if arguments.list_outputs:
        return Outcome(lines=lines)
    try:
        if arguments.expect_outputs is not None:
            _expect(files, arguments.expect_outputs)
        if not arguments.check:
            output.write([*files, *_about(arguments, files, _specs_read(made))])
            orphans.remember(folder, files)
        stale = output.compare(files) if arguments.check else []
    except (OutputError, UnexpectedOutputsError) as error:
        return Outcome(messages=(str(error),), code=EXIT_WRONG)
    orphaned = orphans.find(
        folder,
        [file.path for file in files],
        {place.spec: place.command for place, _ in made},
        {Path(spec).parent for spec in arguments.specs},
    )
    if arguments.check:
        return _checked(stale, orphaned)
    messages = tuple(f"{each.path}: warning: {each}" for each in orphaned)
    return Outcome(lines=lines, messages=messages)


def _expect(files: Sequence[OutputFile], expected: Sequence[str]) -> None:
    """Raise `UnexpectedOutputsError` unless `expected` are the paths of `files`."""
    told = {os.path.realpath(path): path for path in expected}
    made = {os.path.realpath(file.path): file.path for file in files}
    surprises = [
        f"{told[path]}: error: is expected, and not written"
        for path in told
        if path not in made
    ]
    surprises += [
        f"{made[path]}: error: is written, and not expected"
        for path in made
        if path not in told
    ]
    if surprises:
        raise UnexpectedOutputsError("\n".join(surprises))


def _about(
    arguments: Arguments, files: Sequence[OutputFile], specs: Sequence[str]
) -> Iterator[OutputFile]:
    """Yield the files about `files` that were asked for, which build systems read."""
    if arguments.outputs_file is not None:
        text = "".join(f"{file.path}\n" for file in files)
        yield OutputFile(Path(arguments.outputs_file), text)
    if arguments.depfile is not None:
        inputs = [
            *specs,
            *depfile.tool_inputs(arguments.targets(), arguments.root, arguments.folder),
        ]
        text = depfile.text([str(file.path) for file in files], inputs)
        yield OutputFile(Path(arguments.depfile), text)


def _specs_read(made: Sequence[tuple[Origin, Generated]]) -> list[str]:
    """Return the files that were read, each spec and then what it includes."""
    groups = [generated.group for _, generated in made]
    return [
        name
        for group in groups
        for name in (group.location.source.name, *group.included)
        if name != "<stdin>"
    ]


def _version() -> str:
    import importlib.metadata  # noqa: PLC0415 - takes a while, and is rarely asked for

    return importlib.metadata.version("mlir-passgen")


def _generate_all(arguments: Arguments, folder: Path | None) -> _Made:
    made = _Made()
    progress = Progress(sys.stderr, 2 * len(arguments.specs))
    groups: dict[str, PassGroup] = {}
    unread: dict[str, SpecError | UnreadableError] = {}
    for spec in arguments.specs:
        progress.step(spec)
        try:
            groups[spec] = read(_text(spec), arguments.name, arguments.prefix)
        except (SpecError, UnreadableError) as error:
            unread[spec] = error
    wrong = spec_parts.mistakes(unread, groups.values())
    parts = unread.keys() - wrong.keys()
    for spec in arguments.specs:
        progress.step(spec)
        if spec in parts:
            continue
        try:
            if spec in wrong:
                raise wrong[spec]
            # What the passes of an unread spec are called is not known.
            place, generated = _generate(
                arguments, folder, spec, groups, may_name=not wrong
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


def _text(spec: str) -> SourceFile:
    if spec.endswith(".td"):
        raise UnreadableError(spec, _NOT_A_SPEC.format(spec=spec))
    return spec_file.read(spec)


def _generate(
    arguments: Arguments,
    folder: Path | None,
    spec: str,
    groups: Mapping[str, PassGroup],
    *,
    may_name: bool,
) -> tuple[Origin, Generated]:
    """Return what `spec` becomes; `may_name`: whether it may name passes of others."""
    others = {each: group for each, group in groups.items() if each != spec}
    needed = needed_groups(groups[spec], list(others.values()))
    place = origin(
        spec,
        folder,
        name=arguments.name,
        prefix=arguments.prefix,
        targets=list(dict.fromkeys(arguments.target or ())),
        output=arguments.output,
        template_dir=arguments.template_dir,
        others=[each for each, group in others.items() if group in needed],
    )
    beside = list(others.values()) if may_name else None
    # With names that nobody could judge, nothing can be written either.
    targets = arguments.targets() if may_name else []
    try:
        made = write(
            groups[spec], targets, place, beside, arguments.root, arguments.folder
        )
    except RenderError as error:
        if arguments.root is None:
            raise
        raise TemplateError(arguments.root, error) from error
    return place, made


def _command_meant(spec: str) -> list[str]:
    """Return a note if `spec`, which is no file, looks like a mistyped command."""
    meant = nearest(spec, COMMANDS)
    return [f"note: did you mean the command 'passgen {meant}'?"] if meant else []


def _output_files(
    made: Sequence[tuple[Origin, Generated]], folder: Path
) -> tuple[list[OutputFile], str]:
    """Return the files to write, and a message if two outputs share one."""
    files: dict[Path, OutputFile] = {}
    for place, generated in made:
        for file in generated.files:
            path = folder / file.name
            if path in files:
                other = files[path].spec
                clash = (
                    f"two of its targets write {path}"
                    if other == place.spec
                    else f"its output {path} is that of {other} too"
                )
                return [], f"{place.spec}: error: {clash}"
            files[path] = OutputFile(path, file.text, place.command, place.spec)
    return list(files.values()), ""


def _checked(stale: Sequence[StaleFile], orphaned: Sequence[Orphan]) -> Outcome:
    """Return what `--check` says of outputs as they are."""
    messages: list[str] = []
    for each in stale:
        state = "is missing" if each.is_missing else "is out of date"
        messages.append(
            f"{each.file.path}: error: {state}; to renew it: {each.file.command}"
        )
    messages += [f"{each.path}: error: {each}" for each in orphaned]
    return Outcome(
        text="".join(each.diff for each in stale),
        messages=tuple(messages),
        code=EXIT_WRONG if messages else EXIT_FINE,
    )
