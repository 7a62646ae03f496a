"""The directive `mlir-passes`: a table of MLIR's passes in Python, with a filter.

The rows are those of the module itself, so that the page cannot differ from it.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Final

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from passgen_runtime.ir.mlir import passes
from passgen_runtime.ir.mlir.pass_versions import version_note

_FILTER: Final = (
    '<p><input type="search" class="pass-filter" aria-label="Show passes with" '
    'placeholder="Show passes with ..." hidden></p>'
)


class MLIRPasses(SphinxDirective):
    """A table with a row for each class."""

    def run(self) -> list[nodes.Node]:
        """Return the field that filters rows, and the table."""
        self.env.note_dependency(__file__)
        self.env.note_dependency(passes.__file__)
        lines = [
            "| class | in a pipeline | options and their defaults |",
            "|---|---|---|",
        ]
        classes = sorted(passes.passes, key=lambda pass_class: pass_class.argument)
        lines += map(_row, classes)
        table = self.parse_text_to_nodes("\n".join(lines))
        return [nodes.raw("", _FILTER, format="html"), *table]


def _row(pass_class: type[passes.LLVMPass]) -> str:
    options = ", ".join(map(_option, dataclasses.fields(pass_class)))
    place = pass_class.anchor or pass_class.interface
    runs_on = f" on `{place}`" if place else ""
    summary = pass_class.summary.rstrip(".").replace("|", "\\|").replace("<", "\\<")
    if note := version_note(pass_class.argument):
        summary += f"; {note}"
    cells = f"`{pass_class.__name__}`", f"`{pass_class.argument}`{runs_on}: {summary}"
    return f"| {' | '.join((*cells, options))} |"


def _option(field: dataclasses.Field[Any]) -> str:
    values = " or ".join(map(repr, field.metadata.get("values", ())))
    return f"`{field.name}={field.default!r}`" + (f" ({values})" if values else "")


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive, and the script of its filter."""
    app.add_directive("mlir-passes", MLIRPasses)
    app.add_js_file("pass_filter.js", loading_method="defer")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
