"""The coverage of passes as text."""

from __future__ import annotations

from collections.abc import Iterator

from passgen_tools.coverage.summary import (
    CoverageSummary,
    ItemCoverage,
    PassCoverage,
)


def coverage_lines(summary: CoverageSummary) -> Iterator[str]:
    """Yield the lines that show the coverage of passes, and the sum in the last one."""
    for row in summary.passes:
        yield from _lines_of_pass(row)
    yield total_line(summary)


def total_line(summary: CoverageSummary) -> str:
    """Return the line with the share of items that tests reach."""
    counts = f"{summary.num_covered} of {summary.num_items} items"
    tenths = 1000 * summary.num_covered // (summary.num_items or 1)
    return f"total: {counts}, {tenths / 10} %"  # 100.0 only if all is reached


def _lines_of_pass(row: PassCoverage) -> Iterator[str]:
    where = f" on {row.library}" if row.library else ""
    counts = f"{row.num_covered} of {len(row.items)}"
    yield f"{row.declared.key.argument}{where} ({row.declared.key.source}): {counts}"
    if not row.library:
        yield "  no test runs it"
        return
    width = max(len(_title(item)) for item in row.items)
    for item in row.items:
        yield f"  {_title(item):{width}}  {item.verdict}{_tests_of(item)}"


def _title(item: ItemCoverage) -> str:
    return " ".join(filter(None, item.item))


def _tests_of(item: ItemCoverage) -> str:
    """Return the first test of an item, and the number of others."""
    names = item.test_names
    if not names:
        return ""
    others = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f": {names[0]}{others}"
