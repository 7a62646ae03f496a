"""Templates as Jinja knows them: those of the user's, and whatever goes wrong.

Its environment is the one that all templates are written for; `compiled_templates` has
the faster way for those that ship with passgen.
"""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import jinja2
from jinja2 import nodes

from passgen import filters, resources
from passgen.diagnostics import RenderError
from passgen.filters import Filter


def render(
    template: str,
    values: Mapping[str, object],
    root: Path | None,
    own: tuple[Filter, ...],
) -> str:
    """Return the text of `template` for `values`; see `render.render`.

    Raises:
        RenderError: as there.
    """
    try:
        return _environment(root, own).get_template(template).render(values)
    except jinja2.TemplateNotFound as error:
        reason = "there is no such template"
        raise RenderError(str(error.name or template), None, reason) from error
    except jinja2.TemplateSyntaxError as error:
        reason = error.message or "it cannot be read"
        raise RenderError(error.name or template, error.lineno, reason) from error
    except Exception as error:  # a template can do anything
        where, line = _place(error, template)
        raise RenderError(where, line, str(error) or type(error).__name__) from error


def parse(template: Path) -> nodes.Template:
    """Return what the text of `template` is made of.

    Raises:
        jinja2.TemplateSyntaxError: it is broken.
    """
    return _environment(None, ()).parse(template.read_text("utf-8"))


@cache
def _environment(root: Path | None, own: tuple[Filter, ...]) -> jinja2.Environment:
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
    environment.filters.update(filters.every())
    environment.filters.update({each.__name__: each for each in own})
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
