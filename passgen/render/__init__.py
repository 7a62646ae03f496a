"""Rendering: the values of `targets` to text, by a Jinja template.

render("python/passes.py.j2", {"module": module})
"""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen.render.layout import (
    is_python as is_python,
    laid_out as laid_out,
    settings_file as settings_file,
)
from passgen.render.links import (
    linked_heading as linked_heading,
    linked_name as linked_name,
    lost_links as lost_links,
)
from passgen.render.markdown import (
    fenced_block as fenced_block,
    heading_anchor as heading_anchor,
    visible as visible,
)
from passgen.render.mlir import AttributeEntry as AttributeEntry
from passgen.render.prose import fenced_ir as fenced_ir, is_line as is_line
from passgen.render.python_options import (
    runtime_class as runtime_class,
    python_row as python_row,
)
from passgen.render.tablegen import Bases as Bases
from passgen.render.templates import (
    compile_templates as compile_templates,
    render as render,
)
