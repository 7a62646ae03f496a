"""The examples of patterns as modules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from passgen_runtime.context import Operation
from passgen_runtime.patterns import (
    ExampleIR,
    ExampleText,
    PatternLibrary,
    RewritePattern,
    after_of,
    before_of,
    read_pattern,
)

Type: TypeAlias = Any
"""A type of the IR library."""


def examples(
    pattern: RewritePattern, library: PatternLibrary
) -> Iterator[RewritePattern]:
    """Yield `pattern` with each choice of its listed types, if it has examples.

    Without PDL, `after` repeats the operations that stay, which are all but the root.

    Raises:
        IRError: an example is no valid IR.
        PatternError: it is no pattern.
    """
    if not pattern.before:
        return
    for values in _choices(pattern, library):
        before = before_of(pattern).substitute(values)
        after = after_of(pattern, None).substitute(values)
        example = replace(pattern, before=before, after=after)
        if not pattern.pdl:
            kept = _text_above_root(example, library)
            example = replace(example, after=f"{kept}\n{after}")
        yield example


def _choices(
    pattern: RewritePattern, library: PatternLibrary
) -> list[Mapping[str, str]]:
    """Return the texts of the variables, for each choice of listed types."""
    if pattern.pdl:
        return [{}]  # its example has no variables
    return [graph.values for graph in read_pattern(library, pattern)]


def _text_above_root(example: RewritePattern, library: PatternLibrary) -> str:
    """Return `before` without its last operation."""
    parsed = ExampleIR(library, before_of(example), {}, {})
    start_of_root = parsed.starts[-1]
    return example.before[:start_of_root]


def example_modules(
    example: RewritePattern, library: PatternLibrary
) -> tuple[Operation, Operation]:
    """Return modules with `before` and `after` in functions.

    They return the values that both define, without those of which uses are counted.

    Raises:
        IRError: an example is no valid IR.
    """
    before, after = before_of(example), after_of(example, None)
    signature = _signature(
        ExampleIR(library, before, {}, {}),
        ExampleIR(library, after, {}, {}),
        (*example.unused, *example.one_use),
    )
    name = f"{example.name} at {example.file}"
    return (
        library.context.parse(signature.function(before), name),
        library.context.parse(signature.function(after), name),
    )


@dataclass(frozen=True)
class _Signature:
    """What the functions with `before` and with `after` have in common."""

    arguments: Sequence[str]
    """The names of the values that neither defines."""

    results: Sequence[str]
    """The names of the values that both define."""

    types: Mapping[str, Type]
    """The types of values, by their names."""

    def function(self, text: ExampleText) -> str:
        """Return the text of a function with the operations in `text`."""
        arguments = ", ".join(f"{name}: {self.types[name]}" for name in self.arguments)
        types = ", ".join(str(self.types[name]) for name in self.results)
        values = ", ".join(map(text.resolve, self.results))
        lines = (
            f"func.func @example({arguments}) -> ({types}) {{",
            text.fill({}).text,
            f"func.return {values} : {types}" if self.results else "func.return",
            "}",
        )
        return "\n".join(lines)


def _signature(
    before: ExampleIR, after: ExampleIR, counted: Sequence[str]
) -> _Signature:
    """Return the signature of the functions with two examples."""
    free = list(dict.fromkeys((*before.free, *after.free)))
    not_returned = {f"%{name.removeprefix('%')}" for name in counted}
    defined_by_both = before.types.keys() & after.types.keys() - set(free)
    returned = defined_by_both - not_returned
    results = [name for name in before.types if name in returned]
    return _Signature(free, results, after.types | before.types)
