"""Pass managers drawn as nested boxes in HTML, for notebooks.

The boxes look like those of `passgen site`. Each element has its style inside, because
a notebook does not load that site's style sheet. The colors fit light and dark pages.
"""

from __future__ import annotations

from importlib import import_module

from passgen_runtime.errors import PassOptionError
from passgen_runtime.operation_pass import Pass, PassSequence

_BOX = (
    "border: 1px solid rgb(128 128 128 / 60%); border-radius: 0.3rem; "
    "padding: 0.4rem 0.6rem; margin: 0.4rem 0; overflow-wrap: anywhere;"
)
_AROUND_BOXES = f"{_BOX} background: rgb(128 128 128 / 8%);"
_NAME = "color: inherit; background: transparent; border: 0; padding: 0;"


def drawn(manager: PassSequence[Pass]) -> str:
    """Return `manager` as HTML: a box for each pass, in those of its managers."""
    return _manager(manager, _AROUND_BOXES if manager.elements else _BOX)


def _manager(manager: PassSequence[Pass], style: str) -> str:
    boxes = "".join(_box(each) for each in manager.elements)
    return f'<div style="{style}">{_name(manager.anchor)}{boxes}</div>'


def _box(element: Pass | PassSequence[Pass]) -> str:
    if not isinstance(element, Pass):
        return _manager(element, _BOX)
    try:
        options = element.check_options()
    except PassOptionError:
        options = repr(element.options)
    shown = f" <small>{_escaped(options)}</small>" if options else ""
    name = element.argument or element.name
    return f'<div style="{_BOX}">{_name(name)}{shown}</div>'


def _name(name: str) -> str:
    return f'<code style="{_NAME}">{_escaped(name)}</code>'


def _escaped(text: str) -> str:
    # Imported for notebooks only: starting is measured.
    escaped: str = import_module("html").escape(text)
    return escaped
