"""Stamps: whether a call of passgen has nothing to do, told before YAML is imported.

After a call that wrote its outputs, a stamp says what it read and what there is now, by
hashes. The next call with the same arguments in the same folder compares, and is done
if all is as it was: same specs and templates, same outputs, same passgen. Stamps lie in
the user's cache, never beside the outputs; without one, or with one that cannot be
read, passgen does its work.

This module is imported by each call, so it imports little.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from passgen import user_cache

MAX_STAMPS: Final = 512
"""The oldest go when there are more: each belongs to a call in a folder."""


OUTPUT_MARK: Final = "_passes."
"""In the names of nearly all outputs, and of few other files."""


class Finished(NamedTuple):
    """What a call printed that wrote its outputs."""

    lines: tuple[str, ...]
    """The paths of its outputs."""

    messages: tuple[str, ...]
    """Warnings."""


class Call(NamedTuple):
    """A call of `passgen`."""

    argv: Sequence[str]
    folder: Path | None
    """The current one; `None` where there is none."""

    began_ns: int
    """By `time.time_ns`."""


class Templates(NamedTuple):
    """The user's own templates, as they were before any was read."""

    folders: tuple[str, ...]
    """Those whose files count, with what is yet to come."""

    listing: str | None
    """`None`: they cannot be listed."""


class Neighbors(NamedTuple):
    """What other calls left beside the outputs, by which orphans are told."""

    folder: str
    """Of the outputs."""

    names: Sequence[str]
    """Of files there that have the mark of outputs; see `marked`."""

    manifest: str
    """A path, whether there is a file or not."""

    specs: Sequence[str]
    """Those that are there; the outputs of one that goes become orphans."""


class Basis(NamedTuple):
    """What a call went by, beside its arguments and passgen itself."""

    inputs: Sequence[str]
    """Paths of specs and what they include."""

    own: Templates
    """As they were before the work: one that changed since may have been read first."""

    neighbors: Neighbors
    """There are no orphans among them."""


def marked(names: Iterable[str]) -> list[str]:
    """Return those of `names` that have the mark of outputs, in order."""
    return sorted(name for name in names if OUTPUT_MARK in name)


def templates(folder: str | None) -> Templates:
    """Return the templates in `folder`, if one is given, as they are now."""
    folders = (folder,) if folder else ()
    try:
        return Templates(folders, user_cache.listing(folders))
    except OSError:
        return Templates(folders, None)


def up_to_date(call: Call) -> Finished | None:
    """Return what `call` printed when it was done last, if nothing has changed."""
    path = _stamp_path(call)
    if path is None:
        return None
    try:
        tool = user_cache.tool()  # before the work, whose stamp is to tell of this one
        stamp: dict[str, Any] = json.loads(path.read_bytes())
        is_same = stamp["tool"] == tool and all(
            _digest(name) == digest for name, digest in stamp["files"].items()
        )
        finished = Finished(tuple(stamp["lines"]), tuple(stamp["messages"]))
        is_same = (
            is_same
            and stamp["templates"] == user_cache.listing(stamp["folders"])
            and _are_same(Neighbors(*stamp["neighbors"]), stamp["manifest"])
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return finished if is_same else None


def save(
    call: Call, finished: Finished, basis: Basis, more_outputs: Sequence[str]
) -> None:
    """Leave a stamp of `call`, if that can be done.

    Args:
        call: what was done; paths are meant in its folder.
        finished: what is printed; its lines are the outputs.
        basis: what was read and looked at.
        more_outputs: files that were written and are not named in `finished`.
    """
    inputs, own, neighbors = basis
    path = _stamp_path(call)
    if path is None or own.listing is None:
        return
    with contextlib.suppress(OSError, ValueError):
        if any(Path(name).stat().st_mtime_ns >= call.began_ns for name in inputs):
            return  # it may have changed after it was read
        stamp = {
            **finished._asdict(),
            "tool": user_cache.tool(),
            "files": {
                name: _digest(name)
                for name in (*inputs, *finished.lines, *more_outputs)
            },
            "folders": own.folders,
            "templates": own.listing,
            "neighbors": neighbors,
            "manifest": _digest_if_any(neighbors.manifest),
        }
        _drop_oldest(path.parent)
        user_cache.keep(path, json.dumps(stamp).encode())


def _stamp_path(call: Call) -> Path | None:
    cache = user_cache.folder()
    if cache is None or call.folder is None or not call.argv:
        return None
    key = json.dumps([str(call.folder), *call.argv])
    name = user_cache.digest(os.fsencode(key))
    return cache / f"{name}.json"


def _digest(name: str) -> str:
    """Return a digest of the regular file `name`; a pipe would be emptied, or block."""
    if not Path(name).is_file():
        raise FileNotFoundError(name)
    return user_cache.digest(Path(name).read_bytes())


def _digest_if_any(name: str) -> str:
    try:
        return _digest(name)
    except FileNotFoundError:
        return ""


def _are_same(neighbors: Neighbors, manifest: str) -> bool:
    """Return whether `neighbors` are as they were; `manifest`: its digest then."""
    return (
        marked(each.name for each in Path(neighbors.folder).iterdir())
        == neighbors.names
        and _digest_if_any(neighbors.manifest) == manifest
        and all(Path(spec).exists() for spec in neighbors.specs)
    )


def _drop_oldest(folder: Path) -> None:
    stamps = list(folder.glob("*.json"))
    if len(stamps) <= MAX_STAMPS:
        return
    stamps.sort(key=lambda each: each.stat().st_mtime)
    for stamp in stamps[:-MAX_STAMPS]:
        stamp.unlink(missing_ok=True)
