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
from passgen.render import is_python, settings_file
from passgen.targets import Target

_SPECIAL: Final = re.compile(r"(\\*)([ #]|(?<!^[A-Za-z]):|:(?![\\/]))")


def depfile_text(outputs: Sequence[str], inputs: Iterable[str]) -> str:
    """Return a rule that makes `outputs` depend on `inputs`, at least one.

    Empty rules follow, as with gcc's `-MP`: if an input is gone, such as a template of
    an earlier passgen, make renews the outputs and does not stop.
    """
    left = " ".join(_escaped(each) for each in outputs)
    right = [_escaped(each) for each in dict.fromkeys(inputs)]
    rules = [f"{left}: \\\n  " + " \\\n  ".join(right)]
    rules += [f"{each}:" for each in right]
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
        yield from sorted(str(each) for each in shipped.rglob("*.j2"))
        return
    for target in targets:
        folder = (shipped / target.template).parent
        yield from sorted(str(each) for each in folder.glob("*.j2"))


def _files(root: Path) -> Iterator[str]:
    for folder, _, names in os.walk(root, followlinks=True):
        paths = (Path(folder, name) for name in names)
        yield from (str(path) for path in paths if path.is_file())


def _escaped(path: str) -> str:
    r"""Return `path` as make and ninja read it: `\ ` for a space, `\#`, `\:`, `$$`.

    The colon of a drive stays. As in gcc, other special characters are not escaped.
    """
    return _SPECIAL.sub(r"\1\1\\\2", path).replace("$", "$$")
