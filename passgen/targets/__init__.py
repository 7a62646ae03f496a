"""The targets: what passgen writes, as a table.

A target is data: its template, the name of its output, and the function that turns the
model into what the template needs. Its text is in `templates/`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from passgen import naming
from passgen.model import PassGroup
from passgen.targets import capi, cpp, markdown, mlir_markdown, python, tablegen
from passgen.targets.origin import Origin


@dataclass(frozen=True, slots=True)
class Target:
    """One kind of output."""

    name: str
    """What `--target` takes."""

    template: str
    """Path below the templates' folder."""

    file_suffix: str
    """What follows the group's name in the name of the output."""

    values: Callable[[PassGroup, Origin], dict[str, object]]
    """Returns what the template may name."""

    def file_name(self, group: PassGroup) -> str:
        """Return the name of the output: `affine_passes.py` of the group `Affine`."""
        return naming.snake_case(group.name) + self.file_suffix


TARGETS: Final[dict[str, Target]] = {
    target.name: target
    for target in (
        Target("python", "python/passes.py.j2", "_passes.py", python.values),
        Target("markdown", "markdown/passes.md.j2", "_passes.md", markdown.values),
        Target("cpp", "cpp/passes.h.inc.j2", "_passes.h.inc", cpp.values),
        Target(
            "capi-header",
            "capi-header/passes.capi.h.inc.j2",
            "_passes.capi.h.inc",
            capi.values,
        ),
        Target(
            "capi-impl",
            "capi-impl/passes.capi.cpp.inc.j2",
            "_passes.capi.cpp.inc",
            capi.values,
        ),
        Target(
            "mlir-markdown",
            "mlir-markdown/passes.md.j2",
            "_passes.mlir.md",
            mlir_markdown.values,
        ),
        Target("tablegen", "tablegen/Passes.td.j2", "_passes.td", tablegen.values),
    )
}
"""Every target by its name, in the order in which they are written."""

DEFAULT_TARGETS: Final = ("python", "markdown")
"""What is written unless `--target` says otherwise."""
