"""The directive `runtime-reference`: the exports of `passgen_runtime`, by package.

The names come from the package, so that every public name is on the page, and what an
author of passes writes first comes first. The content of the directive names further
modules, in lines of the form `module: name, name`.
Docstrings have Google's sections and Markdown's backticks; the docstring of an
attribute has no sections, so that it may contain colons.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Final, cast

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.ext.napoleon.docstring import GoogleDocstring
from sphinx.util.docutils import SphinxDirective

import passgen_runtime
from passgen_runtime import Context

_CODE: Final = re.compile(r"(?<!`)`([^`]+)`(?!`)")
_ATTRIBUTES: Final = ("attribute", "property", "data")
_IN_ORDER: Final = (
    *("operation_pass", "pass_options", "pass_statistics", "analysis", "pass_manager"),
    *("pass_registry", "textual_pipeline", "ordering_rules", "errors", "diagnostics"),
    *("pass_instrumentation", "context"),
)
"""The packages in the order in which authors of passes meet them."""

_FIRST: Final = (
    "OperationPass",
    "PassOptions",
    "option",
    "PassManager",
    "register_pass",
)
"""Names that stand first in their packages."""


class RuntimeReference(SphinxDirective):
    """A section for each module with names for users."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the sections: each module's docstring, then its names by autodoc."""
        self.env.note_dependency(__file__)
        sections = [
            _section(module, f"### `passgen_runtime.{module}`", names.split(", "))
            for module, _, names in (line.partition(": ") for line in self.content)
        ]
        if not sections:
            sections = [
                _section(package, f"## {package.replace('_', ' ').capitalize()}", names)
                for package, names in _exported().items()
            ]
        return self.parse_text_to_nodes(
            "\n".join(sections), allow_section_headings=True
        )


def _exported() -> dict[str, list[str]]:
    """Return the names of the facade by the package, or module, that they come from."""
    exported: dict[str, list[str]] = {package: [] for package in _IN_ORDER}
    for name in passgen_runtime.__all__:
        module = getattr(passgen_runtime, name).__module__
        exported[module.split(".")[1]].append(name)
    for names in exported.values():
        names.sort(key=lambda name: name not in _FIRST)
    return exported


def _section(module: str, heading: str, names: Sequence[str]) -> str:
    path = f"passgen_runtime.{module}"
    docstring = inspect.getdoc(import_module(path)) or ""
    description = docstring.partition("\n")[2].strip("\n")  # it may begin with code
    entries = "\n\n".join(_entry(path, name) for name in names)
    return (
        f"{heading}\n\n{description}\n\n"
        f"```{{eval-rst}}\n.. py:currentmodule:: {path}\n\n{entries}\n```\n"
    )


def _entry(path: str, name: str) -> str:
    value = getattr(sys.modules[path], name)
    if inspect.isclass(value):
        if issubclass(value, Context) and value is not Context:
            # The base class, on the same page, documents the methods.
            return f".. autoclass:: {name}\n   :members: __init__"
        # Members inherited from classes that are not on the page are shown here.
        is_whole = all(
            base.__name__ in passgen_runtime.__all__
            for base in value.__bases__
            if base.__module__.startswith("passgen_runtime.")
        )
        inherited = "" if is_whole else "\n   :inherited-members:"
        return f".. autoclass:: {name}\n   :members:{inherited}"
    kind = "function" if inspect.isroutine(value) else "data"
    return f".. auto{kind}:: {name}\n"


def _as_rst(*event: object) -> None:
    """Rewrite a docstring in place as reStructuredText."""
    what, lines = cast("tuple[str, list[str]]", (event[1], event[-1]))
    text = _CODE.sub(r"``\1``", "\n".join(lines))
    is_attribute = what in _ATTRIBUTES
    lines[:] = text.split("\n") if is_attribute else GoogleDocstring(text).lines()


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive."""
    app.add_directive("runtime-reference", RuntimeReference)
    app.connect("autodoc-process-docstring", _as_rst)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
