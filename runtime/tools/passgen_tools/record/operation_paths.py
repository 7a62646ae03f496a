"""The paths of operations in a run record: `@outer/@f`, `func.func[2]`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Sequence

from passgen_runtime.context import Context, Operation


class OperationPaths:
    """Finds paths, each once while the symbol of its operation stays."""

    def __init__(self, context: Context, root: Operation | None = None) -> None:
        """Read operations by `context`.

        Args:
            context: of the operations.
            root: an operation whose place is known elsewhere. Its path is its symbol,
                or empty, and `completed` completes those that begin with it.
        """
        self._context = context
        self._root = None if root is None else context.key(root)
        self._known: dict[Hashable, tuple[str | None, str]] = {}
        """The symbol and the path of each operation that was met."""

    def path_of(self, operation: Operation) -> str:
        """Return the symbols around and of `operation`: `@outer/@f`."""
        context = self._context
        key, symbol = context.key(operation), context.symbol_name(operation)
        known = self._known.get(key)
        if known is None or known[0] != symbol:
            known = self._known[key] = symbol, self._new_path_of(operation, symbol)
        return known[1]

    def complete(self, path: str, root: Operation) -> str:
        """Return a path that begins with that of `root`, with all that is around.

        The symbol may have changed since.
        """
        own = path if path.startswith("@") else f"{self._number(root)}{path}"
        return self._around(root) + own

    def _new_path_of(self, operation: Operation, symbol: str | None) -> str:
        context = self._context
        part = f"@{symbol}"
        if context.key(operation) == self._root:
            return "" if symbol is None else part
        if context.parent(operation) is None:
            return context.name(operation) if symbol is None else part
        if symbol is None:
            part = self._number(operation)
        return self._around(operation) + part

    def _around(self, operation: Operation) -> str:
        """Return the path of the operation around, if it counts, and a slash."""
        context = self._context
        parent = context.parent(operation)
        is_outermost = self._root is None and context.parent(parent) is None
        if is_outermost and context.symbol_name(parent) is None:
            return ""
        return f"{self.path_of(parent)}/"

    def _number(self, operation: Operation) -> str:
        """Return the name of an operation without a symbol, with its number."""
        context = self._context
        siblings = context.children(context.parent(operation))
        keys = [context.key(sibling) for sibling in siblings]
        return names_of(context, siblings)[keys.index(context.key(operation))]


def inner_path(path: str, name: str) -> str:
    """Return the path of an operation called `name` in the one at `path`."""
    return name if is_outermost(path) else f"{path}/{name}"


def is_outermost(path: str) -> bool:
    """Return whether `path` is that of an outermost operation without a symbol.

    Paths of operations inside begin below it.
    """
    return not re.search(r"[@/\[]", path)


def names_of(context: Context, siblings: Sequence[Operation]) -> list[str]:
    """Return `@f` for each operation with a symbol, `func.func[2]` for another one.

    The number counts the siblings of this name that have no symbol.
    """
    names: list[str] = []
    counts: Counter[str] = Counter()
    for sibling in siblings:
        symbol, name = context.symbol_name(sibling), context.name(sibling)
        if symbol is None:
            names.append(f"{name}[{counts[name]}]")
            counts[name] += 1
        else:
            names.append(f"@{symbol}")
    return names
