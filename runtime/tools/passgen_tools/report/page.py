"""The page of a report: one HTML file with its style, its script and its data."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import zlib
from collections.abc import Mapping
from importlib import resources
from math import floor
from typing import Any, Final

from passgen_rules.code_colors import IR_TOKENS, css_variables

_FOLDER: Final = resources.files(__package__) / "page"
_STYLE: Final = "page.css"
_TOKENS: Final = "tokens.js"
_LAST_SCRIPT: Final = "page.js"
"""It begins to draw the page; the others declare what it uses, in any order."""


def html_page(data: Mapping[str, Any], title: str) -> str:
    """Return the page that shows `data`, which loads nothing from elsewhere.

    The data is base64 of compressed JSON: no text of it can become a part of the page.
    A content security policy allows its own script and style only, by their hashes.
    """
    title = title.encode(errors="backslashreplace").decode()  # of a file may be no text
    parts = {
        "TITLE": html.escape(title),
        **page_sources(),
        "STYLE": _style(),
        "DATA": _encode_data(data),
        "SCRIPT": _script(),
    }

    def part(match: re.Match[str]) -> str:
        return parts[match[1]]

    # In one step, so that no part is searched for the names of others.
    return re.sub("@([A-Z_]+)@", part, _text("page.html"))


def page_sources() -> dict[str, str]:
    """Return the sources of script and style that a content security policy names.

    They are values for the template of a page: this one, or one around reports, which
    allows them, too. No data of a run changes them.
    """
    return {"SCRIPT_HASH": _hash(_script()), "STYLE_HASH": _hash(_style())}


def ir_tokens_script() -> str:
    """Return the script with `tokens(line)`, which colours IR on any page."""
    return f"const IR_TOKENS = {json.dumps(IR_TOKENS)};\n{_text(_TOKENS)}"


def _encode_data(data: Mapping[str, Any]) -> str:
    """Return the data as base64 of compressed JSON."""
    packed = {**data, "executions": _pack_executions(data["executions"])}
    # ASCII, so that characters which are no Unicode scalar stay as they are.
    text = json.dumps(packed, separators=(",", ":"))
    compressed = zlib.compress(text.encode())
    return base64.b64encode(compressed).decode()


def _pack_executions(executions: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    """Return the table with begins as microseconds after the end before.

    Such numbers have few digits; the page sums them up.
    """
    gaps: list[int | None] = []
    last_end = 0
    for begin_s, time_s in zip(executions["beginS"], executions["timeS"], strict=True):
        if begin_s is None:
            gaps.append(None)
            continue
        begin = _microseconds(begin_s)
        gaps.append(begin - last_end)
        last_end = begin + _microseconds(time_s)
    return {**executions, "beginS": gaps}


def _microseconds(seconds: float) -> int:
    """Return a number that is rounded as JavaScript does."""
    return floor(seconds * 1e6 + 0.5)


def _text(name: str) -> str:
    """Return the text of a file of the page."""
    return _FOLDER.joinpath(name).read_text(encoding="utf-8")


def _style() -> str:
    return css_variables() + _text(_STYLE)


def _script() -> str:
    """Return the scripts of the page as one."""
    names = {file.name for file in _FOLDER.iterdir() if file.name.endswith(".js")}
    in_order = [*sorted(names - {_TOKENS, _LAST_SCRIPT}), _LAST_SCRIPT]
    return ir_tokens_script() + "".join(map(_text, in_order))


def _hash(text: str) -> str:
    """Return the source that allows `text` in a content security policy."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
