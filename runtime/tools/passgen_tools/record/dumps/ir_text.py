"""A reader of IR as text: aliases, operations, names, symbols.

It parses no dialect, but relies on MLIR's layout: an operation begins on a line of its
own, indented by two columns more than its parent.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from passgen_runtime.errors import IRError
from passgen_runtime.instrumentations.file_metadata import (
    DIALECT_RESOURCES,
    section_values,
)
from passgen_runtime.ir.digests import NO_RESOURCES, Resources
from passgen_tools.record.dumps.ir_table import IRTable, OperationText, StoredIR
from passgen_tools.record.ir_store import OMITTED_REGION
from passgen_tools.record.operation_paths import names_of

_MAX_DEPTH: Final = 16
"""The maximum depth of operations with texts of their own."""

_METADATA: Final = "\n{-#\n"
"""The begin of the metadata below an operation."""

_INLINED: Final = ("affine_map<", "affine_set<", "loc(")
"""The aliases to expand: maps and locations. Aliases of dialects are kept."""

_MAX_INLINED_LENGTH: Final = 200

_ALIAS: Final = re.compile(r"(#[A-Za-z_][\w$]*) = (.*)")
_ALIAS_USE: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"|#[A-Za-z_][\w$]*(?![\w$.])')
_OPERATION: Final = re.compile(r'"[\w$.-]+"|[A-Za-z_][\w$]*(?:\.[\w$]+)*')
_SYMBOL: Final = re.compile(r'(?<![\w"])@([\w$.-]+|"(?:[^"\\]|\\.)*")')
_SYMBOL_ATTRIBUTE: Final = re.compile(r'\bsym_name = "((?:[^"\\]|\\.)*)"')
_LINE_OF_OPERATION: Final = re.compile(r'^ *[%"A-Za-z_]', re.MULTILINE)
_CONTINUATIONS: Final = {"", *" })]>^"}
"""First characters of lines that continue an operation; `^` begins a block."""


def store_ir(text: str, table: IRTable) -> StoredIR:
    """Return the operation that `text` shows, without aliases of maps and locations.

    A function printed alone has no aliases, but the same function printed in its module
    does: expansion makes both texts equal. Only an operation that is printed with its
    file has resources below it.
    """
    text, resources = _without_resources(text)
    return _operation(_without_aliases(text).split("\n"), 0, table, resources)


def _without_resources(text: str) -> tuple[str, Resources]:
    """Return `text` without the metadata below it, and the resources in that."""
    operation, start, metadata = text.rpartition(_METADATA)
    if not start:
        return text, NO_RESOURCES
    try:
        resources = section_values(start + metadata, DIALECT_RESOURCES, "-")
    except IRError:  # a damaged log
        return text, NO_RESOURCES
    return (operation.rstrip("\n") if resources else text), resources


def _without_aliases(text: str) -> str:
    """Return `text` with short maps and locations instead of their aliases."""
    if not text.startswith("#") and "\n#" not in text:
        return text
    values: dict[str, str] = {}
    lines: list[str] = []

    def value(use: re.Match[str]) -> str:
        return values.get(use[0], use[0])

    for line in text.split("\n"):
        alias = _ALIAS.fullmatch(line)
        if alias is None:
            lines.append(line)
            continue
        name, attribute = alias[1], _ALIAS_USE.sub(value, alias[2])
        if not attribute.startswith(_INLINED) or len(attribute) > _MAX_INLINED_LENGTH:
            lines.append(line)
        elif attribute.startswith("loc("):
            values[name] = attribute[len("loc(") : -1]  # its uses are in `loc(...)`
        else:
            values[name] = attribute
    return _ALIAS_USE.sub(value, "\n".join(lines)) if values else text


def _operation(
    lines: list[str], depth: int, table: IRTable, resources: Resources = NO_RESOURCES
) -> StoredIR:
    """Store the operation that is in `lines`, and its children if it has a region.

    Args:
        lines: the text.
        depth: the number of operations around it.
        table: the table to store it in.
        resources: the resources below the operation.
    """
    start, end = _bounds(lines)
    first, last = lines[start], lines[end]
    name, symbol = _head(first, last)
    children: list[StoredIR] = []
    if first.endswith("{") and end > start and depth < _MAX_DEPTH:
        children = _children(lines[start + 1 : end], depth + 1, table)
    if children:
        shell = f"{first[:-1]}{OMITTED_REGION}{last[1:]}"
        text = "\n".join([*lines[:start], shell, *lines[end + 1 :]])
        names = names_of((child.symbol, child.name) for child in children)
        named_children = tuple(zip(names, children, strict=True))
        shown = OperationText(name, symbol, text, named_children, resources=resources)
        return table.store(shown)
    text = "\n".join(lines)
    num_operations = sum(1 for _ in _LINE_OF_OPERATION.finditer(text))
    shown = OperationText(name, symbol, text, (), max(1, num_operations), resources)
    return table.store(shown)


def _bounds(lines: Sequence[str]) -> tuple[int, int]:
    """Return the numbers of the first line of an operation and of its closing brace.

    An operation that has no such brace ends in its first line.
    """
    inside = (number for number, line in enumerate(lines) if not _is_outside(line))
    start = next(inside, 0)
    for number in range(len(lines) - 1, start, -1):
        if lines[number].startswith("}"):
            return start, number
    return start, start


def _is_outside(line: str) -> bool:
    """Return whether `line` is outside of operations: an alias, a comment or blank."""
    return not line or line.startswith(("#", "!", "//"))


def _head(first: str, last: str) -> tuple[str, str | None]:
    """Return the name and the symbol of the operation with these lines."""
    match = _OPERATION.match(first)
    if match is None:
        return "unknown", None
    name = match[0].strip('"')
    if match[0].startswith('"'):
        found = _SYMBOL_ATTRIBUTE.search(first) or _SYMBOL_ATTRIBUTE.search(last)
        return name, found and found[1]
    # Symbols after these characters refer to other operations.
    declared = re.split(r"[({=]", first, maxsplit=1)[0]
    symbol = _SYMBOL.search(declared, match.end())
    if name == "module":
        name = "builtin.module"
    return name, symbol and symbol[1].strip('"')


def _children(lines: list[str], depth: int, table: IRTable) -> list[StoredIR]:
    """Return the operations in `lines` if each has a symbol or is a module."""
    starts: list[int] = []
    for index, line in enumerate(lines):
        if not line.startswith("  "):
            return []
        if line[2:3] in _CONTINUATIONS:
            continue
        if not _OPERATION.match(line, 2):
            return []
        starts.append(index)
    if not starts or starts[0] != 0:
        return []
    children: list[StoredIR] = []
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        child = [line[2:] for line in lines[start:end]]
        name, symbol = _head(child[0], child[-1])
        if symbol is None and name != "builtin.module":
            return []
        children.append(_operation(child, depth, table))
    return children
