"""Spec files as users name them, the groups that they declare, and parts of specs.

    common.yaml     sharedOptions: {tiling: &tiling [...]}
    loops.yaml      include: [common.yaml]

Both may match a pattern such as `specs/*.yaml`. A part is skipped if another of the
given files includes it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from typing import TypeVar

from passgen.diagnostics import SpecError, UserError
from passgen.model import PassGroup
from passgen.source import (
    STDIN,
    SourceFile,
    read_file,
    read_regular_file,
    read_stream,
)
from passgen.spec import located, resolve, schema
from passgen.spec.includes import Reader
from passgen.spec.loader import decode, load
from passgen.spec.schema import PartError

_Name = TypeVar("_Name")
_Error = TypeVar("_Error", bound=SpecError | UserError)


class UnreadableError(UserError):
    """A file cannot be read."""

    def __init__(self, name: str, error: Exception | str) -> None:
        """Report that `name` cannot be read, for the reason in `error`."""
        self.name = name
        if isinstance(error, OSError):
            error = error.strerror or "it cannot be read"
        reason = str(error)
        super().__init__(f"{name}: error: {reason[:1].lower()}{reason[1:]}")


def read_source(spec: str) -> SourceFile:
    """Return the text of the file at `spec`, or of standard input.

    Raises:
        UnreadableError: it cannot be read, or is too large.
        SpecError: it is not UTF-8.
    """
    if not spec:  # Path takes it for the current folder
        raise UnreadableError("''", "found an empty name, expected a file")
    name = "<stdin>" if spec == STDIN else spec
    try:
        data = read_stream(sys.stdin.buffer, name) if spec == STDIN else read_file(spec)
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL
        raise UnreadableError(name, error) from error
    except AttributeError as error:  # there is no standard input
        raise UnreadableError(name, "it is closed") from error
    return decode(name, data)


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
    return read_data(load(source, reader), name, prefix)


def read_data(
    data: located.Mapping, name: str | None = None, prefix: str | None = None
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


def mistakes(
    errors: Mapping[_Name, _Error], groups: Iterable[PassGroup]
) -> dict[_Name, _Error]:
    """Return `errors` without those of parts that a given spec includes.

    Args:
        errors: the errors of the given files without a group, by file.
        groups: the groups of the other given files.
    """
    paths = {
        name: os.path.realpath(error.path)
        for name, error in errors.items()
        if isinstance(error, PartError)
    }
    if len(paths) < len(errors):  # the includes of a wrong spec are not known
        return {name: errors[name] for name in errors if name not in paths}
    included = {os.path.realpath(name) for group in groups for name in group.included}
    return {name: errors[name] for name in paths if paths[name] not in included}
