"""Conditions of tests: the Boolean expressions of `lit` over names of features.

REQUIRES: bindings && !(system-windows || system-darwin)
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection
from typing import Final

_TOKEN: Final = re.compile(r"(?P<name>(?:[\w+.=*-]|\{\{.+?\}\})+)|&&|\|\||\S")
_PART: Final = re.compile(r"\{\{(.+?)\}\}")
_PYTHON: Final = {"&&": " and ", "||": " or ", "!": " not ", "(": "(", ")": ")"}


def holds(condition: str, features: Collection[str]) -> bool:
    """Return whether `condition` holds for these `features`.

    Raises:
        ValueError: the text is not a condition.
    """

    def translate(token: re.Match[str]) -> str:
        if token["name"] is None:
            return _PYTHON.get(token[0], "?")
        return f" {_is_there(token[0], features)} "

    def value(node: ast.expr) -> bool:
        match node:
            case ast.BoolOp(op=ast.And(), values=operands):
                return all([*map(value, operands)])
            case ast.BoolOp(values=operands):
                return any([*map(value, operands)])
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return not value(operand)
            case ast.Constant(value=bool(constant)):
                return constant
        raise SyntaxError

    try:
        python = _TOKEN.sub(translate, condition).strip()
        return value(ast.parse(python, mode="eval").body)
    except SyntaxError:
        raise ValueError(
            f"found '{condition}', expected names of features and '&&', '||', '!', '()'"
        ) from None


def feature_names(condition: str) -> set[str]:
    """Return the names of features in `condition`."""
    return {token["name"] for token in _TOKEN.finditer(condition) if token["name"]}


def _is_there(name: str, features: Collection[str]) -> bool:
    if name in {"*", "true"}:
        return True
    pieces = _PART.split(name)
    pieces[::2] = map(re.escape, pieces[::2])
    return any(re.fullmatch("".join(pieces), feature) for feature in features)
