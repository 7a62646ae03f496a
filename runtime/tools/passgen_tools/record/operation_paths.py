"""The paths of operations in a run record: `@outer/@f`, `func.func[2]`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable

from passgen_runtime.context import Context, Operation


class OperationPaths:
    """Finds paths of operations; caches each until its operation's symbol changes."""

    def __init__(self, context: Context, root: Operation | None = None) -> None:
        """Read operations by `context`.

        Args:
            context: the context of the operations.
            root: an operation whose parents are unknown. Its path is its symbol, or
                empty; `complete` adds the parents to paths below it.
        """
        self._context = context
        self._root = None if root is None else context.key(root)
        self._known: dict[Hashable, tuple[str | None, str]] = {}
        """The symbol and the path of each operation."""

    def path_of(self, operation: Operation) -> str:
        """Return the symbols of the parents and of `operation`: `@outer/@f`."""
        context = self._context
        key, symbol = context.key(operation), context.symbol_name(operation)
        known = self._known.get(key)
        if known is None or known[0] != symbol:
            known = self._known[key] = symbol, self._new_path_of(operation, symbol)
        return known[1]

    def complete(self, path: str, root: Operation) -> str:
        """Return `path`, which begins with that of `root`, with the parents of `root`.

        `path` may have an earlier symbol of `root`.
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
        """Return the path of the parent and a slash, or an empty text.

        An outermost operation without a symbol is no part of paths.
        """
        context = self._context
        parent = context.parent(operation)
        is_outermost = self._root is None and context.parent(parent) is None
        if is_outermost and context.symbol_name(parent) is None:
            return ""
        return f"{self.path_of(parent)}/"

    def _number(self, operation: Operation) -> str:
        """Return the part of a path for an operation without a symbol."""
        context = self._context
        siblings = context.children(context.parent(operation))
        keys = [context.key(sibling) for sibling in siblings]
        names = names_of((context.symbol_name(op), context.name(op)) for op in siblings)
        return names[keys.index(context.key(operation))]


def inner_path(path: str, name: str) -> str:
    """Return the path of the child `name` of the operation at `path`."""
    return name if is_outermost(path) else f"{path}/{name}"


def is_outermost(path: str) -> bool:
    """Return whether `path` is that of an outermost operation without a symbol.

    Such an operation is no part of other paths.
    """
    return not re.search(r"[@/\[]", path)


def names_of(siblings: Iterable[tuple[str | None, str]]) -> list[str]:
    """Return `@f` for each operation with a symbol, `func.func[2]` for another one.

    The number counts siblings with the same name and no symbol of their own.

    Args:
        siblings: the symbol and the name of each operation.
    """
    names: dict[str, None] = {}
    counts: Counter[str] = Counter()
    for symbol, name in siblings:
        text = f"@{symbol}"
        if symbol is None or text in names:
            text = f"{name}[{counts[name]}]"
            counts[name] += 1
        names[text] = None
    return list(names)
