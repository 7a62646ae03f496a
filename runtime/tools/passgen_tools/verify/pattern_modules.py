"""The examples of patterns as modules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from passgen_runtime.context import Context, Operation
from passgen_runtime.patterns import ExampleIR, RewritePattern, choices, fill

_ALIAS: Final = re.compile(r"^\s*(%[\w$.-]+)\s*=\s*(%[\w$.-]+)[ \t]*$", re.MULTILINE)


def examples(pattern: RewritePattern) -> Iterator[RewritePattern]:
    """Yield `pattern` with each choice of its listed types, if it has examples.

    Without PDL, `after` repeats the operations that stay, which are all but the root.
    """
    for values in choices(pattern) if pattern.before else ():
        before, after = fill(pattern.before, values), fill(pattern.after, values)
        if not pattern.pdl:
            after = "\n".join((*before.splitlines()[:-1], after))
        yield replace(pattern, before=before, after=after)


def example_modules(
    example: RewritePattern, context: Context
) -> tuple[Operation, Operation]:
    """Return modules with `before` and `after` in functions.

    They return the values that both define.

    Raises:
        IRError: an example is no valid IR.
    """
    before, after = (
        ExampleIR(context, replace(example, before=text), {})
        for text in (example.before, example.after)
    )
    types = after.types | before.types
    free = dict.fromkeys((*before.free, *after.free))
    arguments = ", ".join(f"{name}: {types[name]}" for name in free)
    results = [name for name in before.types if name in after.types.keys() - free]
    listed = ", ".join(types[name] for name in results)

    def module(text: str) -> Operation:
        aliases = dict(_ALIAS.findall(text))
        names = ", ".join(aliases.get(name, name) for name in results)
        returned = f"func.return {names} : {listed}" if results else "func.return"
        body = f"{_ALIAS.sub('', text)}\n{returned}"
        function = f"func.func @example({arguments}) -> ({listed}) {{\n{body}\n}}"
        return context.parse(function, f"{example.name} at {example.file}")

    return module(example.before), module(example.after)
