"""The check that attributes are attributes, which xDSL's verifier leaves out.

After `operation.attributes["x"] = "text"`, the IR verifies and cannot be printed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr
from xdsl.ir import Attribute, Operation


def wrong_attribute(operations: Iterable[Operation]) -> tuple[Operation, str] | None:
    """Return the first operation with a value that is no attribute, and what is wrong.

    xDSL itself checks the parameters of an attribute when it is made.
    """
    for operation in operations:
        problem = _problem_in(operation.attributes) or _problem_in(operation.properties)
        if problem:
            return operation, problem
    return None


def _problem_in(values: Mapping[Any, Any]) -> str:
    """Return what is wrong with what code has put there; empty if nothing is."""
    for name, value in values.items():
        is_whole = isinstance(value, Attribute) and isinstance(name, str)
        if is_whole and not isinstance(value, ArrayAttr | DictionaryAttr):
            continue
        if problem := _problem(name, value):
            return problem
    return ""


def _problem(name: object, value: object) -> str:
    """Return what is wrong with the attribute `name`; empty if nothing is."""
    if not isinstance(name, str):
        return f"attribute name {name!r} is no text"
    for part in _parts(value):
        if not isinstance(part, Attribute):
            inside = "has in it" if isinstance(value, Attribute) else "is"
            advice = "StringAttr('text') makes one of a text"
            found = f"attribute '{name}' {inside} {part!r}"
            return f"{found}, which is no attribute: {advice}"
    return ""


def _parts(value: object) -> Iterator[object]:
    """Yield `value` and what is nested in it, without names."""
    pending = [value]
    while pending:
        part = pending.pop()
        yield part
        if isinstance(part, ArrayAttr):
            pending += part.data
        elif isinstance(part, DictionaryAttr):
            pending += part.data.values()
