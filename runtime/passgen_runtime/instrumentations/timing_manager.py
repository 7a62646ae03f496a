"""Execution times as a tree of timers, and its reports.

Implements `mlir::DefaultTimingManager`, which `pass_timing` and the driver use.
The reports have the format of `mlir-opt --mlir-timing`.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from passgen_runtime.diagnostics import visible

TimingDisplay = Literal["list", "tree"]
TimingFormat = Literal["text", "json"]

_RULE = f"===-{'-' * 71}-===\n"
_TITLE = f"{'... Execution time report ...':^80}".rstrip() + "\n"


class TimeRecord(NamedTuple):
    """The time of a timer, or of all timers of one name."""

    wall_s: float
    """The longest time of a thread."""

    user_s: float
    """The sum of the times of all threads."""

    def plus(self, other: TimeRecord) -> TimeRecord:
        """Return the sum of two times."""
        return TimeRecord(self.wall_s + other.wall_s, self.user_s + other.user_s)

    def minus(self, other: TimeRecord) -> TimeRecord:
        """Return the difference from the time `other`."""
        return TimeRecord(self.wall_s - other.wall_s, self.user_s - other.user_s)


class Timer:
    """The time of an activity, and the timers of its parts."""

    def __init__(self, name: str, *, is_hidden: bool = False) -> None:
        """Start at zero, hidden in the tree or not."""
        self.name = name
        self.is_hidden = is_hidden
        self.children: dict[Hashable, Timer] = {}
        self._seconds: dict[Hashable, float] = {}
        """The seconds by thread or worker."""

        self._concurrent_s = 0.0
        """The seconds in other threads than that of the timer around this one."""

    def child(self, key: Hashable, name: str, *, is_hidden: bool = False) -> Timer:
        """Return the part that `key` identifies, made on first use."""
        timer = self.children.get(key)
        if timer is None:
            timer = self.children[key] = Timer(name, is_hidden=is_hidden)
        return timer

    def add(self, seconds: float, thread_id: Hashable, *, is_concurrent: bool) -> None:
        """Add `seconds` that were spent in a thread or a worker."""
        self._seconds[thread_id] = self._seconds.get(thread_id, 0.0) + seconds
        if is_concurrent:
            self._concurrent_s += seconds

    def plain(self) -> list[Any]:
        """Return the timers inside as plain data, for another process."""
        return [
            [key, child.name, child.is_hidden, child.sum_s(), child.plain()]
            for key, child in self.children.items()
        ]

    def sum_s(self) -> float:
        """Return the seconds of all threads."""
        return sum(self._seconds.values())

    def take(self, plain: list[Any], worker: str, *, is_outermost: bool = True) -> None:
        """Add the times of timers inside that a `worker` has sent."""
        for key, name, is_hidden, seconds, inside in plain:
            known: Hashable = tuple(key) if isinstance(key, list) else key
            child = self.child(known, name, is_hidden=is_hidden)
            child.add(seconds, worker, is_concurrent=is_outermost)
            child.take(inside, worker, is_outermost=False)

    @property
    def record(self) -> TimeRecord:
        """The time so far."""
        seconds = self._seconds.values()
        inside = sum(child.concurrent_s() for child in self.children.values())
        return TimeRecord(max(seconds, default=0.0), sum(seconds) + inside)

    def concurrent_s(self) -> float:
        """Return the seconds spent here that no timer around this one includes."""
        inside = (child.concurrent_s() for child in self.children.values())
        return self._concurrent_s + sum(inside)


@dataclass(slots=True)
class TimingScope:
    """One run of a timer; its parts are nested while it runs."""

    timer: Timer
    started_s: float
    thread_id: int
    is_concurrent: bool = False
    num_steps: int = 0
    """The number of passes and collections of pipelines that have begun inside."""


class TimingManager:
    """The timers of one run, below the root timer that runs from the start."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        """Start the root timer."""
        self._clock = clock
        self.root = Timer("root")
        """The timers of passes, pipelines and analyses are its children."""

        self.root_scope = TimingScope(self.root, clock(), threading.get_ident())
        self._is_running = True

    def __repr__(self) -> str:
        """Return the report: notebooks show it."""
        return self.report()

    def start(self, timer: Timer, around: TimingScope) -> TimingScope:
        """Start `timer` in this thread, as a part of what `around` measures."""
        thread_id = threading.get_ident()
        is_concurrent = thread_id != around.thread_id
        return TimingScope(timer, self._clock(), thread_id, is_concurrent)

    def stop(self, scope: TimingScope) -> None:
        """Add the time since `scope` was started to its timer."""
        seconds = self._clock() - scope.started_s
        scope.timer.add(seconds, scope.thread_id, is_concurrent=scope.is_concurrent)

    def finish(self) -> None:
        """Stop the root timer: the total is the time until now."""
        self.stop(self.root_scope)
        self._is_running = False

    def by_name(self) -> dict[str, TimeRecord]:
        """Return the sum over all timers of a name, in order of time."""
        return dict(_by_time(self.root.children.values()))

    @contextmanager
    def nest(self, name: str) -> Iterator[None]:
        """Measure the block as a part called `name`, directly below the root."""
        scope = self.start(self.root.child(name, name), self.root_scope)
        try:
            yield
        finally:
            self.stop(scope)

    def report(
        self, display: TimingDisplay = "tree", output_format: TimingFormat = "text"
    ) -> str:
        """Return all times measured so far, in MLIR's format.

        Args:
            display: `tree` mirrors the nesting; `list` adds up all timers of a name, in
                order of time.
            output_format: text for people or JSON for programs.
        """
        if self._is_running:
            self.stop(self.root_scope)
            self.root_scope.started_s = self._clock()
        total = self.root.record
        layout = _Text(total) if output_format == "text" else _Json(total)
        lines = layout.header()
        if display == "list":
            for name, record in _by_time([self.root]):
                lines.append(layout.list_line(name, record))
        else:
            for child in self.root.children.values():
                lines += _tree_lines(child, layout, 0)
        rest = total
        for timer in _shown_timers(self.root):
            rest = rest.minus(timer.record)
        lines.append(layout.list_line("Rest", rest))
        lines += layout.footer()
        return "".join(f"{line}\n" for line in lines)


def _by_time(timers: Iterable[Timer]) -> list[tuple[str, TimeRecord]]:
    records: dict[str, TimeRecord] = {}
    pending = [*timers][::-1]
    while pending:
        timer = pending.pop()
        record = records.get(timer.name, TimeRecord(0.0, 0.0))
        records[timer.name] = record.plus(timer.record)
        pending.extend(reversed(timer.children.values()))
    return sorted(records.items(), key=lambda entry: entry[1].wall_s, reverse=True)


def _shown_timers(timer: Timer) -> Iterator[Timer]:
    """Yield the outermost timers inside of `timer` that the report shows."""
    for child in timer.children.values():
        if child.is_hidden:
            yield from _shown_timers(child)
        else:
            yield child


def _tree_lines(timer: Timer, layout: _Text | _Json, indent: int) -> list[str]:
    lines = []
    inside = indent
    if not timer.is_hidden:
        lines.append(layout.tree_line(timer.name, timer.record, indent))
        inside += 2
    for child in timer.children.values():
        lines += _tree_lines(child, layout, inside)
    if not timer.is_hidden:
        lines += layout.tree_end(indent)
    return lines


class _Columns:
    """The columns of a report; user time only if threads have made it differ."""

    def __init__(self, total: TimeRecord) -> None:
        self._total = total
        self.has_user = total.user_s != total.wall_s

    def columns(self, record: TimeRecord) -> list[tuple[str, float, float]]:
        """Return name, seconds and percentage of each column."""
        columns = []
        if self.has_user:
            user = 100.0 * record.user_s / (self._total.user_s or 1.0)
            columns.append(("user", record.user_s, user))
        wall = 100.0 * record.wall_s / (self._total.wall_s or 1.0)
        return [*columns, ("wall", record.wall_s, wall)]

    def total_columns(self) -> list[tuple[str, float, float]]:
        """Return the columns of the total, which is 100 % even of 0 seconds."""
        return [(key, seconds, 100.0) for key, seconds, _ in self.columns(self._total)]


class _Text(_Columns):
    def header(self) -> list[str]:
        user = "  ----User Time----" if self.has_user else ""
        total = f"  Total Execution Time: {self._total.wall_s:.4f} seconds"
        banner = f"{_RULE}{_TITLE}{_RULE}{total}\n"
        return [banner, f"{user}  ----Wall Time----  ----Name----"]

    def list_line(self, name: str, record: TimeRecord) -> str:
        return self._line(name, self.columns(record))

    def tree_line(self, name: str, record: TimeRecord, indent: int) -> str:
        return self._line(" " * indent + name, self.columns(record))

    def tree_end(self, _indent: int) -> list[str]:
        return []

    def footer(self) -> list[str]:
        return [self._line("Total", self.total_columns())]

    @staticmethod
    def _line(name: str, columns: list[tuple[str, float, float]]) -> str:
        cells = (f"  {time_s:8.4f} ({percent:5.1f}%)" for _, time_s, percent in columns)
        return f"{''.join(cells)}  {visible(name)}"


class _Json(_Columns):
    def header(self) -> list[str]:
        return ["["]

    def list_line(self, name: str, record: TimeRecord) -> str:
        return f"{self._fields(name, self.columns(record))}}},"

    def tree_line(self, name: str, record: TimeRecord, indent: int) -> str:
        return f'{" " * indent}{self._fields(name, self.columns(record))}, "passes": ['

    def tree_end(self, indent: int) -> list[str]:
        return [f"{' ' * indent}{{}}]}},"]

    def footer(self) -> list[str]:
        return [f"{self._fields('Total', self.total_columns())}}}", "]"]

    @staticmethod
    def _fields(name: str, columns: list[tuple[str, float, float]]) -> str:
        cells = "".join(
            f'"{key}": {{"duration": {seconds:8.4f}, "percentage": {percent:5.1f}}}, '
            for key, seconds, percent in columns
        )
        return f'{{{cells}"name": {json.dumps(name, ensure_ascii=False)}'
