"""The examples of patterns, held against what the patterns do."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from itertools import pairwise
from typing import Final

from passgen_runtime.context import Context, Operation
from passgen_runtime.errors import IRError
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.pass_manager import PassManager, manager_for
from passgen_runtime.pass_registry import create_pass, parse_pass_manager
from passgen_runtime.patterns import (
    ExampleIR,
    PatternLibrary,
    Patterns,
    RewritePattern,
    UnknownTypeError,
    before_of,
    library_of,
)
from passgen_tools.ir_libraries import registry_of
from passgen_tools.testing.assertions import ir_difference, nameless_text
from passgen_tools.verify import (
    FAILURES,
    example_modules,
    examples,
    report,
    verify_patterns,
)

_INTEGER: Final = re.compile(r"(?<![\w.%$])\d+(?= :)")


def assert_pattern_examples(
    pass_class: type[Patterns], context: Context | None = None
) -> None:
    """Check that each pattern of a pass turns its `before` into its `after`.

    Both become the body of a function, without unused operations: values that they do
    not define are its arguments, and it returns those that both define. Patterns
    without PDL are checked with each type of a list, and must not match changes of
    `before`: without an operation, with another number, with different operands.

    Args:
        pass_class: a generated class, or an implementation of it.
        context: of the IR library; by default, a new context of xDSL.

    Raises:
        AssertionError: a pattern does something else; the text shows the difference.
        IRError: an example is no valid IR.
    """
    __tracebackhide__ = True
    context = context or XDSLContext()
    library = library_of(context)
    assert library is not None, "the IR library has no patterns"
    for pattern in pass_class.patterns:
        for example in examples(pattern, library):
            _check_example(pass_class, example, library)
            for text in () if pattern.pdl else _near_misses(example, library):
                _check_near_miss(pass_class, replace(example, before=text), library)


def assert_patterns_verified(
    pass_class: type[Patterns], context: Context | None = None
) -> None:
    """Check that the patterns of a pass are right for all integers: `passgen-verify`.

    Raises:
        AssertionError: a pattern is wrong, or may be; the text says why.
    """
    __tracebackhide__ = True
    judgements = verify_patterns(pass_class, context)
    if failed := [row for row in judgements if row.verdict in FAILURES]:
        raise AssertionError(report(failed))


def assert_no_pattern_applies(
    pass_: Patterns | type[Patterns], ir: str, context: Context | None = None
) -> None:
    """Check that no pattern of a pass applies to IR.

    Args:
        pass_: the pass, or its class for its default options.
        ir: the text of a module.
        context: of the IR library; by default, a new context of xDSL.

    Raises:
        AssertionError: patterns apply; the text names them, and shows the difference.
            Or no pattern could: none starts from an operation of the IR.
        IRError: the text is not valid IR.
    """
    __tracebackhide__ = True
    context = context or XDSLContext()
    if isinstance(pass_, type):
        pass_ = create_pass(pass_)
    module = context.parse(ir, "ir")
    context.verify(module)
    before = context.print(module)
    _require_roots(pass_, context, module)
    manager = PassManager(context, context.name(module), nesting="implicit")
    manager.counts_optional = True
    manager_for(pass_, manager, context).add_pass(pass_)
    counts = Counter(pass_.pattern_counts())
    manager.run(module)
    if applied := Counter(pass_.pattern_counts()) - counts:
        lines = [
            f"pattern '{pattern.name}' at {pattern.file}:{pattern.line} applies"
            for pattern in pass_.patterns
            if pattern.name in applied
        ]
        difference = ir_difference(before, context.print(module))
        raise AssertionError("\n".join((*lines, difference)))


def _require_roots(pass_: Patterns, context: Context, module: Operation) -> None:
    """Check that a pattern starts from an operation of the IR.

    Raises:
        AssertionError: none does.
    """
    __tracebackhide__ = True
    roots = {name for names in pass_.pattern_roots(context).values() for name in names}
    names = set(_operation_names(context, module))
    if "" not in roots and not roots & names:
        known = ", ".join(sorted(roots)) or "no pattern is enabled"
        message = f"no pattern of '{pass_.argument}' starts from an operation of the IR"
        raise AssertionError(f"{message}: {known}")


def _operation_names(context: Context, operation: Operation) -> Iterator[str]:
    for child in context.children(operation):
        yield context.name(child)
        yield from _operation_names(context, child)


def _check_example(
    pass_class: type[Patterns], pattern: RewritePattern, library: PatternLibrary
) -> None:
    __tracebackhide__ = True
    context = library.context
    found, wanted = example_modules(pattern, library)
    _run(pass_class, pattern, context, found)
    cleanup = "builtin.module(func.func(cse))"
    registry = registry_of(context)
    with _unwatched():
        for module in (found, wanted):
            parse_pass_manager(cleanup, context, registry).run(module)
    if nameless_text(context, found) != nameless_text(context, wanted):
        difference = ir_difference(context.print(wanted), context.print(found))
        name = f"{pattern.name} at {pattern.file}:{pattern.line}"
        text = f"the pattern {name} does not do what its example says"
        raise AssertionError(f"{text}:\n{difference}")


def _near_misses(example: RewritePattern, library: PatternLibrary) -> Iterator[str]:
    """Yield `before` without an operation, with other numbers, and other operands."""
    shown = ExampleIR(library, before_of(example), {}, {})
    for start, end in pairwise(shown.starts):
        yield f"{example.before[:start]}{example.before[end:]}"
    for found in _INTEGER.finditer(example.before):
        start, end = found.span()
        yield f"{example.before[:start]}{int(found[0]) ^ 1}{example.before[end:]}"
    for name in shown.free:
        places = [*re.finditer(rf"{re.escape(name)}(?![\w$.-])", example.before)]
        if len(places) > 1:
            at = places[-1].end()
            yield f"{example.before[:at]}.other{example.before[at:]}"


def _check_near_miss(
    pass_class: type[Patterns], pattern: RewritePattern, library: PatternLibrary
) -> None:
    __tracebackhide__ = True
    try:
        module, _ = example_modules(pattern, library)
    except (IRError, UnknownTypeError):
        return  # it is no IR
    if _run(pass_class, pattern, library.context, module):
        text = f"the pattern {pattern.name} matches what it should not"
        raise AssertionError(f"{text}:\n{pattern.before}")


def _run(
    pass_class: type[Patterns],
    pattern: RewritePattern,
    context: Context,
    module: Operation,
) -> int:
    """Apply the pattern in `module`; return how often it was applied."""
    pass_ = create_pass(pass_class)
    if hasattr(pass_.options, "enabled_patterns"):
        pass_.options.enabled_patterns = [pattern.name]
    manager = PassManager(context, nesting="implicit")
    manager.counts_optional = True
    manager.add_pass(pass_)
    with nullcontext() if pattern.pdl else _unwatched():
        manager.run(module)
    return pass_.pattern_counts()[pattern.name]


@contextmanager
def _unwatched() -> Iterator[None]:
    """Keep coverage from counting runs that test nothing but the text of a pattern."""
    token = PassManager.watch.set(None)
    try:
        yield
    finally:
        PassManager.watch.reset(token)
