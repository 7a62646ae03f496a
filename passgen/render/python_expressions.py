"""Python expressions of the values that generated functions pass on.

The target decides which expression a value takes, the filter `py_expression` how it is
written:

    py_expression(Call("FusionMode", (Attribute("options", "mode"),)))
        is FusionMode(options.mode)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from passgen.render.python import py_literal, py_name


@dataclass(frozen=True)
class Literal:
    """A constant."""

    value: bool | float | str


@dataclass(frozen=True)
class Attribute:
    """An attribute of something that has a name."""

    owner: str
    name: str


@dataclass(frozen=True)
class Call:
    """A call."""

    function: str
    """A name, or several joined by dots."""

    arguments: tuple[Expression, ...]
    keywords: tuple[tuple[str, Expression], ...] = ()


@dataclass(frozen=True)
class ListOf:
    """A list of what is known."""

    items: tuple[Expression, ...]


@dataclass(frozen=True)
class CallForEach:
    """A list of calls, one for each element of another list."""

    function: str
    items: Attribute


Expression: TypeAlias = Literal | Attribute | Call | ListOf | CallForEach


def py_expression(expression: Expression) -> str:
    """Return `expression` on one line."""
    if isinstance(expression, Literal):
        return py_literal(expression.value)
    if isinstance(expression, Attribute):
        return py_name(f"{expression.owner}.{expression.name}")
    if isinstance(expression, Call):
        arguments = [
            *map(py_expression, expression.arguments),
            *(f"{name}={py_expression(value)}" for name, value in expression.keywords),
        ]
        return f"{py_name(expression.function)}({', '.join(arguments)})"
    if isinstance(expression, ListOf):
        return f"[{', '.join(map(py_expression, expression.items))}]"
    items = py_expression(expression.items)
    return f"[{py_name(expression.function)}(each) for each in {items}]"
