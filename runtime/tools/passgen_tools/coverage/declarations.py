"""The items that classes of passes declare."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, Final

from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_options import OptionInfo
from passgen_runtime.pass_registry import subclasses_of
from passgen_runtime.patterns import Patterns
from passgen_runtime.remarks import declared_remarks
from passgen_runtime.textual_pipeline import parse_elements
from passgen_tools.coverage.coverage_data import (
    THE_PASS,
    DeclaredPass,
    Item,
    PassKey,
)

_EMPTY: Final = "(empty)"
_ELEMENTS: Final = "(elements)"
_UNSET: Final = "(unset)"
"""Values that have no text of their own, or any of many texts."""

_SELECTIONS: Final = frozenset({"disabled_patterns", "enabled_patterns"})
"""The options that each pass with patterns has; no spec declares them."""


def declared_passes() -> dict[PassKey, DeclaredPass]:
    """Return all passes that imported modules declare, those of specs or by hand."""
    return {key: _declared_pass(cls) for key, cls in declaring_classes().items()}


def declaring_classes() -> dict[PassKey, type[Pass]]:
    """Return the classes that declare passes.

    An IR library may have a class of its own for a pass that a spec declares; the one
    of the spec has the options.
    """
    found: dict[PassKey, type[Pass]] = {}
    for cls in subclasses_of(Pass):  # type: ignore[type-abstract]
        if not vars(cls).get("argument"):
            continue
        key = key_of(cls)
        known = found.get(key, cls).options_class.declared_options()
        if cls.options_class.declared_options() or not known:
            found[key] = cls
    return found


def key_of(pass_class: type[Pass]) -> PassKey:
    """Return what identifies the pass that a class declares or implements."""
    declaring = (cls for cls in pass_class.__mro__ if "argument" in vars(cls))
    module = next(declaring, pass_class).__module__
    return PassKey(pass_class.declared_in or module, pass_class.argument)


def _declared_pass(cls: type[Pass]) -> DeclaredPass:
    file = getattr(sys.modules.get(cls.__module__), "__file__", None) or ""
    has_spec = bool(cls.declared_in)
    return DeclaredPass(
        key_of(cls), cls.__module__, file, has_spec, dict(_items_with_places(cls))
    )


def _items_with_places(cls: type[Pass]) -> Iterator[tuple[Item, str]]:
    yield THE_PASS, ""
    for pattern in cls.patterns if issubclass(cls, Patterns) else ():
        yield Item("pattern", pattern.name), f"{pattern.file}:{pattern.line}"
    for info in _counted_options(cls):
        for value in _declared_values(info):
            yield _option_item(info, value), ""
    for remark in declared_remarks(cls):
        yield Item("remark", remark.name), ""
    for item in (*needed_forms(cls), *given_forms(cls)):
        yield item, ""


def needed_forms(cls: type[Pass]) -> list[Item]:
    """Return the forms that a pass needs."""
    return [Item("form", f"needs {form.name}") for form in cls.forms.needs]


def given_forms(cls: type[Pass]) -> list[Item]:
    """Return the forms that a pass gives."""
    return [Item("form", f"gives {form.name}") for form in cls.forms.gives]


def option_items(pass_: Pass) -> Iterator[Item]:
    """Yield the values of options that a pass runs with."""
    cls, options = type(pass_), pass_.options
    if not options.declared_options() and options.documented_options():
        # A pass of the IR library keeps its options as text.
        cls = declaring_classes().get(key_of(cls), cls)
        if cls.options_class.declared_options():
            [element] = parse_elements(f"_{{{options}}}").elements
            options = cls.options_class.from_textual(element.options)
    for info in _counted_options(cls):
        for value in _current_values(info, getattr(options, info.field)):
            yield _option_item(info, value)


def _counted_options(cls: type[Pass]) -> Iterator[OptionInfo]:
    """Yield the options whose values are few: of a list, whether it has elements."""
    for info in cls.options_class.declared_options():
        is_selection = issubclass(cls, Patterns) and info.field in _SELECTIONS
        if not is_selection and (info.is_list or info.type.choices):
            yield info


def _option_item(info: OptionInfo, value: str) -> Item:
    return Item("option", f"{info.argument}={value}")


def _declared_values(info: OptionInfo) -> tuple[str, ...]:
    choices = info.type.choices
    if info.is_list:
        return (_EMPTY, *(choices or (_ELEMENTS,)))
    return (*choices, _UNSET) if info.default is None else choices


def _current_values(
    info: OptionInfo,
    value: Any,  # noqa: ANN401 - of any option
) -> list[str]:
    if info.is_list:
        if not value:
            return [_EMPTY]
        if not info.type.choices:
            return [_ELEMENTS]
        return list(dict.fromkeys(_choice_text(info, element) for element in value))
    return [_UNSET if value is None else _choice_text(info, value)]


def _choice_text(info: OptionInfo, value: object) -> str:
    parse = info.type.parse
    return next(text for text in info.type.choices if parse(text) == value)
