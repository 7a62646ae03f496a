"""From a declared pass to the class that implements it.

A spec declares a pass; somebody derives a class from the generated base, or names one
as its constructor. Which one it is, is found out when the pass is first made, so that a
declared pass can be registered and listed before its implementation is imported.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

from passgen_runtime.errors import MissingImplementationError
from passgen_runtime.operation_pass.operation_pass import Pass
from passgen_runtime.pass_options.pass_options import PassOptions
from passgen_runtime.wrong_arguments import wrong_argument

P = TypeVar("P", bound=Pass)


def create_pass(declared: Callable[..., P], options: PassOptions | None = None) -> P:
    """Return a new pass of the class that implements `declared`, with `options`.

    Args:
        declared: a pass class; a type checker refuses an abstract one as a `type`.
        options: the defaults if not given.

    Raises:
        MissingImplementationError: nothing implements it, or more than one class does
            and none is named by its `constructor`.
        TypeError: `declared` is no pass class.
    """
    if not isinstance(declared, type):
        note = "registered passes are made by parse_pass_manager(text, context)"
        notes = (note,) * isinstance(declared, str)
        raise wrong_argument("create_pass()", declared, "a pass class", *notes)
    implementation: Any = _implementation(cast("type[Pass]", declared))
    if options is None or not options.declared():
        return cast("P", implementation())
    return cast("P", implementation(options))


def has_implementation(declared: type[Pass]) -> bool:
    """Return whether something implements `declared`; what has to be imported may."""
    is_found = not inspect.isabstract(declared) or declared.constructor
    return bool(is_found or _concrete_subclasses(declared))


def _implementation(declared: type[Pass]) -> type[Pass]:
    """Return the class to construct for `declared`: itself, if it can be."""
    if not inspect.isabstract(declared):
        return declared
    subject = f"pass '{declared.argument}' ({origin(declared)})"
    if declared.constructor:
        return _import_implementation(declared, subject)
    found = _concrete_subclasses(declared)
    if len(found) == 1:
        return found[0]
    if not found:
        message = f"{subject} has no implementation: {_why_none(declared)}"
    else:
        names = ", ".join(sorted(origin(cls) for cls in found))
        message = (
            f"{subject} has {len(found)} implementations ({names}): name one as the "
            "constructor in its declaration"
        )
    raise MissingImplementationError(message)


def _why_none(declared: type[Pass]) -> str:
    unfinished = [origin(each) for each in _subclasses(declared)]
    if unfinished:
        return f"run_on_operation is not defined by {', '.join(unfinished)}"
    return (
        f"no imported class derives from {declared.__name__}, and its declaration "
        "names no constructor"
    )


def _import_implementation(declared: type[Pass], subject: str) -> type[Pass]:
    module_name, _, class_name = declared.constructor.partition(":")
    try:
        implementation = getattr(importlib.import_module(module_name), class_name)
    except Exception as error:  # importing may raise anything; it is chained
        message = (
            f"{subject} cannot be constructed: its constructor "
            f"'{declared.constructor}' does not import: {error}"
        )
        raise MissingImplementationError(message) from error
    if not (isinstance(implementation, type) and issubclass(implementation, declared)):
        message = (
            f"{subject} cannot be constructed: its constructor "
            f"'{declared.constructor}' does not derive from {declared.__name__}"
        )
        raise MissingImplementationError(message)
    if inspect.isabstract(implementation):
        message = (
            f"{subject} cannot be constructed: its constructor "
            f"'{declared.constructor}' does not define run_on_operation"
        )
        raise MissingImplementationError(message)
    return implementation


def _concrete_subclasses(cls: type[Pass]) -> list[type[Pass]]:
    return [each for each in _subclasses(cls) if not inspect.isabstract(each)]


def _subclasses(cls: type[Pass]) -> list[type[Pass]]:
    return [
        each
        for direct in cls.__subclasses__()
        for each in (direct, *_subclasses(direct))
    ]


def origin(pass_class: type[Pass]) -> str:
    """Return the class of a pass, and the spec that declares it if any."""
    place = f", declared in {pass_class.declared_in}" if pass_class.declared_in else ""
    return f"{pass_class.__module__}.{pass_class.__qualname__}{place}"
