"""Attributes of operations, and the numbers that stand for them in semantics."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random
from typing import Any, Final

from passgen_runtime.context import Operation
from passgen_tools.verify.semantics import Type

WIDTHS: Final = {"overflowFlags": 2, "isExact": 1, "predicate": 4}
"""The widths of those that are no value of the operation's type."""

PREDICATES: Final = range(10)
_OVERFLOW: Final = [f"#arith.overflow<{f}>" for f in ("none", "nsw", "nuw", "nsw, nuw")]

FULL_WIDTH: Final = 8
"""The width of constants up to which functions get all."""


def field_of(operation: Operation, name: str) -> Any:  # noqa: ANN401 - of the library
    """Return an attribute of an operation; `None` if it has none."""
    for fields in (getattr(operation, "properties", {}), operation.attributes):
        if name in fields:
            return fields[name]
    return None


def candidates(type_: Type, literal: int | None) -> Sequence[int]:
    """Return the numbers that functions get: all of few, or those that matter."""
    named = {"overflowFlags": range(4), "isExact": [1], "predicate": PREDICATES}
    half = 1 << (type_.width - 1)
    if literal is not None:
        return [literal] * (-half <= literal < 2 * half)
    if type_.text in named or type_.width <= FULL_WIDTH:
        return named.get(type_.text, sorted(range(-half, half), key=abs))
    powers = [sign << bit for bit in range(type_.width) for sign in (1, -1)]
    near = {power + step for power in powers for step in (-1, 0, 1)}
    random = {Random(seed).randrange(-half, half) for seed in range(16)}  # noqa: S311
    return [n for n in sorted(near | random, key=abs) if -half <= n < half]


def attribute_text(number: int, type_: Type) -> str:
    """Return the attribute that a number stands for."""
    if type_.text == "overflowFlags":
        return _OVERFLOW[number]
    texts = {"predicate": f"{number % 16} : i64", "isExact": "unit" if number else ""}
    return texts.get(type_.text, f"{number} : {type_.text}")


def number_of(attribute: object) -> tuple[int, str] | None:
    """Return the number that stands for an attribute, and its type or name, if any."""
    text = str(attribute)
    text = {"true": "-1 : i1", "false": "0 : i1", "unit": "1 : isExact"}.get(text, text)
    if text.startswith("#arith.overflow"):
        text = f"{('nsw' in text) + 2 * ('nuw' in text)} : overflowFlags"
    found = re.fullmatch(r"(-?\d+) : (\w+)", text)
    return (int(found[1]), found[2]) if found else None
