"""Records of runs as plain data: passes, times, statistics, diagnostics and IR."""

from __future__ import annotations

import itertools
import textwrap
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from math import inf
from pathlib import Path
from typing import Final

from passgen_tools.record.ir_store import OMITTED_REGION
from passgen_tools.record.operation_paths import inner_path
from passgen_tools.record.record_check import report_damage
from passgen_tools.record.record_file import RecordError, decompress
from passgen_tools.record.record_reader import RecordReader
from passgen_tools.record.tables import (
    RecordedExecution,
    RecordedOperation,
    RecordedPass,
)

_MAX_TEXT_BYTES: Final = 2**28
"""The limit on the text of all IR of a record; each text counts once."""

_MAX_OPERATIONS: Final = 10**7
"""The limit on texts nested in one text; a shared text counts at each place."""


@dataclass(frozen=True, slots=True)
class Execution:
    """One call of a pass on an operation."""

    id: int
    run_id: int
    path: str
    """E.g. `builtin.module/func.func[1]/cse[0]`."""

    text: str
    """The pass with its options, as a pipeline shows it."""

    operation: str
    """The path of the operation, e.g. `@outer/@f`."""

    status: str
    """`succeeded`, `failed`, or `running` if the pass has not ended."""

    wall_time_s: float | None
    before_id: int | None
    """`None` if a log of IR dumps does not show it."""

    after_id: int | None

    @property
    def has_changed(self) -> bool:
        """Whether the record shows that the pass has changed the IR."""
        states = {self.before_id, self.after_id}
        return len(states) == 2 and None not in states  # noqa: PLR2004 - two states


@dataclass(frozen=True, slots=True)
class Change:
    """A change of one operation by a pass."""

    operation: str
    execution: Execution
    is_certain: bool = True
    """False if a log does not show the IR before the pass: an earlier pass may be the
    cause.
    """


def _execution(
    row: RecordedExecution, pass_: RecordedPass, operation: RecordedOperation
) -> Execution:
    return Execution(
        row.id,
        row.run_id,
        pass_.path,
        pass_.text,
        operation.path,
        row.status,
        None if row.end_s is None else row.end_s - row.begin_s,
        row.before_id,
        row.after_id,
    )


class RunRecord(RecordReader):
    """A record that is read, also while its run is still going on."""

    def __init__(self, path: str | Path) -> None:
        """Open the record at `path`.

        Raises:
            RecordError: it is not a record, or has another version.
        """
        super().__init__(path)
        self._texts: dict[int, str] = {}
        self._bytes_left = _MAX_TEXT_BYTES

    @cached_property
    def executions(self) -> tuple[Execution, ...]:
        """All calls of passes on operations, in the order of one thread."""

        def order(row: RecordedExecution) -> tuple[int, float, int]:
            position = inf if row.position is None else row.position
            return row.run_id, position, row.id

        rows = [*self.begun_executions()]
        begun = sorted(rows, key=order)
        # Read after the executions, which refer to them: a run may add rows meanwhile.
        passes, operations = self.passes, self.operations
        executions = {
            row.id: _execution(row, passes[row.pass_id], operations[row.operation_id])
            for row in begun
        }
        for number, after_id in self._unwritten_ends(rows).items():
            ended = replace(executions[number], status="succeeded", after_id=after_id)
            executions[number] = ended
        return tuple(executions.values())

    def _unwritten_ends(self, rows: list[RecordedExecution]) -> dict[int, int | None]:
        """Return the executions whose end was not written, and the IR after each.

        Ends are written in the order of one thread, so a killed process may lose those
        of other threads. An execution had ended if its thread began a later one. The IR
        after it is the input of the next pass on its operation, or unknown.
        """
        if all(row.status != "running" for row in rows):
            return {}
        # Logs of dumps have process 0; all of their passes ran in one thread.
        logs = {run.id for run in self.runs if run.process_id == 0}
        active: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        last: dict[tuple[int, int, int | None], int] = {}
        ends: dict[int, int | None] = {}
        for row in rows:
            if row.run_id in logs:
                continue
            stack = active[row.run_id, row.thread]
            while stack and stack[-1] != row.parent_id:
                stack.pop()
            stack.append(row.id)
            place = row.run_id, row.operation_id, row.parent_id
            if (previous := last.get(place)) in ends:
                ends[previous] = row.before_id
            last[place] = row.id
            if row.status == "running":
                ends[row.id] = None
        for id_ in itertools.chain(*active.values()):
            ends.pop(id_, None)
        return ends

    @property
    def changed(self) -> tuple[Execution, ...]:
        """The executions that have changed their operation."""
        return tuple(call for call in self.executions if call.has_changed)

    @property
    def running(self) -> tuple[Execution, ...]:
        """The executions that have not ended."""
        return tuple(call for call in self.executions if call.status == "running")

    @property
    def timing(self) -> dict[str, float]:
        """The wall time of each pass in all runs, in seconds, by its path."""
        times: dict[str, float] = defaultdict(float)
        for execution in self.executions:
            times[execution.path] += execution.wall_time_s or 0.0
        return dict(times)

    @property
    def statistics(self) -> dict[str, dict[str, int]]:
        """The statistics of each pass in all runs, by its path."""
        pass_ids = {row.id: row.pass_id for row in self.begun_executions()}
        passes = self.passes
        statistics: dict[str, dict[str, int]] = {}
        for execution_id, name, value in sorted(
            self.counts, key=lambda count: (pass_ids[count.execution_id], count.name)
        ):
            counts = statistics.setdefault(passes[pass_ids[execution_id]].path, {})
            counts[name] = counts.get(name, 0) + value
        return statistics

    def ir(
        self,
        ir_id: int | None,
        states: Mapping[str, int] | None = None,
        path: str = "",
        unmet: set[str] | None = None,
    ) -> str:
        """Return the text of a state of the IR, with all nested operations.

        Args:
            ir_id: the state; the text is empty for `None`.
            states: other states of nested operations, by path.
            path: the path of the operation, if there are `states`.
            unmet: the paths in `states`; the paths that are used are removed.
        """
        if ir_id is None:
            return ""
        if unmet is not None:
            unmet.discard(path)
        shell, texts = self._text(ir_id), []
        for name, child in self.children.get(ir_id, {}).items():
            inner = inner_path(path, name)
            state = child if states is None else states.get(inner, child)
            texts.append(self.ir(state, states, inner, unmet))
        if not texts:
            return shell
        inside = "\n".join(texts)
        head, omitted, tail = shell.rpartition(OMITTED_REGION)
        if not omitted:
            head, tail = f"{shell} ", ""
        return f"{head}{{\n{textwrap.indent(inside, '  ')}\n}}{tail}"

    def has_same_shell(self, ir_id: int, other_id: int) -> bool:
        """Return whether two states differ only in their children."""
        return self._text(ir_id) == self._text(other_id)

    def introduced(self, text: str) -> list[Change]:
        """Return, for each operation, the pass that first added `text` to it.

        The text may be an operation's name, an attribute, a type or a location. A
        change is not certain if a log does not show the IR before the pass.
        """
        first: dict[str, Change] = {}
        for change in self._changes_of(text, is_added=True):
            first.setdefault(change.operation, change)
        return list(first.values())

    def removed(self, text: str) -> list[Change]:
        """Return, for each operation, the pass that last removed `text` from it."""
        changes = self._changes_of(text, is_added=False)
        return list({change.operation: change for change in changes}.values())

    def _changes_of(self, text: str, *, is_added: bool) -> Iterator[Change]:
        """Yield the changes that added `text` to an operation, or removed it."""

        @cache
        def contains(ir_id: int | None) -> bool:
            return ir_id is not None and text in self._text(ir_id)

        last: dict[int, dict[str, int]] = {}
        """The latest states of operations, by run and path."""

        shows_all = all(call.before_id is not None for call in self.executions)
        for execution in self.executions:
            before_id, after_id = execution.before_id, execution.after_id
            if after_id is None or (before_id == after_id and shows_all):
                continue
            after = self.parts(execution.operation, after_id)
            seen = last.setdefault(execution.run_id, {})
            if before_id is None:
                before = {path: seen[path] for path in after if path in seen}
            else:
                before = self.parts(execution.operation, before_id)
            seen |= after
            for path in {**before, **after}:
                old, new = before.get(path), after.get(path)
                if old != new and contains(new) is is_added is not contains(old):
                    yield Change(path, execution, before_id is not None)

    def parts(self, path: str, ir_id: int) -> dict[str, int]:
        """Return a state and those of its nested operations, by path."""
        parts = {path: ir_id}
        for name, child in self.children.get(ir_id, {}).items():
            parts |= self.parts(inner_path(path, name), child)
        return parts

    def _text(self, ir_id: int) -> str:
        if ir_id not in self._texts:
            with report_damage(self.path):
                self._texts[ir_id] = self.decompress(self.ir_row(ir_id).text)
        return self._texts[ir_id]

    def decompress(self, data: bytes) -> str:
        """Return the text of IR from the form of the record.

        Raises:
            ValueError: `data` is damaged, or the record has too much text.
            zlib.error: `data` is damaged.
        """
        content = decompress(data, self._bytes_left)
        self._bytes_left -= len(content)
        return content.decode(errors="surrogatepass")

    @cached_property
    def children(self) -> Mapping[int, Mapping[str, int]]:
        """The children of each text that has any, by the names of operations.

        Raises:
            RecordError: a text has too many nested texts.
        """
        children: defaultdict[int, dict[str, int]] = defaultdict(dict)
        sizes: defaultdict[int, int] = defaultdict(lambda: 1)
        for ir_id, _, child, name in self.child_rows:
            children[ir_id][name] = child
            sizes[ir_id] += sizes[child]
            if sizes[ir_id] > _MAX_OPERATIONS:
                message = f"'{self.path}' is damaged: a text of its IR is without end"
                raise RecordError(message)
        return dict(children)
