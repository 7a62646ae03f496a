"""Templates: filled with the values of `targets` by Jinja.

Compiling the templates of a target takes longer than filling them. A wheel has them
compiled by Jinja; they are used with the version of Jinja that compiled them.
"""

from __future__ import annotations

import traceback
from collections.abc import Mapping, MutableMapping
from functools import cache
from pathlib import Path
from typing import Any, Final

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
        environment = _environment(_sources(root), own, _compiled_folder(root))
        return environment.get_template(template).render(values)
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
def _environment(
    sources: tuple[Path, ...], own: tuple[Filter, ...], compiled: Path | None
) -> jinja2.Environment:
    loaders: list[jinja2.BaseLoader] = [jinja2.FileSystemLoader(sources)]
    if compiled is not None:
        loaders.insert(0, _CompiledTemplates(compiled))
    # autoescape is for HTML; here every value passes a filter of its own syntax.
    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader(loaders),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - see above
    )
    environment.filters.update(filters.FILTERS)
    environment.filters.update({function.__name__: function for function in own})
    return environment


class _CompiledTemplates(jinja2.ModuleLoader):
    """Loads compiled templates, which know their sources for messages."""

    def load(
        self,
        environment: jinja2.Environment,
        name: str,
        globals: MutableMapping[str, Any] | None = None,  # noqa: A002 - as in Jinja
    ) -> jinja2.Template:
        template = super().load(environment, name, globals)
        template.filename = str(resources.templates() / name)
        return template


def _sources(root: Path | None) -> tuple[Path, ...]:
    """Return the folders of templates, of which the first override the others."""
    return (root, resources.templates()) if root else (resources.templates(),)


_JINJA: Final = vars(jinja2).get("__version__")
"""The version of Jinja; its metadata, which always has it, takes long to read."""


def _compiled_folder(root: Path | None) -> Path | None:
    """Return the folder of compiled templates, if there is one to use.

    Args:
        root: a folder of templates; those beside it are then read as they are, too.
    """
    if root is not None or _JINJA is None:
        return None
    folder = resources.compiled_templates() / f"jinja-{_JINJA}"
    return folder if folder.is_dir() else None


def _is_compiled(name: str) -> bool:
    """Return whether a file is a template that needs no filters of a caller's own."""
    return name.endswith(".j2") and not name.startswith("site/")


def compile_templates(folder: Path) -> None:
    """Compile the templates into `folder`, which is `compiled_templates` in a wheel."""
    _environment(_sources(None), (), None).compile_templates(
        folder / f"jinja-{_JINJA}",
        filter_func=_is_compiled,
        zip=None,
        ignore_errors=False,
    )


def _place(error: Exception, template: str) -> tuple[str, int | None]:
    """Return template and line of the innermost template that `error` came through."""
    place: tuple[str, int | None] = template, None
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename.endswith(".j2"):
            path = Path(frame.filename)
            place = f"{path.parent.name}/{path.name}", frame.lineno
    return place
