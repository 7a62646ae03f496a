"""The directive `runtime-reference`: the API of runtime and tools, a page a module.

The names of `passgen_runtime` itself come from the package, so that each public name is
documented, and what an author of passes writes first comes first. The content of the
directive names further modules, in lines of the form `module: name, name`.
The pages are written before Sphinx reads the source folder, into a folder named after
the page with the directive; the directive lists them.
Docstrings have Google's sections and Markdown's backticks; the docstring of an
attribute has no sections, so that it may contain colons.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Sequence
from importlib import import_module
from itertools import starmap
from pathlib import Path
from typing import Final, cast

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.ext.napoleon.docstring import GoogleDocstring
from sphinx.util.docutils import SphinxDirective
from sphinx.util.inspect import stringify_signature

import passgen_runtime
from passgen_runtime import Context

_PAGE: Final = "reference/runtime"
_RUNTIME: Final = "passgen_runtime"
_OWN: Final = ("passgen_rules", "passgen_runtime", "passgen_tools")
_CONTENT: Final = re.compile(r"```{runtime-reference}\n(.*?)```", re.DOTALL)
_CODE: Final = re.compile(r"(?<!`)`([^`]+)`(?!`)")
_CODE_IN_WORD: Final = re.compile(r"``(?=s\b)")
_EXAMPLE: Final = re.compile(r"^(\S.*\n\n)(?= {4}\S)", re.MULTILINE)
_ATTRIBUTES: Final = ("attribute", "property", "data")
_IN_ORDER: Final = (
    *("operation_pass", "pass_options", "pass_statistics", "analysis", "pass_manager"),
    *("pass_registry", "textual_pipeline", "ordering_rules", "forms"),
    *("errors", "diagnostics"),
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
    """A table of the modules and their names; the navigation has no room for them."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        self.env.note_dependency(__file__)
        modules = _modules([*self.content])
        lines = ["| module | names |", "|---|---|", *starmap(_row, modules.items())]
        return self.parse_text_to_nodes("\n".join(lines))


def _modules(lines: Sequence[str]) -> dict[str, list[str]]:
    """Return the names by the path of their module: the core's, those of `lines`."""
    further = (line.partition(": ") for line in lines if line)
    return _exported() | {module: names.split(", ") for module, _, names in further}


def _row(module: str, names: Sequence[str]) -> str:
    links = (f"{{py:obj}}`~{module}.{name}`" for name in names)
    return f"| [`{module}`](runtime/{module}.rst) | {', '.join(links)} |"


def _write_pages(app: Sphinx) -> None:
    """Write a page for each module, where it changed, and remove those of no module."""
    folder = Path(app.srcdir, _PAGE)
    folder.mkdir(exist_ok=True)
    content = _CONTENT.search(folder.with_suffix(".md").read_text(encoding="utf-8"))
    assert content, f"{_PAGE}.md has the directive"
    modules = _modules(content[1].splitlines())
    pages = {f"{module}.rst": _page(module, modules[module]) for module in modules}
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    for path in folder.glob("*.rst"):
        if path.name not in pages:
            path.unlink()


def _exported() -> dict[str, list[str]]:
    """Return the names of the facade by the package, or module, that they come from."""
    exported: dict[str, list[str]] = {f"{_RUNTIME}.{name}": [] for name in _IN_ORDER}
    for name, value in vars(passgen_runtime).items():
        if not name.startswith("_") and not inspect.ismodule(value):
            module = ".".join(value.__module__.split(".")[:2])
            if module not in exported:  # a constant whose class is Python's
                module = next(each for each in exported if _exports(each, name))
            exported[module].append(name)
    for names in exported.values():
        names.sort(key=lambda name: name not in _FIRST)
    return exported


def _exports(module: str, name: str) -> bool:
    return name in vars(import_module(module))


def _page(module: str, names: Sequence[str]) -> str:
    import_module(module)
    is_core = module.removeprefix(f"{_RUNTIME}.") in _IN_ORDER
    imported = _RUNTIME if is_core else module
    return "\n\n".join(
        (
            ":orphan:",
            f"``{module}``\n{'=' * (len(module) + 4)}",
            f".. automodule:: {module}\n   :no-members:",
            f"Import these names from ``{imported}``; :doc:`all modules </{_PAGE}>`.",
            *(_entry(module, name) for name in names),
        )
    )


def _entry(path: str, name: str) -> str:
    value = getattr(sys.modules[path], name)
    if inspect.isclass(value):
        if issubclass(value, Context) and value is not Context:
            # The base class, on the same page, documents the methods.
            return f".. autoclass:: {path}.{name}\n   :members: __init__"
        # Members inherited from classes that are not on the page are shown here.
        is_whole = all(
            base.__name__ in vars(passgen_runtime)
            for base in value.__bases__
            if base.__module__.partition(".")[0] in _OWN
        )
        more = ":show-inheritance:" if is_whole else ":inherited-members:"
        return f".. autoclass:: {path}.{name}\n   :members:\n   {more}"
    kind = "function" if inspect.isroutine(value) else "data"
    return f".. auto{kind}:: {path}.{name}"


def _as_rst(*event: object) -> None:
    """Rewrite a docstring in place as reStructuredText."""
    what, lines = cast("tuple[str, list[str]]", (event[1], event[-1]))
    text = _CODE.sub(r"``\1``", "\n".join(lines))
    text = _CODE_IN_WORD.sub(r"``\ ", text)
    text = _EXAMPLE.sub(r"\1::\n\n", text)
    is_attribute = what in _ATTRIBUTES
    lines[:] = text.split("\n") if is_attribute else GoogleDocstring(text).lines()


def _with_parameters(*event: object) -> tuple[str, None] | None:
    """Return the parameters of `__init__` where `__new__` takes any."""
    value, signature = event[3], str(event[5])
    if not inspect.isclass(value) or "*_args" not in signature:
        return None
    if value.__init__ is object.__init__:
        return "", None
    parameters = inspect.signature(value)
    return stringify_signature(parameters, show_return_annotation=False), None


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive and its pages."""
    app.add_directive("runtime-reference", RuntimeReference)
    app.connect("builder-inited", _write_pages)
    app.connect("autodoc-process-docstring", _as_rst)
    app.connect("autodoc-process-signature", _with_parameters)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
