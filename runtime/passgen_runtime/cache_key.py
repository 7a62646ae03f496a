"""Keys under which a program may cache the results of a pipeline."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterable, Iterator
from hashlib import sha256
from importlib import import_module
from importlib.metadata import distributions
from pathlib import Path

from passgen_runtime.errors import PassError
from passgen_runtime.operation_pass import Pass, owned_sequences


def cache_key(text: str, passes: Iterable[Pass], packages: Iterable[str]) -> str:
    """Return a digest of `text`, options, sources of packages, and all versions.

    Raises:
        PassError: a pass reaches beyond the IR, or is in no file.
    """
    parts, waiting = [text, platform.python_version()], [*passes]
    names = {"passgen_runtime", *packages}
    for pass_ in waiting:  # grows
        if reason := pass_.reaches_outside():
            subject = f"pass '{pass_.argument or pass_.name}'"
            raise PassError(f"results of {subject} cannot be cached: {reason}")
        for owned in owned_sequences(pass_):
            waiting += owned.passes()
        parts.append(repr(pass_.options))
        names |= {cls.__module__.partition(".")[0] for cls in type(pass_).__mro__}
    metadata = (found.metadata for found in distributions())
    parts += sorted(f"{found['Name']} {found['Version']}" for found in metadata)
    for name in sorted(names - sys.stdlib_module_names):
        parts += _digests(name)
    return sha256("\0".join(parts).encode()).hexdigest()


def _digests(name: str) -> Iterator[str]:
    module = import_module(name)
    for place in getattr(module, "__path__", None) or [getattr(module, "__file__", "")]:
        if not place:
            raise PassError(f"results cannot be cached: '{name}' is in no file")
        for path in sorted(Path(place).rglob("*.py")) or [Path(place)]:
            yield sha256(path.read_bytes()).hexdigest()
