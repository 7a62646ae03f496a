"""A gate for CI: conditions that fail if run B does less than run A."""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Final, NamedTuple, TypeAlias

from passgen_rules.suggestions import nearest_name
from passgen_runtime.remarks import REMARK_KINDS
from passgen_tools.record import RecordError, RunRecord

_REMARKS: Final = re.compile(rf"(lost|new)-({'|'.join(REMARK_KINDS)})")
_STATISTIC: Final = re.compile(
    r"statistic:(?P<name>.+)(?P<sign>[<>])(?P<limit>[+-]?\d+(?:\.\d+)?)(?P<percent>%?)",
    re.ASCII,
)
_EXAMPLES: Final = ("lost-passed", "new-missed", "new-failed", "statistic:NAME<-5%")
_MAX_COLUMNS: Final = 80
_COLUMNS: Final = ("condition", "pass", "what", "operation", "A", "B")


class Finding(NamedTuple):
    """A row of the table: what a condition found, and how often in both runs."""

    condition: str
    category: str
    what: str
    operation: str
    old: int
    new: int


@dataclass(frozen=True, slots=True)
class RemarkCondition:
    """Fails for remarks of a kind that are made less often than before, or more."""

    text: str
    """The condition as it is written."""

    kind: str
    is_lost: bool

    def findings(self, old: RunRecord, new: RunRecord) -> Iterator[Finding]:
        """Yield the remarks, by pass, name and operation."""
        before, after = (_remarks(record, self.kind) for record in (old, new))
        for key in sorted(before.keys() | after.keys()):
            counts = before.get(key, 0), after.get(key, 0)
            if counts[0] != counts[1] and (counts[0] > counts[1]) is self.is_lost:
                yield Finding(self.text, *key, *counts)


@dataclass(frozen=True, slots=True)
class StatisticCondition:
    """Fails if the sum of a statistic has changed by more than a limit."""

    text: str
    name: str
    is_below: bool
    limit: float
    is_percent: bool

    def findings(self, old: RunRecord, new: RunRecord) -> Iterator[Finding]:
        """Yield the sums if they fail the condition.

        Raises:
            RecordError: no pass has the statistic.
        """
        sums = [_statistics(record) for record in (old, new)]
        known = sums[0] | sums[1]
        if self.name not in known:
            nearest = nearest_name(self.name, known)
            note = f"\nnote: did you mean '{nearest}'?" if nearest else ""
            message = f"no pass of the records has the statistic '{self.name}'"
            raise RecordError(message + note)
        before, after = (counts.get(self.name, 0) for counts in sums)
        change: float = after - before
        if self.is_percent and change:
            change = 100 * change / before if before else inf
        if change < self.limit if self.is_below else change > self.limit:
            yield Finding(self.text, "", self.name, "", before, after)


Condition: TypeAlias = RemarkCondition | StatisticCondition


def parse_conditions(text: str) -> list[Condition]:
    """Return the conditions in a list with commas: the type of an argument.

    Raises:
        argparse.ArgumentTypeError: one is none.
    """
    return [_condition(part.strip()) for part in text.split(",")]


def _condition(text: str) -> Condition:
    if (remarks := _REMARKS.fullmatch(text)) is not None:
        return RemarkCondition(text, remarks[2], remarks[1] == "lost")
    if (found := _STATISTIC.fullmatch(text)) is not None:
        limit = float(found["limit"]), bool(found["percent"])
        return StatisticCondition(text, found["name"], found["sign"] == "<", *limit)
    nearest = nearest_name(text, _EXAMPLES)
    hint = f"; did you mean '{nearest}'?" if nearest else ""
    known = f"{', '.join(_EXAMPLES[:-1])} or {_EXAMPLES[-1]}"
    message = f"'{text}' is no condition, such as {known}{hint}"
    raise argparse.ArgumentTypeError(message)


def _remarks(record: RunRecord, kind: str) -> dict[tuple[str, str, str], int]:
    """Return the number of remarks by pass, name and operation."""
    return Counter(
        (remark.category, remark.name, remark.operation or "")
        for remark in record.remarks
        if remark.kind == kind
    )


def _statistics(record: RunRecord) -> dict[str, int]:
    """Return the sum of each statistic over all passes."""
    sums: dict[str, int] = {}
    for count in record.counts:
        sums[count.name] = sums.get(count.name, 0) + count.value
    return sums


def gate_table(findings: Sequence[Finding]) -> str:
    """Return the findings as text, a line for each."""
    rows = [_COLUMNS, *(tuple(map(_cell, finding)) for finding in findings)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    )
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _cell(value: object) -> str:
    """Return `value` on one line; a message that names a remark may have several."""
    text = " ".join(str(value).split())
    return text if len(text) <= _MAX_COLUMNS else f"{text[:_MAX_COLUMNS]}..."
