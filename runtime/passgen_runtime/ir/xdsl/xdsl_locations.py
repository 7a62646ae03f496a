"""Places in files that a location of xDSL names, found as MLIR's diagnostics do."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    NameLoc,
)
from xdsl.ir import Attribute

MAX_CALLERS = 10
"""How many callers MLIR shows below a diagnostic."""


def place_in_file(location: Attribute) -> str | None:
    """Return `file:line:col`, the first position in `location`, if it has any."""
    if isinstance(location, FileLineColLoc):
        file, line = location.filename.data, location.line.data
        return f"{file}:{line}:{location.column.data}"
    return next(filter(None, map(place_in_file, parts_of(location))), None)


def callers_of(location: Attribute) -> tuple[str, ...]:
    """Return from where the code at `location` was called, innermost call first."""
    callers: list[str] = []
    call = _call_site(location)
    while call is not None and len(callers) < MAX_CALLERS:
        place = place_in_file(call.caller)
        if place is not None:
            callers.append(place)
        call = _call_site(call.caller)
    return tuple(callers)


def name_in(location: Attribute) -> str | None:
    """Return the first name in `location`, if it has any."""
    if isinstance(location, NameLoc):
        return location.desc.data
    return next(filter(None, map(name_in, parts_of(location))), None)


def parts_of(location: Attribute) -> Iterable[Attribute]:
    """Return the locations that `location` is made of."""
    if isinstance(location, CallSiteLoc):
        return (location.callee, location.caller)
    if isinstance(location, NameLoc):
        return (location.location,)
    if isinstance(location, FusedLoc) and isinstance(location.locations, ArrayAttr):
        return location.locations
    return ()


def _call_site(location: Attribute) -> CallSiteLoc | None:
    if isinstance(location, CallSiteLoc):
        return location
    return next(filter(None, map(_call_site, parts_of(location))), None)
