"""The text of a spec to its model: the phases before the targets, in order.

analyzed = analyze(source)
"""

from __future__ import annotations

from dataclasses import dataclass

from passgen import bounded_input, checks, loader, resolve, schema
from passgen.diagnostics import Diagnostic
from passgen.spec.includes import Reader
from passgen.model.group import PassGroup
from passgen.source import SourceFile


@dataclass(frozen=True)
class Analyzed:
    """What a spec says, and what there is to warn of."""

    group: PassGroup
    warnings: tuple[Diagnostic, ...]


def analyze(
    source: SourceFile,
    name: str | None = None,
    prefix: str | None = None,
    reader: Reader = bounded_input.read_file,
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
    reader: Reader = bounded_input.read_file,
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
