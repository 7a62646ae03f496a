"""The filters of templates, each named after the syntax that it writes.

The functions are in the modules of their syntaxes, where only filters have such names.
"""

from __future__ import annotations

from collections.abc import Callable
from textwrap import indent
from typing import Final, TypeAlias

from passgen import cpp, naming
from passgen.render import markdown, mlir, prose, python, python_options, tablegen
from passgen.spec import yaml_scalar

Filter: TypeAlias = Callable[..., str]


def yaml_comment(text: str) -> str:
    """Return `text` as a part of a comment: one line, no invisible characters."""
    return python.py_comment(text)


def yaml_indent(text: str) -> str:
    """Return `text` one level deeper."""
    return indent(text, "  ")


FILTERS: Final[dict[str, Filter]] = (
    {
        name: function
        for module in (cpp, markdown, mlir, prose, python, python_options, tablegen)
        for name, function in vars(module).items()
        if name.startswith(("cpp_", "md_", "mlir_", "py_", "td_"))
    }
    | {
        function.__name__: function
        for function in (yaml_comment, yaml_indent, yaml_scalar)
    }
    | {
        f"py_{function.__name__}": function
        for function in (
            *(naming.base_class, naming.build_pipeline_function, naming.enum_member),
            *(naming.bundle_function, naming.create_function, naming.form_constant),
            *(naming.options_class, naming.pipeline_stem, naming.register_function),
            *(naming.register_group_function, naming.register_pipelines_function),
            *(naming.remark_method, naming.snake_case),
        )
    }
)
"""All filters, by name."""
