"""The native-python target: passes in C++ as Python values that need no package."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass
from typing import Final

from passgen import resources
from passgen.diagnostics import Diagnostic, SpecError
from passgen.model import OPTION_TYPES, Option, Pass, PassGroup
from passgen.targets.markdown import documented

_BASE: Final = "NativePassBase"

_TAKEN: Final = resources.reserved_names()["nativePython"]
"""Names of the base class, and names that the fields after an option need."""


@dataclass(frozen=True)
class IntegerType:
    """A type of integers, as a spec names it, and its bounds."""

    name: str
    least: int
    greatest: int


@dataclass(frozen=True)
class NativeOption:
    """An option of a pass."""

    declared: Option
    field: str
    """Its argument with underscores: `top_down` of the option `top-down`."""


@dataclass(frozen=True)
class NativePass:
    """A pass that MLIR, or a project over it, registers."""

    declared: Pass
    options: tuple[NativeOption, ...]
    description: str
    """The Markdown for its docstring; may be empty."""


def values(group: PassGroup) -> dict[str, object]:
    """Return the variables of `native-python/passes.py.j2`.

    Raises:
        SpecError: a pass has the name of the base class.
    """
    for pass_ in group.passes:
        if pass_.name == _BASE:
            message = f"pass '{_BASE}' has the name of the base class of all passes"
            raise SpecError([Diagnostic(message, pass_.location)])
    return {
        "passes": [
            NativePass(pass_, _native_options(pass_), documented(pass_))
            for pass_ in group.passes
        ],
        "integer_types": [
            IntegerType(row.name, row.integers[0], row.integers[-1])
            for row in OPTION_TYPES.values()
            if row.integers
        ],
    }


def _native_options(pass_: Pass) -> tuple[NativeOption, ...]:
    taken = set(_TAKEN)
    found = []
    for option in pass_.options:
        field = re.sub(r"[^A-Za-z0-9_]", "_", option.argument)
        if field[:1].isdigit() or field.startswith("__"):
            field = f"option_{field}"
        while field in taken or keyword.iskeyword(field):
            field += "_"
        taken.add(field)
        found.append(NativeOption(option, field))
    return tuple(found)
