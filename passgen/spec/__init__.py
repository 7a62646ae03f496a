"""Spec files: parsed, validated, resolved to the model, formatted and written."""

from __future__ import annotations

from passgen.model import PassGroup
from passgen.source import SourceFile, read_regular_file
from passgen.spec import loader, resolve, schema
from passgen.spec.files import STDIN, UnreadableError, mistakes, read_source
from passgen.spec.format import layout
from passgen.spec.includes import Reader
from passgen.spec.loader import decode
from passgen.spec.located import (
    Entry,
    Mapping,
    Node,
    Scalar,
    Sequence,
    shortened,
    text_at,
)
from passgen.spec.schema import PartError
from passgen.spec.writer import Alias, Data, Note, Shared, write, yaml_scalar
from passgen.spec.yaml_scalars import MAX_NUMBER_LENGTH, scalar_value

__all__ = [
    "MAX_NUMBER_LENGTH",
    "STDIN",
    "Alias",
    "Data",
    "Entry",
    "Mapping",
    "Node",
    "Note",
    "PartError",
    "Reader",
    "Scalar",
    "Sequence",
    "Shared",
    "UnreadableError",
    "decode",
    "layout",
    "mistakes",
    "read",
    "read_data",
    "read_source",
    "scalar_value",
    "shortened",
    "text_at",
    "write",
    "yaml_scalar",
]


def read(
    source: SourceFile,
    name: str | None = None,
    prefix: str | None = None,
    reader: Reader = read_regular_file,
) -> PassGroup:
    """Return the group that the spec in `source` declares, without `checks`.

    Args:
        source: the spec.
        name: overrides the name of the group in the spec or of its file.
        prefix: overrides the prefix of C functions in the spec.
        reader: reads the files that the spec includes.

    Raises:
        SpecError: the spec is invalid; all errors of the first phase with errors.
    """
    return read_data(loader.load(source, reader), name, prefix)


def read_data(
    data: Mapping, name: str | None = None, prefix: str | None = None
) -> PassGroup:
    """Return the group that `data` declares, without `checks`.

    Args:
        data: the entries of a spec.
        name: as for `read`.
        prefix: as for `read`.

    Raises:
        SpecError: as for `read`.
    """
    schema.validate(data)
    return resolve.resolve(data, name, prefix)
