"""Rendering: the one Jinja environment, and the filters that templates may use.

Comes after `targets` has turned the model into what a template needs; the text goes to
`output`. Each filter names the syntax that it writes and is defined, with its reasons,
in `python_syntax` or `markdown_syntax`.

    render("python/passes.py.j2", {"module": module})
"""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Final

import jinja2

from passgen import (
    cpp_syntax,
    lit_syntax,
    markdown_blocks,
    markdown_syntax,
    python_expressions,
    python_syntax,
    resources,
    tablegen_syntax,
    yaml_writer,
)
from passgen.diagnostics import InternalError

FILTERS: Final[dict[str, Callable[..., str]]] = {
    function.__name__: function
    for function in (
        cpp_syntax.cpp_code,
        lit_syntax.mlir_word,
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
        tablegen_syntax.td_bases,
        tablegen_syntax.td_comment,
        tablegen_syntax.td_name,
        tablegen_syntax.td_strings,
        tablegen_syntax.td_text,
        tablegen_syntax.td_type,
        tablegen_syntax.td_value,
        yaml_writer.yaml_scalar,
    )
}
"""All filters by the name that templates use."""


class RenderError(InternalError):
    """A template is wrong, or it got what it cannot write: a fault of passgen's.

    Or of the user's, if the template is.
    """

    def __init__(self, template: str, line: int | None, reason: str) -> None:
        """Say why `template`, by its path below the templates, is wrong in `line`."""
        self.template = template
        self.line = line
        self.reason = reason
        place = template if line is None else f"{template}:{line}"
        super().__init__(f"{place}: {reason}")


def render(
    template: str,
    values: Mapping[str, object],
    root: Path | None = None,
    filters: tuple[Callable[..., str], ...] = (),
) -> str:
    """Return the text of `template` for `values`.

    Args:
        template: path below the templates' folder.
        values: what the template may name; naming anything else is an error.
        root: a folder whose templates come before those that ship with passgen.
        filters: what the template may use beside `FILTERS`, by the functions' names.

    Raises:
        RenderError: the template is missing or broken, names what does not exist, or a
            filter refuses a value.
    """
    try:
        environment = _environment(root, filters)
        return environment.get_template(template).render(values)
    except jinja2.TemplateNotFound as error:
        reason = "there is no such template"
        raise RenderError(str(error.name or template), None, reason) from error
    except jinja2.TemplateSyntaxError as error:
        reason = error.message or "it cannot be read"
        raise RenderError(error.name or template, error.lineno, reason) from error
    except Exception as error:  # a template can do anything
        where, line = _place(error, template)
        raise RenderError(where, line, str(error) or type(error).__name__) from error


@cache
def _environment(
    root: Path | None, filters: tuple[Callable[..., str], ...]
) -> jinja2.Environment:
    folders = [root, resources.templates()] if root else [resources.templates()]
    # autoescape knows HTML only; here every value passes the filter of its own syntax.
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folders),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - see above
        bytecode_cache=_bytecode_cache(),
    )
    environment.filters.update(FILTERS)
    environment.filters.update({each.__name__: each for each in filters})
    return environment


def _bytecode_cache() -> jinja2.BytecodeCache | None:
    """Return where compiled templates are kept, as Python keeps compiled modules."""
    try:
        return _BytecodeCache()
    except (OSError, RuntimeError):  # there is no folder that only the user can write
        return None


class _BytecodeCache(jinja2.FileSystemBytecodeCache):
    """A cache that costs no run: where it fails, templates are compiled anew."""

    def load_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        """Fill `bucket` from the cache if it has it."""
        with contextlib.suppress(OSError, ValueError, EOFError, TypeError):
            super().load_bytecode(bucket)

    def dump_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        """Keep what `bucket` holds, if that can be written."""
        with contextlib.suppress(OSError):
            super().dump_bytecode(bucket)


def _place(error: Exception, template: str) -> tuple[str, int | None]:
    """Return template and line of the innermost template that `error` came through."""
    place: tuple[str, int | None] = template, None
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename.endswith(".j2"):
            path = Path(frame.filename)
            place = f"{path.parent.name}/{path.name}", frame.lineno
    return place
