"""The whole pipeline: the text of a spec in, the texts of its outputs out.

generated = generate(source, [TARGETS["python"]], origin)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from passgen import checks
from passgen.diagnostics import Diagnostic
from passgen.model import PassGroup
from passgen.render import laid_out, render
from passgen.source import SourceFile, read_file
from passgen.spec import Reader, loader, resolve, schema
from passgen.targets import Target
from passgen.targets.origin import Origin


@dataclass(frozen=True)
class Analyzed:
    """What a spec says, and what there is to warn of."""

    group: PassGroup
    warnings: tuple[Diagnostic, ...]


def analyze(
    source: SourceFile,
    name: str | None = None,
    prefix: str | None = None,
    reader: Reader = read_file,
) -> Analyzed:
    """Return what the spec in `source` says, its pipelines unjudged.

    These may name passes of specs that are not at hand.

    Args:
        source: the spec.
        name: the group's name, rather than what the spec or its file says.
        prefix: what names of C functions begin with, rather than what the spec says.
        reader: reads what the spec includes.

    Raises:
        SpecError: the spec is wrong; all that the first phase to refuse it found.
    """
    group = read(source, name, prefix, reader)
    return Analyzed(group, checks.check(group, others=None))


def read(
    source: SourceFile,
    name: str | None = None,
    prefix: str | None = None,
    reader: Reader = read_file,
) -> PassGroup:
    """Return what the spec in `source` says, unchecked.

    Args:
        source: the spec.
        name: as for `analyze`.
        prefix: as for `analyze`.
        reader: reads what the spec includes.

    Raises:
        SpecError: as for `analyze`.
    """
    data = loader.load(source, reader)
    schema.validate(data)
    return resolve.resolve(data, name, prefix)


@dataclass(frozen=True)
class GeneratedFile:
    """The text of one output and the name of its file."""

    name: str
    text: str


@dataclass(frozen=True)
class Generated:
    """What a spec became."""

    group: PassGroup
    files: tuple[GeneratedFile, ...]
    """One a target, in the order asked for."""

    warnings: tuple[Diagnostic, ...]


def generate(  # noqa: PLR0913, PLR0917 - one for each argument of the command line
    source: SourceFile,
    targets: Sequence[Target],
    origin: Origin,
    name: str | None = None,
    prefix: str | None = None,
    folder: Path | None = None,
) -> Generated:
    """Return what the spec in `source` becomes.

    Args:
        source: the spec.
        targets: what to make of it.
        origin: what the first line of each output says.
        name: the group's name, rather than what the spec or its file says.
        prefix: what names of C functions begin with, rather than what the spec says.
        folder: where the outputs will lie; see `render.laid_out`.

    Raises:
        SpecError: the spec is wrong; all that the first phase to refuse it found.
        RenderError: a template is wrong.
        SettingsError: the settings of the project around `folder` are wrong.
    """
    return write(read(source, name, prefix), targets, origin, folder=folder)


def write(  # noqa: PLR0913, PLR0917 - as above
    group: PassGroup,
    targets: Sequence[Target],
    origin: Origin,
    others: Sequence[PassGroup] | None = (),
    template_dir: Path | None = None,
    folder: Path | None = None,
) -> Generated:
    """Return what `group` becomes.

    Args:
        group: what a spec declares.
        targets: what to make of it.
        origin: what the first line of each output says.
        others: the groups whose passes it may name; `None`: see `checks.check`.
        template_dir: templates that come before those that ship with passgen.
        folder: where the outputs will lie; see `render.laid_out`.

    Raises:
        SpecError: a rule is broken.
        RenderError: a template is wrong.
        SettingsError: the settings of the project around `folder` are wrong.
    """
    warnings = checks.check(group, others)
    files = []
    for target in targets:
        text = render(target.template, target.values(group, origin), template_dir)
        name = target.file_name(group)
        files.append(GeneratedFile(name, laid_out(name, text, folder)))
    return Generated(group, tuple(files), warnings)
