"""The page of verdicts: one HTML file without a script."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter
from typing import Final

from passgen_tools.static_pages import PageTemplates, html_text
from passgen_tools.verify.judgements import (
    FAILURES,
    JudgementGroup,
    Verdict,
    grouped,
)
from passgen_tools.verify.pattern_verdicts import PatternVerdicts

assert __package__ is not None
_TEMPLATES: Final = PageTemplates(__package__)
MOST_SERIOUS: Final[tuple[Verdict, ...]] = (
    *FAILURES,
    "may-not-end-by-greedy",
    "proved-for-constants",
    "proved",
)
"""The verdicts by which a pattern is counted, the one that counts first."""


def verdict_page(verdicts: Sequence[PatternVerdicts]) -> str:
    """Return the page that shows verdicts, which loads nothing from elsewhere."""
    passes = [
        _TEMPLATES.filled(
            "pass.html",
            {"NAME": html_text(name), "PATTERNS": _pattern_rows(list(rows))},
        )
        for name, rows in groupby(verdicts, attrgetter("pass_name"))
    ]
    summary = html_text(_summary(verdicts))
    return _TEMPLATES.page({"SUMMARY": summary, "PASSES": "\n".join(passes)})


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
    return _TEMPLATES.filled(
        "pattern.html",
        {
            "NAME": html_text(row.name),
            "SUMMARY": html_text(row.pattern.summary),
            "PLACE": html_text(row.place),
            "VERDICTS": "\n".join(groups),
            "TIME": f"{row.duration_s:.2f}",
        },
    )


def _verdict_text(group: JudgementGroup) -> str:
    """Return a verdict, with its reason if it has one."""
    parts = {"CLASS": group.verdict, "TITLE": html_text(group.title)}
    if not group.reason:
        return _TEMPLATES.filled("verdict.html", parts)
    is_open = " open" if group.verdict == "wrong" else ""
    parts |= {"OPEN": is_open, "REASON": html_text(group.reason)}
    return _TEMPLATES.filled("reason.html", parts)
