"""The text of a spec to its model: the phases before the targets, in order.

analyzed = analyze(source)
"""

from __future__ import annotations

from dataclasses import dataclass

from passgen import checks, loader, resolve, schema
from passgen.diagnostics import Diagnostic
from passgen.model import PassGroup
from passgen.source import SourceFile


@dataclass(frozen=True, slots=True)
class Analyzed:
    """What a spec says, and what there is to warn of."""

    group: PassGroup
    warnings: tuple[Diagnostic, ...]


def analyze(
    source: SourceFile, name: str | None = None, prefix: str | None = None
) -> Analyzed:
    """Return what the spec in `source` says.

    Args:
        source: the spec.
        name: the group's name, rather than what the spec or its file says.
        prefix: what names of C functions begin with, rather than what the spec says.

    Raises:
        SpecError: the spec is wrong; all that the first phase to refuse it found.
    """
    data = loader.load(source)
    schema.validate(data)
    group = resolve.resolve(data, name, prefix)
    return Analyzed(group, checks.check(group))
