"""Pipelines that run a pass, as examples, and values as pipelines have them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from passgen.model import OPTION_TYPES, Anchor, Option, OptionValue, Pass, Pipeline

_INTERFACE_EXAMPLES: Final = {"FunctionOpInterface": "func.func"}
"""An operation that implements the interface; for other interfaces, it is `any`."""

_PARENTS: Final = {
    "gpu.func": "gpu.module",
    "spirv.func": "spirv.module",
}
"""The parents of operations that are not in `builtin.module` directly."""

_ROOT: Final = "builtin.module"
_ELEMENT_PLAIN: Final = re.compile(r"[^\s'\"{}()\[\]=,\\]+")


def example_pipeline(pass_: Pass | Pipeline) -> str:
    """Return a textual pipeline that runs `pass_` from `builtin.module` down."""
    options = " ".join(_example_options(pass_))
    pipeline = f"{pass_.argument}{{{options}}}" if options else pass_.argument
    for operation in reversed(example_nesting(pass_)):
        pipeline = f"{operation}({pipeline})"
    return pipeline


def example_nesting(pass_: Pass | Pipeline) -> tuple[str, ...]:
    """Return the operations around the pass, from `builtin.module` down."""
    operations = [_example_operation(pass_.anchor)]
    while operations[-1] != _ROOT:
        operations.append(_PARENTS.get(operations[-1], _ROOT))
    return tuple(reversed(operations))


def _example_operation(anchor: Anchor | None) -> str:
    if anchor is None:
        return _ROOT
    if anchor.kind == "operation":
        return anchor.name
    return _INTERFACE_EXAMPLES.get(anchor.name, "any")


def _example_options(pass_: Pass | Pipeline) -> Iterator[str]:
    """Yield the options with their defaults, or with samples of their types."""
    for option in pass_.options:
        if option.deprecated:
            continue
        value = _list_example(option) if option.is_list else _scalar_example(option)
        if value:
            yield f"{option.argument}={value}"


def _list_example(option: Option) -> str:
    if isinstance(option.default, tuple):
        elements = [_quote(spell(option, element)) for element in option.default]
        return ",".join(elements) if all(elements) else ""
    row = OPTION_TYPES.get(option.type.name)
    if option.unknown_default or not row or row.literal not in {"bool", "enum"}:
        return ""  # a pass may refuse numbers that are made up
    return ",".join(_samples(option))


def _scalar_example(option: Option) -> str:
    if option.default is None or isinstance(option.default, tuple):
        # A sample would override a default that is a C++ expression.
        return "" if option.unknown_default else next(iter(_samples(option)), "")
    row = OPTION_TYPES.get(option.type.name)
    text = spell(option, option.default)
    if row and row.literal == "pipeline":
        return _pipeline_example(text)
    return _quote(text)


def _samples(option: Option) -> Sequence[str]:
    """Return up to two values of the option's type; none if no value is typical."""
    row = OPTION_TYPES.get(option.type.name)
    if row and row.literal == "enum":
        return list(
            filter(None, (_quote(value.value) for value in option.type.values[:2]))
        )
    return _SAMPLES.get(row.literal, ()) if row else ()


_SAMPLES: Final = {
    "bool": ("true", "false"),
    "int": ("1", "2"),
    "float": ("0.5", "1.0"),
}


def _quote(text: str) -> str:
    """Return `text` as an option's value in a pipeline; empty if no quotes suffice."""
    if _ELEMENT_PLAIN.fullmatch(text):
        return text
    if not text or "\n" in text or "\r" in text or "\\" in text:
        return ""
    for quote in ("'", '"'):
        if quote not in text:
            return f"{quote}{text}{quote}"
    return ""


def _pipeline_example(text: str) -> str:
    if not text or text != " ".join(text.split()) or not text.isprintable():
        return ""
    return f"{{{text}}}"


def show(value: OptionValue) -> str:
    """Return `value` as in a textual pipeline, without quotes, whatever its type."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def spell(option: Option, value: OptionValue) -> str:
    """Return a value of `option` as in a textual pipeline, without quotes."""
    row = OPTION_TYPES.get(option.type.name)
    if row and row.literal == "float" and not isinstance(value, str):
        return repr(float(value))
    return show(value)
