"""The operations in a log of IR dumps, and their paths in the outermost operation."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Final

from passgen_tools.record.dumps.dump_log import Dump, Event, OperationPath
from passgen_tools.record.dumps.ir_table import StoredIR

_MODULE: Final = "builtin.module"


class Operations:
    """Finds out which dumps show the same operation, and the parents of each operation.

    A dump does not show the parents of its operation; other dumps do.
    """

    def __init__(self, dumps: Sequence[Dump]) -> None:
        """Collect the operations in all `dumps`; set the path of each dump."""
        self._paths: dict[Hashable, list[OperationPath]] = {}
        """The paths of operations by key: several operations may share a symbol."""

        self._shown: defaultdict[OperationPath, set[StoredIR]] = defaultdict(set)
        """The states of each operation in dumps."""

        self._begun: defaultdict[Hashable, list[OperationPath]] = defaultdict(list)
        """The operations with a dump before a pass, but no dump after it yet."""

        self._counts: Counter[Hashable] = Counter()
        """The number of dumps of a pass on each operation."""

        self._names: dict[OperationPath, str] = {}
        self._outermost_keys = _outermost_keys(dumps)
        roots = [dump.ir for dump in dumps if self.shows_outermost(dump)]
        self._root = roots[0] if roots else None
        self._names[()] = self._root.name if self._root else _MODULE
        for root in dict.fromkeys(roots):
            self._note_children(root, ())
        for dump in dumps:
            dump.path = self._find(dump)

    def shows_outermost(self, dump: Dump) -> bool:
        """Return whether the IR of `dump` is that of the outermost operation."""
        return dump.is_outermost or _key(dump.ir) in self._outermost_keys

    def name(self, path: OperationPath) -> str:
        """Return the name of an operation, e.g. `func.func`."""
        return self._names.get(path, _MODULE)

    def text(self, path: OperationPath) -> str:
        """Return `path` in the form of records: `@outer/@f`."""
        parts = list(path)
        if self._root is not None and self._root.symbol:
            parts.insert(0, f"@{self._root.symbol}")
        return "/".join(parts) or self._names[()]

    def around(
        self, path: OperationPath, outer: OperationPath = ()
    ) -> list[tuple[str, str]]:
        """Return the parts of `path` below `outer`, with the operations' names."""
        return [
            (path[depth - 1], self.name(path[:depth]))
            for depth in range(len(outer) + 1, len(path) + 1)
        ]

    def _find(self, dump: Dump) -> OperationPath:
        """Return the path of the operation of a dump."""
        name, symbol = dump.ir.name, dump.ir.symbol
        if (operation := dump.header.operation) is not None:
            # With module scope, the IR is that of the outermost operation.
            name, symbol = operation.name, operation.symbol
        shows_outermost = self.shows_outermost(dump)
        if shows_outermost and (name, symbol) == (dump.ir.name, dump.ir.symbol):
            return ()
        key: Hashable
        if symbol is not None:
            key = symbol
        elif shows_outermost:
            key = name
        else:
            key = _key(dump.ir)
        paths = self._paths.get(key)
        if paths is None:
            number = len(self._paths)
            part = f"{name}[{number}]" if symbol is None else f"@{symbol}"
            paths = self._paths[key] = [(part,)]
        path = self._choose(dump, key, paths)
        self._names.setdefault(path, name)
        if not shows_outermost:
            self._shown[path].add(dump.ir)
            self._note_children(dump.ir, path)
        return path

    def _choose(
        self, dump: Dump, key: Hashable, paths: Sequence[OperationPath]
    ) -> OperationPath:
        """Return the path in `paths` of the operation that a dump shows.

        For a dump after a pass, the candidates are the operations with a dump before
        it. Those with a dump of the same text come first, then those with the fewest
        dumps of the pass.
        """
        pass_text, is_after = dump.header.pass_text, dump.header.is_after

        def num_dumps(path: OperationPath) -> int:
            return self._counts[path, pass_text, is_after]

        begun = self._begun[key, pass_text]
        candidates = begun if is_after and begun else paths
        same = [path for path in candidates if dump.ir in self._shown[path]]
        chosen = min(same or candidates, key=num_dumps)
        self._counts[chosen, pass_text, is_after] += 1
        if not is_after:
            begun.append(chosen)
        elif chosen in begun:
            begun.remove(chosen)
        return chosen

    def _note_children(self, row: StoredIR, path: OperationPath) -> None:
        """Note the paths of the operations in `row`, whose path is `path`."""
        for inner_path, ir in _inside(row, path):
            paths = self._paths.setdefault(_key(ir), [])
            if inner_path not in paths:
                paths.append(inner_path)
            self._shown[inner_path].add(ir)
            self._names.setdefault(inner_path, ir.name)


def _outermost_keys(dumps: Sequence[Dump]) -> set[Hashable]:
    """Return the keys of the outermost operations: those that headers call so.

    If there are none, they are the modules that no other dump has inside.
    """
    outermost = {_key(dump.ir) for dump in dumps if dump.is_outermost}
    if outermost:
        return outermost
    inner: set[Hashable] = set()
    states = {dump.ir for dump in dumps}
    for state in states:
        inner.update(_key(ir) for _, ir in _inside(state))
    return {_key(state) for state in states if state.name == _MODULE} - inner


def split_runs(events: Iterable[Event]) -> list[list[Event]]:
    """Split a log where the passes start to run on another outermost operation.

    Another operation has another symbol or, without a symbol, other symbols inside.
    Dumps of its children may come before its own dump.
    """
    runs: list[list[Event]] = [[]]
    outermost: StoredIR | None = None
    """The outermost operation of the last run."""

    num_settled = 0
    """The number of events of the last run up to the dump of that operation."""

    for event in events:
        if isinstance(event, Dump) and event.is_outermost:
            if outermost is not None and _is_another(event.ir, outermost):
                last_run = runs[-1]
                begin = _first_child(last_run, num_settled, event.ir)
                runs.append(last_run[begin:])
                del last_run[begin:]
            outermost = event.ir
            num_settled = len(runs[-1]) + 1
        runs[-1].append(event)
    return runs


def _is_another(ir: StoredIR, other: StoredIR) -> bool:
    """Return whether two states are of different outermost operations."""
    if ir.symbol is not None or other.symbol is not None:
        return ir.symbol != other.symbol
    symbols, others = _symbols(ir), _symbols(other)
    return bool(symbols and others) and not symbols & others


def _symbols(ir: StoredIR) -> set[str]:
    """Return the symbols of the children of an operation."""
    return {child.symbol for _, child in ir.children if child.symbol is not None}


def _first_child(events: Sequence[Event], begin: int, parent: StoredIR) -> int:
    """Return the first event from `begin` on that dumps a child of `parent`."""
    symbols = _symbols(parent)
    for number in range(begin, len(events)):
        event = events[number]
        if isinstance(event, Dump) and event.ir.symbol in symbols:
            return number
    return len(events)


def _key(row: StoredIR) -> Hashable:
    """Return the key of an operation: its symbol, else its name and first symbol."""
    if row.symbol is not None:
        return row.symbol
    return row.name, row.first_symbol


def _inside(
    root: StoredIR, path: OperationPath = ()
) -> Iterator[tuple[OperationPath, StoredIR]]:
    """Yield the operations in `root`, whose path is `path`; outer ones come first."""
    pending = deque([(path, root)])
    while pending:
        around, parent = pending.popleft()
        inside = [((*around, name), child) for name, child in parent.children]
        yield from inside
        pending += inside
