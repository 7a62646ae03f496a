"""Pipelines that run a pass, as examples, and values as pipelines have them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from passgen.model import Option, OptionDefault, Pass, Pipeline
from passgen.passgen_rules.pipeline_text import list_text, quote

_INTERFACE_EXAMPLES: Final = {"FunctionOpInterface": "func.func"}
"""An operation that implements the interface; for other interfaces, it is `any`."""

_PARENTS: Final = {"gpu.func": "gpu.module", "spirv.func": "spirv.module"}
"""The parents of operations that are not in `builtin.module` directly."""

_ROOT: Final = "builtin.module"


def example_pipeline(pass_: Pass | Pipeline) -> str:
    """Return a textual pipeline that runs `pass_` from `builtin.module` down."""
    options = " ".join(_example_options(pass_))
    pipeline = f"{pass_.argument}{{{options}}}" if options else pass_.argument
    for operation in reversed(example_nesting(pass_)):
        pipeline = f"{operation}({pipeline})"
    return pipeline


def example_nesting(pass_: Pass | Pipeline) -> tuple[str, ...]:
    """Return the operations around the pass, from `builtin.module` down."""
    operations = [_example_operation(pass_)]
    while operations[-1] != _ROOT:
        operations.append(_PARENTS.get(operations[-1], _ROOT))
    return tuple(reversed(operations))


def _example_operation(pass_: Pass | Pipeline) -> str:
    if isinstance(pass_, Pass) and pass_.interface:
        return _INTERFACE_EXAMPLES.get(pass_.interface, "any")
    return pass_.operation or _ROOT


def _example_options(pass_: Pass | Pipeline) -> Iterator[str]:
    """Yield the options with their defaults, or with samples of their types."""
    for option in pass_.options:
        if option.deprecated:
            continue
        value = _list_example(option) if option.is_list else _scalar_example(option)
        if not value and option.required:
            value = next(iter(_samples(option)), quote(option.argument))
        if value:
            yield f"{option.argument}={value}"


def _list_example(option: Option) -> str:
    if isinstance(option.default, tuple):
        return spell_value(option, option.default)
    if option.unknown_default or option.type.literal not in {"bool", "enum"}:
        return ""  # a pass may refuse numbers that are made up
    samples = _samples(option)
    return list_text(samples) if samples else ""


def _scalar_example(option: Option) -> str:
    if option.default is None or isinstance(option.default, tuple):
        # A sample would override a default that is a C++ expression.
        return "" if option.unknown_default else next(iter(_samples(option)), "")
    text = spell_value(option, option.default)
    return text if text.isprintable() else ""  # a pipeline may have several lines


def _samples(option: Option) -> Sequence[str]:
    """Return up to two values of the option's type; none if no value is typical."""
    if option.type.literal == "enum":
        return [quote(value.value) for value in option.type.values[:2]]
    return _SAMPLES.get(option.type.literal or "", ())


_SAMPLES: Final = {
    "bool": ("true", "false"),
    "int": ("1", "2"),
    "float": ("0.5", "1.0"),
}


def spell_value(option: Option, value: OptionDefault) -> str:
    """Return a value of `option`, maybe a list, as in a textual pipeline."""
    spell = option.type.meaning.print_literal
    return list_text(map(spell, value)) if isinstance(value, tuple) else spell(value)
