"""The patterns of a pass: a part of `resolve`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from posixpath import dirname, relpath
from typing import Any, Final, cast

from passgen.model import (
    DEFAULT_DRIVER,
    NativeFunction,
    Option,
    OptionType,
    PatternDriver,
    PatternVariable,
    RewritePattern,
)
from passgen.source import Location
from passgen.spec.fields import Keys, read, text_of
from passgen.spec.includes import path_beside
from passgen.spec.located import Mapping, Node, Scalar, Sequence, plain

_SELECTIONS: Final = {
    "disabledPatterns": ("disable-patterns", "Labels of patterns that are not applied"),
    "enabledPatterns": (
        "enable-patterns",
        "Labels of the patterns that are applied, and no others",
    ),
}
"""Argument and description of the options that select patterns, by name."""


def patterns(keys: Keys, spec: Mapping) -> dict[str, Any]:
    """Return the fields of a pass that are about patterns, by name.

    Args:
        keys: the entries of the pass.
        spec: the spec, which knows the files that hold patterns.
    """
    listed = keys.take_items("patterns")
    return {
        "patterns": tuple(_pattern(Keys(node), spec) for node in listed),
        "driver": _driver(keys.take("driver")),
        "native_constraints": _functions(keys, "constraints"),
        "native_rewrites": _functions(keys, "rewrites"),
        "semantics": _functions(keys, "semantics"),
    }


def selection_options(keys: Keys) -> tuple[Option, ...]:
    """Return the options that select patterns, if there are any."""
    place = keys.place("patterns")
    if place is None:
        return ()
    return tuple(
        Option(
            name=name,
            argument=argument,
            type=OptionType("string", place),
            is_list=True,
            default=None,
            description=description,
            location=place,
            argument_location=place,
            default_location=place,
            selects_patterns=True,
        )
        for name, (argument, description) in _SELECTIONS.items()
    )


def _pattern(keys: Keys, spec: Mapping) -> RewritePattern:
    benefit = keys.place("benefit")
    place = keys.place("pdl") or keys.place("before") or keys.location
    text, start, named = keys.take_line("pdl"), _text_start(place), keys.take("pdlFile")
    if isinstance(named, Scalar):
        source = spec.pattern_files[path_beside(named)]
        text, start = source.text.removesuffix("\n"), Location(source, 1, 1)
    return read(
        RewritePattern,
        keys,
        pdl=text,
        location=keys.place("name"),
        given_benefit=_number(keys, "benefit"),
        benefit_location=benefit or keys.location,
        pdl_location=start,
        after_location=_text_start(keys.place("after") or keys.location),
        variables=tuple(_variables(keys)),
        unused=_names(keys, "unused"),
        one_use=_names(keys, "oneUse"),
        pdl_file=_path_from(spec.location.source.name, start.source.name),
    )


def _variables(keys: Keys) -> Iterator[PatternVariable]:
    for kind in ("types", "attributes"):
        for name, entry in keys.take_entries(kind).items():
            part = Keys(entry.value, "examples")
            listed = [plain(text) for text in part.take_items("examples")]
            if isinstance(example := part.take("example"), Scalar):
                value = cast("Any", example.value)
                listed = [value, _other_number(value)]
            texts = tuple(map(_attribute_text, listed))
            given = {"name": name, "location": entry.key, "examples": texts}
            # Of a list, each text makes a pattern: that of a type or of an attribute.
            is_listed = isinstance(entry.value, Sequence)
            is_attribute = kind == "attributes" and not is_listed
            yield read(PatternVariable, part, **given, is_attribute=is_attribute)


def _other_number(number: float) -> float:
    """Return another number, which each type that has `number` has too."""
    if isinstance(number, float):
        return number / 2 or 1.0
    return number ^ True


def _attribute_text(example: object) -> str:
    """Return an example of an attribute as MLIR writes it."""
    if isinstance(example, str):
        return example
    text = json.dumps(example)
    mantissa, mark, exponent = text.partition("e")
    if isinstance(example, float) and "." not in mantissa:
        mantissa += ".0"
    return f"{mantissa}{mark}{exponent}"


def _path_from(spec: str, file: str) -> str:
    """Return the path of `file` from the folder of `spec`; empty if it is the spec."""
    return "" if file == spec else relpath(file, dirname(spec) or ".")


def _text_start(location: Location) -> Location:
    """Return the location of the first character of a text in YAML."""
    source = location.source
    mark = source.line_text(location.line)[location.column - 1 :][:1]
    if mark in {"'", '"'}:
        return replace(location, column=location.column + 1)
    if mark not in {"|", ">"}:
        return location
    first = location.line + 1
    indented = first  # the first line with text, which gives the indentation
    while not source.line_text(indented).strip() and indented < location.line + 99:
        indented += 1
    text = source.line_text(indented)
    column = len(text) - len(text.lstrip()) + 1
    return replace(location, line=first, column=column, length=1)


def _driver(node: Node | None) -> PatternDriver:
    if not isinstance(node, Mapping):
        return PatternDriver(cast("Any", text_of(node)[0])) if node else DEFAULT_DRIVER
    keys = Keys(node)
    limits = _number(keys, "maxIterations"), _number(keys, "maxRewrites")
    return keys.done(PatternDriver("greedy", *limits))


def _names(keys: Keys, key: str) -> tuple[str, ...]:
    return tuple(str(plain(name)) for name in keys.take_items(key))


def _number(keys: Keys, key: str) -> int | None:
    node = keys.take(key)
    return cast("int", node.value) if isinstance(node, Scalar) else None


def _functions(keys: Keys, key: str) -> tuple[NativeFunction, ...]:
    return tuple(
        _function(name, Keys(entry.value, "python"))
        for name, entry in keys.take_entries(key).items()
    )


def _function(name: str, keys: Keys) -> NativeFunction:
    function, location = keys.take_text("python")
    return keys.done(NativeFunction(name, function, location, keys.take_line("cpp")))
