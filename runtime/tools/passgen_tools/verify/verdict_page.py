"""The page of verdicts: one HTML file without a script."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib import resources
from itertools import groupby
from operator import attrgetter
from typing import Final

from passgen_rules.code_colors import css_variables
from passgen_tools.verify.judgements import (
    FAILURES,
    JudgementGroup,
    Verdict,
    grouped,
)
from passgen_tools.verify.pattern_verdicts import PatternVerdicts

_FOLDER: Final = resources.files(__package__) / "page"
_NAME: Final = re.compile("@([A-Z_]+)@")
MOST_SERIOUS: Final[tuple[Verdict, ...]] = (
    *FAILURES,
    "may-not-end-by-greedy",
    "proved-for-constants",
    "proved",
)
"""The verdicts by which a pattern is counted, the one that counts first."""


def verdict_page(verdicts: Sequence[PatternVerdicts]) -> str:
    """Return the page that shows verdicts, which loads nothing from elsewhere.

    A content security policy allows its own style only, by its hash.
    """
    passes = [
        _filled(
            "pass.html", {"NAME": _text(name), "PATTERNS": _pattern_rows(list(rows))}
        )
        for name, rows in groupby(verdicts, attrgetter("pass_name"))
    ]
    style = css_variables() + _template("page.css")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return _filled(
        "page.html",
        {
            "STYLE": style,
            "STYLE_HASH": f"'sha256-{digest}'",
            "SUMMARY": _text(_summary(verdicts)),
            "PASSES": "\n".join(passes),
        },
    )


def _summary(verdicts: Sequence[PatternVerdicts]) -> str:
    """Return how many patterns have which verdict, and how long it took."""
    counts = Counter(_verdict(row) for row in verdicts)
    listed = [
        f"{verdict.replace('-', ' ')}: {counts[verdict]}"
        for verdict in reversed(MOST_SERIOUS)
        if counts[verdict]
    ]
    seconds = sum(row.duration_s for row in verdicts)
    return ", ".join((f"patterns: {len(verdicts)}", *listed, f"{seconds:.1f} s"))


def _verdict(row: PatternVerdicts) -> Verdict:
    """Return the most serious verdict about a pattern."""
    found = {judgement.verdict for judgement in row.judgements}
    return next(verdict for verdict in MOST_SERIOUS if verdict in found)


def _pattern_rows(verdicts: Sequence[PatternVerdicts]) -> str:
    return "\n".join(map(_pattern_row, verdicts))


def _pattern_row(row: PatternVerdicts) -> str:
    groups = map(_verdict_text, grouped(row.judgements))
    return _filled(
        "pattern.html",
        {
            "NAME": _text(row.name),
            "SUMMARY": _text(row.pattern.summary),
            "PLACE": _text(row.place),
            "VERDICTS": "\n".join(groups),
            "TIME": f"{row.duration_s:.2f}",
        },
    )


def _verdict_text(group: JudgementGroup) -> str:
    """Return a verdict, with its reason if it has one."""
    parts = {"CLASS": group.verdict, "TITLE": _text(group.title)}
    if not group.reason:
        return _filled("verdict.html", parts)
    is_open = " open" if group.verdict == "wrong" else ""
    parts |= {"OPEN": is_open, "REASON": _text(group.reason)}
    return _filled("reason.html", parts)


def _text(text: str) -> str:
    """Return a text as HTML; a file name may be no text."""
    return html.escape(text.encode(errors="backslashreplace").decode())


def _filled(name: str, parts: Mapping[str, str]) -> str:
    """Return a template with its parts, in which no part is searched for names."""
    return _NAME.sub(lambda match: parts[match[1]], _template(name)).removesuffix("\n")


def _template(name: str) -> str:
    return _FOLDER.joinpath(name).read_text(encoding="utf-8")
