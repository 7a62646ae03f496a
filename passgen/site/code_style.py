"""Styles of Pygments in the colours of reports, and the colours of a theme.

Needs Pygments, which the extra `site` installs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pygments.style import Style
from pygments.token import (
    Comment,
    Generic,
    Keyword,
    Literal,
    Name,
    Number,
    Operator,
    String,
    Token,
)

from passgen.passgen_rules.code_colors import PALETTE

IR_TYPES: Final = {
    "comment": Comment.Single,
    "string": String,
    "value": Name.Variable.Instance,
    "symbol": String.Symbol,
    "type": Keyword.Type,
    "op": Keyword,
    "": Token.Text,
}
"""The types of IR's tokens, by their colours."""

_COLORS: Final = {
    Token: "text",
    Comment: "comment",
    Comment.Preproc: "symbol",
    Comment.PreprocFile: "string",
    Keyword: "op",
    Keyword.Constant: "type",
    Keyword.Type: "type",
    Operator.Word: "op",
    Name.Builtin: "type",
    Name.Builtin.Pseudo: "text",
    Name.Attribute: "value",
    Name.Class: "value",
    Name.Decorator: "symbol",
    Name.Exception: "type",
    Name.Function: "value",
    Name.Label: "symbol",
    Name.Tag: "value",
    Name.Variable: "text",
    Name.Variable.Instance: "value",
    Number: "text",
    Literal.Scalar: "text",
    Literal.Scalar.Plain: "text",
    String: "string",
    String.Symbol: "symbol",
    Generic.Deleted: "text bg:removed",
    Generic.Inserted: "text bg:added",
    Generic.Heading: "text",
    Generic.Subheading: "quiet",
    Generic.Output: "quiet",
    Generic.Prompt: "quiet",
    Generic.Traceback: "failed",
}
"""The names of colours by type; a type without a row has that of the type around it."""


def _styles(mode: int) -> dict[Any, str]:
    """Return the colours of `_COLORS` as Pygments has them."""
    styles = {}
    for kind, names in _COLORS.items():
        text, _, ground = names.partition(" bg:")
        behind = f" bg:{PALETTE[ground][mode]}" if ground else ""
        styles[kind] = f"{PALETTE[text][mode]}{behind}"
    return styles


class LightStyle(Style):
    """Code on a light page."""

    name = "passgen-light"
    background_color = PALETTE["ground"][0]
    styles = _styles(0)


class DarkStyle(Style):
    """Code on a dark page."""

    name = "passgen-dark"
    background_color = PALETTE["raised"][1]
    styles = _styles(1)


_THEME: Final = {
    "color-background-primary": ("raised", "ground"),
    "color-background-secondary": ("ground", "raised"),
    "color-background-border": ("line", "line"),
    "color-brand-content": ("accent", "accent"),
    "color-brand-primary": ("accent", "accent"),
    "color-brand-visited": ("accent", "accent"),
    "color-foreground-primary": ("text", "text"),
    "color-foreground-secondary": ("quiet", "quiet"),
    "color-foreground-muted": ("quiet", "quiet"),
    "color-api-name": ("value", "value"),
    "color-api-pre-name": ("quiet", "quiet"),
    "color-inline-code-background": ("ground", "raised"),
    "passgen-added": ("added", "added"),
    "passgen-added-word": ("added-word", "added-word"),
    "passgen-removed": ("removed", "removed"),
    "passgen-removed-word": ("removed-word", "removed-word"),
}
"""The palette's colours by the variables of the theme and of `passgen.css`."""

_FONTS: Final = {
    "font-stack": "system-ui, -apple-system, 'Segoe UI', sans-serif",
    "font-stack--monospace": "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
}


def theme_options() -> Mapping[str, Mapping[str, str]]:
    """Return `html_theme_options` with which furo looks as reports do."""
    light, dark = (
        {name: PALETTE[colors[mode]][mode] for name, colors in _THEME.items()}
        for mode in range(2)
    )
    return {"light_css_variables": _FONTS | light, "dark_css_variables": dark}
