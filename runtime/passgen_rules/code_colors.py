"""The colours of code, and which parts of IR have which colour.

Reports, playgrounds, documentation and sites read them here: as variables of CSS, and
as styles of Pygments.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

PALETTE: Final[Mapping[str, tuple[str, str]]] = {
    "ground": ("#fbfbf9", "#16181b"),
    "raised": ("#ffffff", "#1e2125"),
    "line": ("#dcdcd5", "#383c42"),
    "text": ("#1d1f21", "#e8e8e4"),
    "quiet": ("#62666b", "#a0a5ab"),
    "accent": ("#0b5cad", "#7fb8f0"),
    "failed": ("#b3261e", "#ff8a80"),
    "op": ("#7a3e9d", "#d0a2ec"),
    "value": ("#0b5cad", "#7fb8f0"),
    "type": ("#14695c", "#6fcfbd"),
    "string": ("#8a4b08", "#e5b073"),
    "symbol": ("#9c2b5f", "#f19ac2"),
    "comment": ("#575b60", "#b4b9be"),
    "added": ("#dff5e1", "#16361d"),
    "added-word": ("#b0e6b6", "#1d4f27"),
    "removed": ("#fde4e1", "#42201d"),
    "removed-word": ("#fbcbc5", "#6e2e28"),
}
"""The colours for light and for dark, by the names of their variables."""

CODE_COLORS: Final = ("text", "op", "value", "type", "string", "symbol", "comment")
"""The colours of the parts of code."""

CODE_GROUNDS: Final = (
    *("ground", "raised"),
    *("added", "added-word", "removed", "removed-word"),
)
"""The colours behind code."""


def css_variables() -> str:
    """Return rules that declare the palette: light, and dark where the system is."""
    light, dark = (
        "".join(f"  --{name}: {colors[at]};\n" for name, colors in PALETTE.items())
        for at in range(2)
    )
    query = "screen and (prefers-color-scheme: dark)"
    return f":root {{\n{light}}}\n@media {query} {{ :root {{\n{dark}}} }}\n"


_INNERMOST: Final = "<(?:->|[^<>])*>"
_INNER: Final = f"<(?:->|[^<>]|{_INNERMOST})*>"
_BRACKETS: Final = f"<(?:->|[^<>]|{_INNER})*>"
"""Angle brackets, in up to three of each other; an arrow is no bracket."""

_SCALAR: Final = r"\b(?:[su]?i\d+|f\d\w*|bf16|tf32|index|none)\b"
_SHAPED: Final = rf"\b(?:tensor|memref|vector|tuple|complex){_BRACKETS}"

IR_TOKENS: Final = (
    ("comment", r"//.*"),
    ("string", r'"(?:[^"\\\n]|\\.)*"'),
    ("value", r"%[\w$.#-]+"),
    ("symbol", r'@[\w$.-]+|@"[^"\n]*"|\^\w+|#[\w$.]+'),
    ("type", rf"![\w$.]+(?:{_BRACKETS})?|{_SCALAR}|{_SHAPED}"),
    ("op", r"\b[a-z_][\w$]*\.[\w$.]+|\b(?:module|func|return)\b"),
    ("", r"(?<![\w$.])-?\d[\w$]*(?:\.\d+(?:[eE][-+]?\d+)?)?|[\w$.]+|\s+|[^\w\s]"),
)
"""The colours and the patterns of IR's tokens; one of them matches at each place.

Python's `re` and JavaScript, with the flag `u`, read the patterns alike.
"""
