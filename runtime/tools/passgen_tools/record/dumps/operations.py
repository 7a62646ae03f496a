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
        outermost = {_key(dump.ir) for dump in dumps if dump.is_outermost}
        if not outermost:
            states = {dump.ir for dump in dumps}
            modules = {_key(ir) for ir in states if ir.name == _MODULE}
            outermost = modules - {
                _key(ir) for root in states for _, ir in _inside(root)
            }
        self._outermost = outermost
        roots = [dump.ir for dump in dumps if self.shows_outermost(dump)]
        self._root = roots[0] if roots else None
        self._names[()] = self._root.name if self._root else _MODULE
        for root in dict.fromkeys(roots):
            self._note_children(root, ())
        for dump in dumps:
            dump.path = self._find(dump)

    def shows_outermost(self, dump: Dump) -> bool:
        """Return whether the IR of `dump` is that of the outermost operation."""
        return dump.is_outermost or _key(dump.ir) in self._outermost

    def name(self, path: OperationPath) -> str:
        """Return the name of an operation, e.g. `func.func`."""
        return self._names.get(path, _MODULE)

    def text(self, path: OperationPath) -> str:
        """Return `path` in the form of records: `@outer/@f`."""
        symbol = self._root and self._root.symbol
        return "/".join((f"@{symbol}", *path) if symbol else path) or self._names[()]

    def around(
        self, path: OperationPath, outer: OperationPath = ()
    ) -> list[tuple[str, str]]:
        """Return the parts of `path` below `outer`, with the operations' names."""
        places = range(len(outer), len(path))
        return [(path[i], self.name(path[: i + 1])) for i in places]

    def _find(self, dump: Dump) -> OperationPath:
        name, symbol = dump.ir.name, dump.ir.symbol
        if (operation := dump.header.operation) is not None:
            # With module scope, the IR is that of the outermost operation.
            name, symbol = operation.name, operation.symbol
        shows_outermost = self.shows_outermost(dump)
        if shows_outermost and (name, symbol) == (dump.ir.name, dump.ir.symbol):
            return ()
        key = name if shows_outermost else _key(dump.ir)
        if symbol is not None:
            key = symbol
        paths = self._paths.get(key)
        if paths is None:
            number = len(self._paths)
            part = f"@{symbol}" if symbol is not None else f"{name}[{number}]"
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
        text, is_after = dump.header.pass_text, dump.header.is_after
        begun = self._begun[key, text]
        candidates = begun if is_after and begun else paths
        same = [path for path in candidates if dump.ir in self._shown[path]]
        path = min(
            same or candidates, key=lambda path: self._counts[path, text, is_after]
        )
        self._counts[path, text, is_after] += 1
        if not is_after:
            begun.append(path)
        elif path in begun:
            begun.remove(path)
        return path

    def _note_children(self, row: StoredIR, path: OperationPath) -> None:
        """Note the paths of the operations in `row`, whose path is `path`."""
        for inside, ir in _inside(row, path):
            paths = self._paths.setdefault(_key(ir), [])
            if inside not in paths:
                paths.append(inside)
            self._shown[inside].add(ir)
            self._names.setdefault(inside, ir.name)


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
                inside, last = _symbols(event.ir), runs[-1]
                begin = num_settled
                while begin < len(last) and not _is_of(last[begin], inside):
                    begin += 1
                runs.append(last[begin:])
                del last[begin:]
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
    return {child.symbol for _, child in ir.children if child.symbol is not None}


def _is_of(event: Event, symbols: set[str]) -> bool:
    return isinstance(event, Dump) and event.ir.symbol in symbols


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
