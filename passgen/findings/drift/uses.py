"""Which attributes a piece of Python reads and which it counts up."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

_READ_ALL: Final = frozenset({"asdict", "astuple", "fields", "replace", "vars"})
"""Functions that read all options of what they are given."""

_READ_BY_NAME: Final = frozenset({"getattr", "attrgetter"})
_BY_NAME: Final = _READ_BY_NAME | {"setattr"}


@dataclass(frozen=True)
class Uses:
    """Attributes by their names."""

    read: frozenset[str] = frozenset()
    counted: frozenset[str] = frozenset()
    """Those set, counted up, or handed to something that may."""

    reads_all: bool = False
    """Whether all options are read at once."""

    def reads(self, name: str) -> bool:
        """Return whether the option `name` is read."""
        return self.reads_all or name in self.read

    def __or__(self, other: Uses) -> Uses:
        """Return what either uses."""
        return Uses(
            self.read | other.read,
            self.counted | other.counted,
            self.reads_all or other.reads_all,
        )


def uses_in(nodes: Iterable[ast.AST]) -> Uses:
    """Return what `nodes` and all below them use."""
    visitor = _Visitor()
    for node in nodes:
        visitor.visit(node)
    read, counted = frozenset(visitor.read), frozenset(visitor.counted)
    return Uses(read, counted, visitor.reads_all)


class _Visitor(ast.NodeVisitor):
    def __init__(self) -> None:
        self.read: set[str] = set()
        self.counted: set[str] = set()
        self.reads_all = False

    def visit_Attribute(self, node: ast.Attribute) -> None:
        used = self.read if isinstance(node.ctx, ast.Load) else self.counted
        used.add(node.attr)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Attribute):
            self.read.add(node.target.attr)
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        self._handed(node.value)
        self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> None:
        self._handed(node.value)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        handed = [*node.args, *(each.value for each in node.keywords)]
        for value in handed:
            self._handed(value)
        called = node.func
        if isinstance(called, ast.Attribute):
            self._handed(called.value)  # self.num_unrolled.add(2)
        name = called.attr if isinstance(called, ast.Attribute) else ""
        name = called.id if isinstance(called, ast.Name) else name
        if name in _READ_ALL and any(_is_options(each) for each in handed):
            self.reads_all = True
        if name in _BY_NAME:
            named = [each.value for each in handed if isinstance(each, ast.Constant)]
            texts = [each for each in named if isinstance(each, str)]
            self.counted.update(texts)
            if name in _READ_BY_NAME:
                self.read.update(texts)
        self.generic_visit(node)

    def visit_MatchClass(self, node: ast.MatchClass) -> None:
        self.read.update(node.kwd_attrs)
        self.generic_visit(node)

    def _handed(self, value: ast.expr | None) -> None:
        if isinstance(value, ast.Attribute):
            self.counted.add(value.attr)


def _is_options(node: ast.expr) -> bool:
    name = node.attr if isinstance(node, ast.Attribute) else ""
    return (node.id if isinstance(node, ast.Name) else name) == "options"
