"""The filters of templates, each named after the syntax that it writes.

The functions are in the modules of their syntaxes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from textwrap import indent
from typing import Final, TypeAlias

from passgen import naming
from passgen.cpp import (
    cpp_code,
    cpp_comment,
    cpp_field_type,
    cpp_macro,
    cpp_member_type,
    cpp_nested,
    cpp_raw,
    cpp_string,
)
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
        message = f"'{text}' is no plain word of a RUN line"
        raise ValueError(message)
    return text


def mlir_flag(text: str) -> str:
    """Return `text`, a flag of a RUN line, whose value stands in quotes.

    Raises:
        ValueError: it is no such flag.
    """
    if not _FLAG.fullmatch(text):
        message = f"'{text}' is no flag of a RUN line"
        raise ValueError(message)
    return text


def yaml_comment(text: str) -> str:
    """Return `text` as a part of a comment: one line, no invisible characters."""
    return python.py_comment(text)


def yaml_indent(text: str) -> str:
    """Return `text` one level deeper."""
    return indent(text, "  ")


FILTERS: Final[dict[str, Filter]] = {
    function.__name__: function
    for function in (
        cpp_code,
        cpp_comment,
        cpp_field_type,
        cpp_macro,
        cpp_member_type,
        cpp_nested,
        cpp_raw,
        cpp_string,
        markdown.md_anchor,
        markdown.md_cell,
        markdown.md_code,
        markdown.md_code_list,
        markdown.md_comment,
        markdown.md_fenced,
        markdown.md_indent,
        markdown.md_link,
        markdown.md_links,
        markdown.md_pad,
        markdown.md_summary,
        markdown.md_text,
        markdown.md_verbatim,
        mlir_flag,
        mlir_word,
        prose.md_description,
        prose.md_section,
        python.py_comment,
        python.py_docstring_part,
        python.py_documentation,
        python.py_literal,
        python.py_name,
        python.py_names,
        python.py_nested,
        python.py_path,
        python.py_text,
        python.py_tuple,
        python_options.py_analysis,
        python_options.py_form_names,
        python_options.py_bases,
        python_options.py_class,
        python_options.py_field,
        python_options.py_field_names,
        python_options.py_field_type,
        python_options.py_message,
        python_options.py_native_default,
        python_options.py_native_kind,
        python_options.py_native_type,
        python_options.py_native_values,
        python_options.py_option_type,
        python_options.py_own_options,
        python_options.py_partners,
        python_options.py_setting,
        python_options.py_test,
        python_options.py_or_none,
        python_options.py_type,
        python_options.py_value,
        tablegen.td_bases,
        tablegen.td_comment,
        tablegen.td_field,
        tablegen.td_name,
        tablegen.td_strings,
        tablegen.td_text,
        yaml_comment,
        yaml_indent,
        yaml_scalar,
    )
} | {
    f"py_{function.__name__}": function
    for function in (
        naming.base_class,
        naming.build_pipeline_function,
        naming.bundle_function,
        naming.create_function,
        naming.enum_member,
        naming.form_constant,
        naming.options_class,
        naming.pipeline_stem,
        naming.register_function,
        naming.remark_method,
        naming.register_group_function,
        naming.register_pipelines_function,
        naming.snake_case,
    )
}
"""All filters, by name."""
