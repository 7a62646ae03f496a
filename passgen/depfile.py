r"""Depfiles: what outputs were made of, as make and ninja read it.

    text(["gen/affine_passes.py"], ["specs/affine.yaml"]) ==
        "gen/affine_passes.py: \\\n  specs/affine.yaml\nspecs/affine.yaml:\n"

Comes after the targets, beside `output`. The spec comes first among its inputs, then
what it includes, then schema and templates, each once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from passgen import resources
from passgen.lazy_pattern import lazy_pattern
from passgen.targets import Target

_SPECIAL: Final = lazy_pattern(r"(\\*)([ #]|(?<!^[A-Za-z]):|:(?![\\/]))")


def text(outputs: Sequence[str], inputs: Iterable[str]) -> str:
    """Return a rule that makes `outputs` depend on `inputs`, at least one.

    Rules that make nothing follow, as of gcc's `-MP`: an input that is gone, such as a
    template of an earlier passgen, has its outputs made anew and does not stop make.
    """
    left = " ".join(_escaped(each) for each in outputs)
    right = [_escaped(each) for each in dict.fromkeys(inputs)]
    rules = [f"{left}: \\\n  " + " \\\n  ".join(right)]
    rules += [f"{each}:" for each in right]
    return "\n".join(rules) + "\n"


def tool_inputs(targets: Iterable[Target], template_dir: Path | None) -> Iterator[str]:
    """Yield the files of passgen, and of its user, that outputs of `targets` are of."""
    yield str(resources.schema())
    roots = [template_dir, resources.templates()] if template_dir else None
    for target in targets:
        for root in roots or [resources.templates()]:
            folder = (root / target.template).parent
            yield from sorted(str(each) for each in folder.glob("*.j2"))


def _escaped(path: str) -> str:
    r"""Return `path` as make and ninja read it: `\ ` for a space, `\#`, `\:`, `$$`.

    The colon of a drive stays; all else that means something to make, gcc leaves too.
    """
    return _SPECIAL.sub(r"\1\1\\\2", path).replace("$", "$$")
