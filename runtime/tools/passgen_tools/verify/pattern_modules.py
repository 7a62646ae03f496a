"""The examples of patterns as modules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

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


def examples(
    pattern: RewritePattern, library: PatternLibrary
) -> Iterator[RewritePattern]:
    """Yield `pattern` with each choice of its listed types, if it has examples.

    Without PDL, `after` repeats the operations that stay, which are all but the root.

    Raises:
        IRError: an example is no valid IR.
        PatternError: it is no pattern.
    """
    graphs = () if pattern.pdl else read_pattern(library, pattern)
    chosen = [graph.values for graph in graphs] if graphs else [{}]
    for values in chosen if pattern.before else ():
        before = before_of(pattern).substitute(values)
        after = after_of(pattern, None).substitute(values)
        shown = replace(pattern, before=before)
        if not pattern.pdl:
            *_, root = ExampleIR(library, before_of(shown), {}, {}).starts
            after = f"{before[:root]}\n{after}"
        yield replace(shown, after=after)


def example_modules(
    example: RewritePattern, library: PatternLibrary
) -> tuple[Operation, Operation]:
    """Return modules with `before` and `after` in functions.

    They return the values that both define, without those that must be unused.

    Raises:
        IRError: an example is no valid IR.
    """
    texts = before_of(example), after_of(example, None)
    before, after = (ExampleIR(library, text, {}, {}) for text in texts)
    types = after.types | before.types
    free = dict.fromkeys((*before.free, *after.free))
    arguments = ", ".join(f"{name}: {types[name]}" for name in free)
    unused = {f"%{name.removeprefix('%')}" for name in example.unused}
    shared = after.types.keys() - free - unused
    results = [name for name in before.types if name in shared]
    listed = ", ".join(str(types[name]) for name in results)

    def module(text: ExampleText) -> Operation:
        names = ", ".join(map(text.resolve, results))
        returned = f"func.return {names} : {listed}" if results else "func.return"
        body = f"{text.fill({}).text}\n{returned}"
        function = f"func.func @example({arguments}) -> ({listed}) {{\n{body}\n}}"
        return library.context.parse(function, f"{example.name} at {example.file}")

    before_text, after_text = texts
    return module(before_text), module(after_text)
