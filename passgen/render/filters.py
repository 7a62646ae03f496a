"""The filters of templates, each named after the syntax that it writes.

The functions are in the modules of their syntaxes, where only filters have such names.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from textwrap import indent
from typing import Final, TypeAlias

from passgen import cpp, naming
from passgen.render import markdown, prose, python, python_options, tablegen
from passgen.spec import yaml_scalar

Filter: TypeAlias = Callable[..., str]

_WORD: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_FLAG: Final = re.compile(rf"--{_WORD.pattern}(='[\w.()-]+')?")


def mlir_word(text: str) -> str:
    """Return `text`, a word of a RUN line that needs no quotes in a shell.

    Raises:
        ValueError: it is no such word.
    """
    if not _WORD.fullmatch(text):
        raise ValueError(f"'{text}' is no plain word of a RUN line")
    return text


def mlir_flag(text: str) -> str:
    """Return `text`, a flag of a RUN line, whose value stands in quotes.

    Raises:
        ValueError: it is no such flag.
    """
    if not _FLAG.fullmatch(text):
        raise ValueError(f"'{text}' is no flag of a RUN line")
    return text


def mlir_line(text: str) -> str:
    """Return `text`, a part of a line of IR.

    Raises:
        ValueError: it has several lines.
    """
    if len(text.splitlines()) != 1:
        raise ValueError(f"'{text}' is no part of a line of IR")
    return text


def yaml_comment(text: str) -> str:
    """Return `text` as a part of a comment: one line, no invisible characters."""
    return python.py_comment(text)


def yaml_indent(text: str) -> str:
    """Return `text` one level deeper."""
    return indent(text, "  ")


FILTERS: Final[dict[str, Filter]] = (
    {
        name: function
        for module in (cpp, markdown, prose, python, python_options, tablegen)
        for name, function in vars(module).items()
        if name.startswith(("cpp_", "md_", "py_", "td_"))
    }
    | {
        function.__name__: function
        for function in (
            mlir_flag,
            mlir_line,
            mlir_word,
            yaml_comment,
            yaml_indent,
            yaml_scalar,
        )
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
