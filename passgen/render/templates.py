"""Templates: filled with the values of `targets` by Jinja."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import jinja2

from passgen import resources
from passgen.diagnostics import RenderError
from passgen.render import filters
from passgen.render.filters import Filter


def render(
    template: str,
    values: Mapping[str, object],
    root: Path | None = None,
    own: tuple[Filter, ...] = (),
) -> str:
    """Return the text of `template` for `values`.

    Args:
        template: path below the templates' folder.
        values: the variables of the template; any other name is an error.
        root: a folder whose templates override those of passgen.
        own: filters beside those of `filters`, by the functions' names.

    Raises:
        RenderError: the template is missing or invalid, has an undefined name, or a
            filter refuses a value.
    """
    try:
        return _environment(root, own).get_template(template).render(values)
    except jinja2.TemplateNotFound as error:
        reason = "there is no such template"
        raise RenderError(str(error.name or template), None, reason) from error
    except jinja2.TemplateSyntaxError as error:
        reason = error.message or "it cannot be read"
        raise RenderError(error.name or template, error.lineno, reason) from error
    except Exception as error:  # a template can raise any exception
        where, line = _place(error, template)
        raise RenderError(where, line, str(error) or type(error).__name__) from error


@cache
def _environment(root: Path | None, own: tuple[Filter, ...]) -> jinja2.Environment:
    folders = [root, resources.templates()] if root else [resources.templates()]
    # autoescape is for HTML; here every value passes a filter of its own syntax.
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folders),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - see above
    )
    environment.filters.update(filters.FILTERS)
    environment.filters.update({function.__name__: function for function in own})
    return environment


def _place(error: Exception, template: str) -> tuple[str, int | None]:
    """Return template and line of the innermost template that `error` came through."""
    place: tuple[str, int | None] = template, None
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename.endswith(".j2"):
            path = Path(frame.filename)
            place = f"{path.parent.name}/{path.name}", frame.lineno
    return place
