"""Rendering: what `targets` has made of the model, to text, by a template.

render("python/passes.py.j2", {"module": module})
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from passgen import compiled_templates
from passgen.filters import Filter


def render(
    template: str,
    values: Mapping[str, object],
    root: Path | None = None,
    own: tuple[Filter, ...] = (),
) -> str:
    """Return the text of `template` for `values`.

    Args:
        template: path below the templates' folder.
        values: what the template may name; naming anything else is an error.
        root: a folder whose templates come before those that ship with passgen.
        own: filters beside those of `filters`, used by the functions' names.

    Raises:
        RenderError: the template is missing or broken, names what does not exist, or a
            filter refuses a value.
    """
    text = None if root else compiled_templates.render(template, values, own)
    if text is not None:
        return text
    # Templates of the user's, and whatever goes wrong; imported for them alone.
    from passgen import jinja_templates  # noqa: PLC0415 - see above

    return jinja_templates.render(template, values, root, own)
