"""Rendering: the values of `targets` to text, by a Jinja template.

render("python/passes.py.j2", {"module": module})
"""

from passgen.render.layout import is_python, laid_out, settings_file
from passgen.render.markdown import Link, heading_anchor, visible
from passgen.render.prose import fenced_ir, wrapped
from passgen.render.python import (
    COLUMNS,
    Attribute,
    Call,
    CallForEach,
    Comparison,
    Expression,
    ListOf,
    Literal,
    Not,
)
from passgen.render.tablegen import Bases
from passgen.render.templates import render

__all__ = [
    "COLUMNS",
    "Attribute",
    "Bases",
    "Call",
    "CallForEach",
    "Comparison",
    "Expression",
    "Link",
    "ListOf",
    "Literal",
    "Not",
    "fenced_ir",
    "heading_anchor",
    "is_python",
    "laid_out",
    "render",
    "settings_file",
    "visible",
    "wrapped",
]
