"""The state of a pass: what it keeps in attributes, in a form that can be compared.

Containers, options, pass managers and objects of classes from the pass's own module are
looked into. Anything else counts by identity: it may be IR, which changes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_options import PassOptions
from passgen_runtime.pass_sequence import PassSequence

_OF_THE_RUN = frozenset({"_state", "_statistics", "dynamic_pipelines"})


def instance_state(pass_: Pass) -> dict[str, object]:
    """Return the attributes of a pass that are its own business."""
    module = type(pass_).__module__
    return {
        name: _comparable(value, module, {id(pass_)})
        for name, value in vars(pass_).items()
        if name not in _OF_THE_RUN
    }


def class_state(pass_class: type[Pass]) -> dict[str, object]:
    """Return the data in the classes that a pass is made of, by attribute."""
    found: dict[str, object] = {}
    for cls in reversed(pass_class.__mro__):
        if cls.__module__.startswith("passgen_runtime.operation_pass"):
            continue
        for name, value in vars(cls).items():
            is_special = name.startswith(("__", "_abc_"))
            if not is_special and not callable(value) and not hasattr(value, "__get__"):
                found[name] = _comparable(value, cls.__module__, set())
    return found


def _comparable(value: object, module: str, around: set[int]) -> object:
    """Return what is equal to itself later if `value` has not changed meanwhile."""
    if id(value) in around:
        return "itself"
    inside = around | {id(value)}
    if isinstance(value, str | bytes | int | float | complex | None):
        return type(value), repr(value)
    if isinstance(value, PassOptions | PassSequence):
        return type(value), str(value)
    if isinstance(value, set | frozenset):
        return {_key(each) for each in value}
    items: Iterable[tuple[Any, Any]] | None = None
    if isinstance(value, list | tuple | deque):
        items = enumerate(value)
    elif isinstance(value, Mapping):
        items = value.items()
    elif type(value).__module__ == module and hasattr(value, "__dict__"):
        items = vars(value).items()
    if items is None:
        return id(value)
    return [(_key(key), _comparable(each, module, inside)) for key, each in items]


def _key(value: object) -> object:
    return repr(value) if isinstance(value, str | bytes | int | float) else id(value)
