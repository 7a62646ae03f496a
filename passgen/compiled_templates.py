"""The templates that ship with passgen, compiled, and kept so in the user's cache.

A run that finds them there does not import Jinja. They are compiled a folder at a time:
what a target needs, and templates include those of their own folder alone.
"""

from __future__ import annotations

import marshal
import os
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any, TypeAlias

from passgen import filters, resources, user_cache
from passgen.filters import Filter

_Append: TypeAlias = Callable[[str], object]
_Function: TypeAlias = Callable[[_Append, Mapping[str, object]], None]


def render(
    template: str, values: Mapping[str, object], own: tuple[Filter, ...]
) -> str | None:
    """Return the text of `template` for `values`; see `render.render`.

    `None`: there is none, as the template or a value is wrong.
    """
    parts: list[str] = []
    try:
        _functions(template.partition("/")[0], own)[template](parts.append, values)
    except Exception:  # noqa: BLE001 - Jinja meets the same, and says where
        return None
    return "".join(parts)


@cache
def _functions(folder: str, own: tuple[Filter, ...]) -> dict[str, _Function]:
    """Return what renders the templates of `folder`, by name."""
    known = {each.__name__: each for each in own}
    names: dict[str, Any] = {"find": lambda name: known.get(name) or filters.find(name)}
    exec(_code(folder), names)  # noqa: S102 - made by passgen of its own templates
    functions: dict[str, _Function] = names["TEMPLATES"]
    return functions


def _code(folder: str) -> CodeType:
    """Return the module that renders the templates of `folder`, kept or made now."""
    cached = user_cache.folder()
    if cached is None:
        return _compiled(folder)
    path = cached / "templates" / f"{folder}.{sys.implementation.cache_tag}"
    code = _kept(path)
    if code is None:
        code = _compiled(folder)
        user_cache.keep(path, marshal.dumps((user_cache.tool(), code)))
    return code


def _kept(path: Path) -> CodeType | None:
    """Return what this passgen has kept in `path`, if nobody else can have."""
    try:
        if hasattr(os, "getuid") and path.stat().st_uid != os.getuid():
            return None
        tool, code = marshal.loads(path.read_bytes())  # noqa: S302 - the user's own
    except (OSError, ValueError, EOFError, TypeError):
        return None
    return code if tool == user_cache.tool() and isinstance(code, CodeType) else None


def _compiled(folder: str) -> CodeType:
    # To import these is what the cache spares.
    from passgen import jinja_templates, template_compiler  # noqa: PLC0415 - see above

    root = resources.templates()
    trees = {
        path.relative_to(root).as_posix(): jinja_templates.parse(path)
        for path in sorted((root / folder).glob("*.j2"))
    }
    return compile(template_compiler.module_text(trees), f"templates/{folder}", "exec")
