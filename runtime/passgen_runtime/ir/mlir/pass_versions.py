"""Which versions of LLVM have a pass or an option, where not all of them do.

`make generate` writes `pass_versions.json` from the lists of names in
`specs/known-passes`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

_TABLE: Final = Path(__file__).with_suffix(".json")


@cache
def _versions() -> Mapping[str, Any]:
    found: dict[str, Any] = json.loads(_TABLE.read_bytes())
    return found


def version_dependent_passes() -> Iterable[str]:
    """Return the passes that not all versions have; none may have it."""
    passes: Mapping[str, object] = _versions()["passes"]
    return passes.keys()


def version_dependent_options(argument: str) -> frozenset[str]:
    """Return the options of a pass that not all versions have; none may have it."""
    return frozenset(_versions()["options"].get(argument, ()))


def version_note(argument: str, option: str | None = None) -> str | None:
    """Return which versions of LLVM have a pass, or an option of it, as a sentence.

    Returns:
        `None` if all of them have it, or nothing is known of it.
    """
    versions = _versions()
    if option is None:
        having = versions["passes"].get(argument)
        subject = f"the pass '{argument}'"
    else:
        having = versions["options"].get(argument, {}).get(option)
        subject = f"the option '{option}' of '{argument}'"
    if having is None:
        return None
    lacking = [each for each in versions["versions"] if each not in having]
    if not having:
        return f"{subject} is not LLVM's: only some builds of MLIR have it"
    return f"LLVM {_enumerated(having)} has {subject}, LLVM {_enumerated(lacking)} not"


def _enumerated(versions: Sequence[str]) -> str:
    return " and ".join(versions)
