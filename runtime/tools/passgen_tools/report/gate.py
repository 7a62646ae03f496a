"""A gate for CI: conditions that fail if run B does less than run A."""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Final, NamedTuple, TypeAlias

from passgen_rules.suggestions import nearest_name
from passgen_runtime.remarks import REMARK_KINDS
from passgen_tools.record import RecordError, RunRecord

_REMARKS: Final = re.compile(
    rf"(?P<change>lost|new)-(?P<kind>{'|'.join(REMARK_KINDS)})"
)
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
        old_counts = _remark_counts(old, self.kind)
        new_counts = _remark_counts(new, self.kind)
        for remark in sorted(old_counts.keys() | new_counts.keys()):
            old_count = old_counts.get(remark, 0)
            new_count = new_counts.get(remark, 0)
            fails = new_count < old_count if self.is_lost else new_count > old_count
            if fails:
                yield Finding(self.text, *remark, old_count, new_count)


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
        old_sums = _statistic_sums(old)
        new_sums = _statistic_sums(new)
        self._check_name(old_sums | new_sums)
        old_sum = old_sums.get(self.name, 0)
        new_sum = new_sums.get(self.name, 0)
        change = self._change(old_sum, new_sum)
        fails = change < self.limit if self.is_below else change > self.limit
        if fails:
            yield Finding(self.text, "", self.name, "", old_sum, new_sum)

    def _check_name(self, known: Mapping[str, int]) -> None:
        """Refuse a statistic that is not among the `known` ones."""
        if self.name in known:
            return
        message = f"no pass of the records has the statistic '{self.name}'"
        nearest = nearest_name(self.name, known)
        if nearest:
            message += f"\nnote: did you mean '{nearest}'?"
        raise RecordError(message)

    def _change(self, old_sum: int, new_sum: int) -> float:
        """Return the change of the sum, as a number or in percent, like the limit."""
        difference = new_sum - old_sum
        if not self.is_percent or difference == 0:
            return difference
        if old_sum == 0:
            return inf
        return 100 * difference / old_sum


Condition: TypeAlias = RemarkCondition | StatisticCondition


def parse_conditions(text: str) -> list[Condition]:
    """Return the conditions in a list with commas: the type of an argument.

    Raises:
        argparse.ArgumentTypeError: one is none.
    """
    return [_condition(part.strip()) for part in text.split(",")]


def _condition(text: str) -> Condition:
    """Return the condition that `text` spells."""
    remarks = _REMARKS.fullmatch(text)
    if remarks is not None:
        is_lost = remarks["change"] == "lost"
        return RemarkCondition(text, remarks["kind"], is_lost)
    statistic = _STATISTIC.fullmatch(text)
    if statistic is not None:
        return StatisticCondition(
            text,
            statistic["name"],
            is_below=statistic["sign"] == "<",
            limit=float(statistic["limit"]),
            is_percent=statistic["percent"] == "%",
        )
    nearest = nearest_name(text, _EXAMPLES)
    hint = f"; did you mean '{nearest}'?" if nearest else ""
    known = f"{', '.join(_EXAMPLES[:-1])} or {_EXAMPLES[-1]}"
    message = f"'{text}' is no condition, such as {known}{hint}"
    raise argparse.ArgumentTypeError(message)


def _remark_counts(record: RunRecord, kind: str) -> dict[tuple[str, str, str], int]:
    """Return the number of remarks by pass, name and operation."""
    return Counter(
        (remark.category, remark.name, remark.operation or "")
        for remark in record.remarks
        if remark.kind == kind
    )


def _statistic_sums(record: RunRecord) -> dict[str, int]:
    """Return the sum of each statistic over all passes."""
    sums: dict[str, int] = {}
    for count in record.counts:
        sums[count.name] = sums.get(count.name, 0) + count.value
    return sums


def gate_table(findings: Sequence[Finding]) -> str:
    """Return the findings as text, a line for each."""
    rows = [_COLUMNS, *map(_cells, findings)]
    columns = zip(*rows, strict=True)
    widths = [max(map(len, column)) for column in columns]
    return "".join(_line(row, widths) for row in rows)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    """Return a row of the table as a line."""
    cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
    return "  ".join(cells).rstrip() + "\n"


def _cells(finding: Finding) -> tuple[str, ...]:
    """Return the row of a finding."""
    return tuple(_cell(value) for value in finding)


def _cell(value: object) -> str:
    """Return `value` on one line; a message that names a remark may have several."""
    text = " ".join(str(value).split())
    return text if len(text) <= _MAX_COLUMNS else f"{text[:_MAX_COLUMNS]}..."
