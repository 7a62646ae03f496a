"""The coverage of passes as one HTML file without a script."""

from __future__ import annotations

from typing import Final

from passgen_tools.coverage.summary import (
    CoverageSummary,
    ItemCoverage,
    PassCoverage,
)
from passgen_tools.coverage.text import total_line
from passgen_tools.static_pages import PageTemplates, html_text

assert __package__ is not None
_TEMPLATES: Final = PageTemplates(__package__)
_NOT_RUN: Final = "no test runs it"


def coverage_page(summary: CoverageSummary) -> str:
    """Return the page that shows each item with the tests that reach it."""
    passes = "\n".join(map(_section, summary.passes))
    total = html_text(total_line(summary))
    return _TEMPLATES.page({"TOTAL": total, "PASSES": passes})


def _section(row: PassCoverage) -> str:
    key = row.declared.key
    return _TEMPLATES.filled(
        "pass.html",
        {
            "NAME": html_text(key.argument),
            "WHERE": html_text(f"on {row.library}" if row.library else _NOT_RUN),
            "SOURCE": html_text(key.source),
            "COUNTS": f"{row.num_covered} of {len(row.items)}",
            "NUM_ITEMS": str(len(row.items)),
            "NUM_COVERED": str(row.num_covered),
            "ITEMS": "\n".join(map(_item_row, row.items)),
        },
    )


def _item_row(item: ItemCoverage) -> str:
    return _TEMPLATES.filled(
        "item.html",
        {
            "KIND": item.item.kind,
            "NAME": html_text(item.item.name),
            "PLACE": html_text(item.place),
            "VERDICT": _verdict(item),
        },
    )


def _verdict(item: ItemCoverage) -> str:
    kind = "covered" if item.is_covered else "tried" if item.is_tried else "missed"
    parts = {"CLASS": kind, "VERDICT": html_text(item.verdict)}
    counts = item.tests.hits or item.tests.tries
    if not counts:
        return _TEMPLATES.filled("verdict.html", parts)
    tests = [
        _TEMPLATES.filled(
            "test.html", {"NAME": html_text(name), "COUNT": str(counts[name])}
        )
        for name in item.test_names
    ]
    parts |= {"NUM_TESTS": str(len(tests)), "TESTS": "\n".join(tests)}
    return _TEMPLATES.filled("tests.html", parts)
