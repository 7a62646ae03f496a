"""The applier of each IR library, and a memory of what was made for a context."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final, TypeVar, cast

from passgen_runtime.context import Context
from passgen_runtime.errors import nearest_note
from passgen_runtime.patterns.applier import (
    NamedFunctions,
    NativeFunction,
    PatternApplier,
)
from passgen_runtime.patterns.rewrite_pattern import PatternError

T = TypeVar("T")


def applier_class(context: Context) -> type[PatternApplier] | None:
    """Return the applier for the IR of `context`; `None` if there is none."""
    # An IR library is imported where there is a context of it, and not before.
    for cls in type(context).__mro__:
        match f"{cls.__module__}.{cls.__qualname__}":
            case "passgen_runtime.ir.xdsl.context.XDSLContext":
                from passgen_runtime.patterns import xdsl  # noqa: PLC0415

                return xdsl.XDSLPatternApplier
            case "passgen_runtime.ir.mlir.context.MLIRContext":
                from passgen_runtime.patterns import mlir  # noqa: PLC0415

                return mlir.MLIRPatternApplier
    return None


_KEPT: Final[weakref.WeakKeyDictionary[Context, dict[object, Any]]] = (
    weakref.WeakKeyDictionary()
)
"""The parsed patterns of a context by class and name, and appliers by selection."""


def find_or_make(context: Context, key: object, make: Callable[[], T]) -> T:
    """Return the result of `make`, which is called once for `context` and `key`."""
    known = _KEPT.setdefault(context, {})
    if key not in known:
        known[key] = make()
    return cast("T", known[key])


def import_functions(functions: NamedFunctions, what: str) -> dict[str, NativeFunction]:
    """Return the functions that are given as `module:function`, or as they are.

    Args:
        functions: by name.
        what: the file that declares them and their kind, for errors.

    Raises:
        PatternError: there is no such function.
    """
    return {
        name: (
            _import(function, f"{what} '{name}'")
            if isinstance(function, str)
            else function
        )
        for name, function in functions
    }


def _import(function: str, subject: str) -> NativeFunction:
    module_name, _, name = function.partition(":")
    try:
        module = import_module(module_name)
    except Exception as error:  # importing may raise anything; it is chained
        message = f"{subject}: '{function}' does not import: {error}"
        raise PatternError(message) from error
    found = getattr(module, name, None)
    if not callable(found):
        notes = nearest_note(name, vars(module))
        message = f"{subject}: '{module_name}' has no function '{name}'"
        raise PatternError("\nnote: ".join((message, *notes)))
    return cast("NativeFunction", found)
