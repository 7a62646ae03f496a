r"""Depfiles: the inputs of outputs, in the format of make and ninja.

    depfile_text(["gen/affine_passes.py"], ["specs/affine.yaml"]) ==
        "gen/affine_passes.py: \\\n  specs/affine.yaml\nspecs/affine.yaml:\n"

The inputs of a spec are the spec, the files that it includes, the schema and the
templates, in this order, each once.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from passgen import resources
from passgen.diagnostics import UserError
from passgen.render import is_python, settings_file
from passgen.targets import Target

_UNREADABLE: Final = re.compile(
    r"[\x00-\x1f\x7f\"&'*;<=>?\[^`|]|\\[#$:]|^~|[:\\]$|\(.*\)$", re.DOTALL
)
"""What no escape lets both make and ninja, from version 1.11 on, read in a name."""

_SPECIAL: Final = re.compile(r"(\\*)([ #]|(?<!^[A-Za-z]):|:(?![\\/]))")


class DepfileError(UserError):
    """A file has a name that make and ninja cannot both read."""


def depfile_text(outputs: Sequence[str], inputs: Iterable[str]) -> str:
    """Return a rule that makes `outputs` depend on `inputs`, at least one.

    Empty rules follow, as with gcc's `-MP`: if an input is gone, such as a template of
    an earlier passgen, make renews the outputs and does not stop.

    Raises:
        DepfileError: a name means something else to make or ninja.
    """
    left = " ".join(_escaped_target(output) for output in outputs)
    right = [_escape(input_) for input_ in dict.fromkeys(inputs)]
    rules = [f"{left}: \\\n  " + " \\\n  ".join(right)]
    rules += [f"{path}:" for path in right if "%" not in path]  # or it is a pattern
    return "\n".join(rules) + "\n"


def tool_inputs(
    targets: Sequence[Target], template_dir: Path | None, folder: Path | None
) -> Iterator[str]:
    """Yield the inputs of `targets` other than specs.

    A user's template may include any file of `template_dir` and any template of
    passgen. Python in `folder` also depends on the settings of the project around it.
    """
    yield str(resources.schema())
    if folder and any(is_python(target.file_suffix) for target in targets):
        settings = settings_file(folder)
        if settings:
            yield str(settings)
    shipped = resources.templates()
    if template_dir is not None:
        yield from sorted(_files(template_dir))
        yield from sorted(str(template) for template in shipped.rglob("*.j2"))
        return
    for target in targets:
        folder = (shipped / target.template).parent
        yield from sorted(str(template) for template in folder.glob("*.j2"))


def _files(root: Path) -> Iterator[str]:
    for folder, _, names in os.walk(root, followlinks=True):
        paths = (Path(folder, name) for name in names)
        yield from (str(path) for path in paths if path.is_file())


def _escape(path: str) -> str:
    r"""Return `path` as make and ninja read it: `\ ` for a space, `\#`, `\:`, `$$`.

    The colon of a drive stays.
    """
    _refuse(path, _UNREADABLE.search(path))
    return _SPECIAL.sub(r"\1\1\\\2", path).replace("$", "$$")


def _escaped_target(path: str) -> str:
    """Return `path` as `_escaped` does; before a colon make takes `%` for a pattern."""
    _refuse(path, re.search("%", path))
    return _escape(path)


def _refuse(path: str, found: re.Match[str] | None) -> None:
    if found:
        message = f"found '{found[0]}', which make and ninja cannot both read in a name"
        # The text after a line end would look like another message.
        raise DepfileError(f"--depfile: error: {path}: {message}".replace("\n", r"\n"))
