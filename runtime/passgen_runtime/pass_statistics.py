"""Pass statistics: counters that passes keep, and the reports over a pipeline.

Implements "Pass Statistics" of MLIR's PassManagement page; the reports have the format
of `mlir-opt --mlir-pass-statistics`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from functools import total_ordering
from operator import index
from typing import ClassVar, Literal, Self, overload

StatisticsDisplay = Literal["list", "pipeline"]
StatisticKind = Literal["sum", "maximum"]

_RULE = f"==={'-' * 73}===\n"
_TITLE = f"{'... Pass statistics report ...':^80}".rstrip() + "\n"


@total_ordering
@dataclass(slots=True, eq=False)
class Statistic:
    """A counter of one pass: `self.num_unrolled += 1`, `int(self.num_unrolled)`.

    Each thread counts in its own copy of the pass; the copies are merged when the run
    ends, so a count is never lost and never depends on threads. A count cannot be set,
    and a `maximum` only changes by `self.depth.update_max(3)`.
    """

    display_name: str
    description: str
    kind: StatisticKind = "sum"
    _value: int = field(default=0, init=False)

    @property
    def value(self) -> int:
        """The count."""
        return self._value

    def __iadd__(self, amount: int) -> Self:
        """Add `amount`.

        Raises:
            TypeError: it is a maximum, or `amount` is no integer.
        """
        if self.kind == "maximum":
            call = "update_max(value) keeps the largest value"
            raise TypeError(f"the statistic '{self.display_name}' is a maximum: {call}")
        self._value += index(amount)
        return self

    def __isub__(self, amount: int) -> Self:
        """Subtract `amount`; see `__iadd__`."""
        return self.__iadd__(-amount)

    def __add__(self, amount: int) -> int:
        """Return the sum of the count and `amount`; mypy reads `+=` as this."""
        return self.value + amount

    def __index__(self) -> int:
        """Return the count."""
        return self.value

    def __eq__(self, other: object) -> bool:
        """Return whether the count is that of `other`, or the number `other`."""
        if isinstance(other, int | Statistic):
            return self.value == int(other)
        return NotImplemented

    def __lt__(self, other: int | Statistic) -> bool:
        """Return whether the count is below that of `other`, or the number `other`."""
        return self.value < int(other)

    __hash__ = None  # type: ignore[assignment] # mutable, and equal by count

    def update_max(self, value: int) -> None:
        """Raise the maximum to `value` if it is below.

        Raises:
            TypeError: it is a sum, or `value` is no integer.
        """
        if self.kind == "sum":
            found = f"the statistic '{self.display_name}' is a sum: add to it with +="
            raise TypeError(f"{found}, or declare it with the kind 'maximum'")
        self._value = max(self._value, index(value))

    def merge(self, value: int) -> None:
        """Merge the count of a copy of the same pass, or of another instance."""
        if self.kind == "maximum":
            self.update_max(value)
        else:
            self._value += value

    def take(self) -> int:
        """Return the count, and reset it."""
        value, self._value = self._value, 0
        return value


class statistic:  # noqa: N801 - used as a declaration: x = statistic(...)
    """Declares a statistic in a pass class; each instance counts its own."""

    is_optional: ClassVar[bool] = False

    def __init__(
        self, display_name: str, description: str, kind: StatisticKind = "sum"
    ) -> None:
        """Declare a statistic shown as `display_name` with `description` beside it."""
        self.display_name = display_name
        self.description = description
        self.kind = kind

    def __repr__(self) -> str:
        """Return the name that reports show."""
        return f"<statistic {self.display_name}>"

    def __set_name__(self, owner: type, name: str) -> None:
        """Store the attribute's name."""
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type) -> Statistic: ...
    def __get__(self, instance: object | None, owner: type) -> Self | Statistic:
        """Return the counter of `instance`, or the declaration itself from a class."""
        if instance is None:
            return self
        counters = statistics_of(instance)
        if self._name not in counters:
            counter = Statistic(self.display_name, self.description, self.kind)
            counters[self._name] = counter
        return counters[self._name]

    def __set__(self, instance: object, value: Statistic) -> None:
        """Accept the counter itself, which `+=` assigns.

        Raises:
            TypeError: another value is assigned; copies of the pass would add it up.
        """
        if value is not self.__get__(instance, type(instance)):
            call = "+= adds to a sum, update_max(value) keeps a maximum"
            raise TypeError(f"statistic '{self.display_name}' cannot be set: {call}")


class optional_statistic(statistic):  # noqa: N801 - as above
    """Declares a statistic that is shown only if the pass has counted."""

    is_optional = True


def statistics_of(instance: object) -> dict[str, Statistic]:
    """Return the counters of a pass that have been used, by attribute."""
    counters: dict[str, Statistic] = instance.__dict__.setdefault("_statistics", {})
    return counters


def declared_statistics(instance: object) -> list[Statistic]:
    """Return all counters of a pass in order of display name, also unused ones."""
    used = statistics_of(instance)
    found = [
        getattr(instance, name)
        for cls in reversed(type(instance).__mro__)
        for name, member in vars(cls).items()
        if isinstance(member, statistic) and (not member.is_optional or name in used)
    ]
    return sorted(found, key=lambda counter: str(counter.display_name))


@dataclass(frozen=True, slots=True)
class ReportNode:
    """A line of the pipeline view: a pass with its counters, or a nested pipeline."""

    name: str
    statistics: tuple[Statistic, ...] = ()
    """In order of display name."""

    children: tuple[ReportNode, ...] = ()


def report(nodes: Iterable[ReportNode], display: StatisticsDisplay) -> str:
    """Return the statistics report of the passes and pipelines in `nodes`.

    Args:
        nodes: the passes and pipelines directly in the top-level pipeline.
        display: `pipeline` mirrors the nesting; `list` adds up all instances of a pass,
            in order of name, and leaves out passes without statistics.
    """
    depth = 0
    if display == "list":
        nodes, depth = merge_nodes(nodes), 1
    body = "".join(line for node in nodes for line in _lines(node, depth))
    return f"{_RULE}{_TITLE}{_RULE}{body}\n"


def _lines(node: ReportNode, depth: int) -> list[str]:
    lines = [f"{'  ' * depth}{node.name}\n"]
    lines += _counter_lines(node.statistics, depth + 1)
    for child in node.children:
        lines += _lines(child, depth + 1)
    return lines


def merge_nodes(nodes: Iterable[ReportNode]) -> list[ReportNode]:
    """Return a node for each pass that has statistics, in order of name.

    It holds the sums and maxima over all instances of the pass.
    """
    totals: dict[str, dict[tuple[str, str], Statistic]] = {}
    pending = list(nodes)
    while pending:
        node = pending.pop(0)
        pending[:0] = node.children
        for counter in node.statistics:
            counters = totals.setdefault(node.name, {})
            key = (counter.display_name, counter.description)
            counters.setdefault(key, replace(counter)).merge(counter.value)
    return [
        ReportNode(pass_name, tuple(counters.values()))
        for pass_name, counters in sorted(totals.items())
    ]


def _counter_lines(counters: Collection[Statistic], depth: int) -> list[str]:
    value_width = max((len(str(counter.value)) for counter in counters), default=0)
    name_width = max((len(counter.display_name) for counter in counters), default=0)
    return [
        f"{'  ' * depth}(S) {counter.value:>{value_width}} "
        f"{counter.display_name:<{name_width}} - {counter.description}\n"
        for counter in counters
    ]
