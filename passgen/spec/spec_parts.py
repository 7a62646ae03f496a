"""Parts of specs: files that declare nothing, and are there for others to include.

    common.yaml     sharedOptions: {tiling: &tiling [...]}
    loops.yaml      include: [common.yaml]

Both may match what a command is given, such as `specs/*.yaml`: a part is passed over
where another file includes it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TypeVar

from passgen.diagnostics import SpecError, UserError
from passgen.model import PassGroup
from passgen.spec.schema import PartError

_Name = TypeVar("_Name")
_Error = TypeVar("_Error", bound=SpecError | UserError)


def mistakes(
    errors: Mapping[_Name, _Error], groups: Iterable[PassGroup]
) -> dict[_Name, _Error]:
    """Return those of `errors` that are no parts of others.

    Args:
        errors: why files that were given have no group, by their names.
        groups: those of the other files.
    """
    paths = {
        name: os.path.realpath(error.path)
        for name, error in errors.items()
        if isinstance(error, PartError)
    }
    if len(paths) < len(errors):  # what a wrong spec includes is not known
        return {name: errors[name] for name in errors if name not in paths}
    included = {os.path.realpath(name) for group in groups for name in group.included}
    return {name: errors[name] for name in paths if paths[name] not in included}
