"""The filters that templates may use, each named after the syntax that it writes.

The functions, with their reasons, are in the module of their syntax, which is imported
when a template first uses it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final, TypeAlias

Filter: TypeAlias = Callable[..., str]


def _cpp() -> tuple[Filter, ...]:
    from passgen import cpp_syntax

    return (cpp_syntax.cpp_code,)


def _markdown() -> tuple[Filter, ...]:
    from passgen import markdown_blocks, markdown_syntax

    return (
        markdown_syntax.md_after_colon,
        markdown_syntax.md_anchor,
        markdown_blocks.md_block,
        markdown_syntax.md_code,
        markdown_syntax.md_code_list,
        markdown_syntax.md_comment,
        markdown_syntax.md_fenced,
        markdown_syntax.md_indent,
        markdown_syntax.md_links,
        markdown_syntax.md_text,
        markdown_syntax.md_verbatim,
    )


def _mlir() -> tuple[Filter, ...]:
    from passgen import lit_syntax

    return (lit_syntax.mlir_word,)


def _python() -> tuple[Filter, ...]:
    from passgen import python_expressions, python_syntax

    return (
        python_syntax.py_comment,
        python_syntax.py_docstring,
        python_syntax.py_docstring_part,
        python_expressions.py_expression,
        python_syntax.py_field,
        python_syntax.py_indent,
        python_syntax.py_literal,
        python_syntax.py_name,
        python_syntax.py_names,
        python_syntax.py_statement,
        python_syntax.py_tuple,
    )


def _tablegen() -> tuple[Filter, ...]:
    from passgen import tablegen_syntax

    return (
        tablegen_syntax.td_bases,
        tablegen_syntax.td_comment,
        tablegen_syntax.td_name,
        tablegen_syntax.td_strings,
        tablegen_syntax.td_text,
        tablegen_syntax.td_type,
        tablegen_syntax.td_value,
    )


def _yaml() -> tuple[Filter, ...]:
    from passgen import yaml_writer

    return (yaml_writer.yaml_scalar,)


_SYNTAXES: Final = {
    "cpp": _cpp,
    "md": _markdown,
    "mlir": _mlir,
    "py": _python,
    "td": _tablegen,
    "yaml": _yaml,
}
"""What imports the filters of a syntax, by what their names begin with."""


def find(name: str) -> Filter | None:
    """Return the filter `name`, if there is one."""
    return _of_syntax(name.split("_", maxsplit=1)[0]).get(name)


def every() -> dict[str, Filter]:
    """Return all filters by name, which imports all their modules."""
    return {name: each for key in _SYNTAXES for name, each in _of_syntax(key).items()}


@cache
def _of_syntax(key: str) -> dict[str, Filter]:
    load = _SYNTAXES.get(key)
    return {each.__name__: each for each in load()} if load else {}
