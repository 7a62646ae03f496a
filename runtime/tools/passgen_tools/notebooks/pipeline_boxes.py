"""Pass managers as nested boxes in HTML, for notebooks.

The boxes look like those of `passgen site`. Each element has its style inside, because
a notebook does not load that site's style sheet. The colors fit light and dark pages.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from passgen_runtime.errors import PassOptionError
from passgen_runtime.operation_pass import Pass, PassSequence
from passgen_runtime.pass_manager import OpPassManager

_BOX = (
    "border: 1px solid rgb(128 128 128 / 60%); border-radius: 0.3rem; "
    "padding: 0.4rem 0.6rem; margin: 0.4rem 0; overflow-wrap: anywhere;"
)
_AROUND_BOXES = f"{_BOX} background: rgb(128 128 128 / 8%);"
_FACT = "padding: 0 0.6rem; opacity: 80%;"
_NAME = "color: inherit; background: transparent; border: 0; padding: 0;"


def load_ipython_extension(ipython: Any) -> None:  # noqa: ANN401 - IPython's shell
    """Let cells show pass managers as boxes; IPython calls this."""
    formatter = ipython.display_formatter.formatters["text/html"]
    formatter.for_type(OpPassManager, pipeline_html)


def pipeline_html(
    manager: PassSequence[Pass], fact: Callable[[Pass], str] = lambda _: ""
) -> str:
    """Return `manager` as HTML: a box for each pass, in those of its managers.

    Args:
        manager: the pass manager.
        fact: returns what the box of a pass says of a run, if anything.
    """
    style = _AROUND_BOXES if manager.elements else _BOX
    return _manager_html(manager, style, fact)


def _manager_html(
    manager: PassSequence[Pass], style: str, fact: Callable[[Pass], str]
) -> str:
    boxes = "".join(_element_html(element, fact) for element in manager.elements)
    return f'<div style="{style}">{_name_html(manager.anchor)}{boxes}</div>'


def _element_html(
    element: Pass | PassSequence[Pass], fact: Callable[[Pass], str]
) -> str:
    if not isinstance(element, Pass):
        return _manager_html(element, _BOX, fact)
    try:
        options = element.check_options()
    except PassOptionError:
        options = repr(element.options)
    name = _name_html(element.argument or element.name)
    shown = f" <small>{escape(options)}</small>" if options else ""
    said = fact(element)
    if said:
        shown = f'<span style="{_FACT}">{escape(said)}</span>{shown}'
    return f'<div style="{_BOX}">{name}{shown}</div>'


def _name_html(name: str) -> str:
    return f'<code style="{_NAME}">{escape(name)}</code>'
