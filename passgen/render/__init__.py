"""Rendering: the values of `targets` to text, by a Jinja template.

render("python/passes.py.j2", {"module": module})
"""

from passgen.render.layout import is_python, laid_out, settings_file
from passgen.render.markdown import heading_anchor, visible
from passgen.render.prose import fenced_ir, is_line
from passgen.render.python_options import py_runtime_class, python_row
from passgen.render.tablegen import Bases
from passgen.render.templates import render

__all__ = [
    "Bases",
    "fenced_ir",
    "heading_anchor",
    "is_line",
    "is_python",
    "laid_out",
    "py_runtime_class",
    "python_row",
    "render",
    "settings_file",
    "visible",
]
