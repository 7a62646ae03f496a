"""Verdicts about the patterns of a pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from textwrap import indent
from time import monotonic
from typing import Final

from passgen_runtime.context import Context
from passgen_runtime.errors import PassError
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.patterns import (
    NativeFunctions,
    ParsedPattern,
    PatternApplier,
    PatternDriver,
    Patterns,
    RewritePattern,
    check_pattern,
    import_functions,
    own_functions,
    result_types,
    written_patterns,
)
from passgen_tools.verify.pattern_check import (
    CALLS,
    JudgedError,
    Judgement,
    PatternCheck,
)
from passgen_tools.verify.pattern_modules import example_modules, examples

_MAX_REWRITES: Final = 256
"""So many rewrites in an example are no way to an end."""


def verify_patterns(
    pass_class: type[Patterns], context: Context | None = None, timeout_s: float = 120
) -> Iterator[Judgement]:
    """Yield a judgement for each pattern and type; after a wrong one, no more types.

    Those about patterns that may not end together are last.

    Args:
        pass_class: a generated class, or an implementation of it.
        context: of the IR library; by default, a new context of xDSL.
        timeout_s: the time limit for each pattern.

    Raises:
        PassError: a function is missing.
    """
    context = context or XDSLContext()
    if context.pattern_applier is None:
        raise PassError(f"the IR of '{context.library}' has no patterns")
    declared = pass_class.native_constraints, pass_class.native_rewrites
    functions = {
        kind: import_functions(named, pass_class.declared_in)
        for kind, named in zip(CALLS, declared, strict=True)
    }
    semantics = import_functions(pass_class.semantics, pass_class.declared_in)
    library, read = context.pattern_applier(), list[ParsedPattern]()
    for pattern in pass_class.patterns:
        try:
            for written in written_patterns(context, library, pattern):
                parsed = library.parse(context, written)
                check_pattern(parsed, context, functions, pass_class.pattern_driver)
                read.append(parsed)
        except PassError as error:
            yield Judgement(pattern.name, "", "not-checked", str(error))
    calls = {call.text for parsed in read for call in parsed.of_kind(*CALLS)}
    own = own_functions(context, calls)
    known = {kind: named | own for kind, named in functions.items()}
    ends_s: dict[str, float] = {}
    for parsed in read:
        end_s = ends_s.setdefault(parsed.name, monotonic() + timeout_s)
        reason = "it matches nothing that was tried"
        missed = Judgement(parsed.name, "", "not-checked", reason)
        try:
            check = PatternCheck(context, parsed, known, semantics, end_s)
            yield from [*check.run()] or [missed]
        except JudgedError as error:
            yield Judgement(parsed.name, "", *error.args)
    if read:
        natives = NativeFunctions(known[CALLS[0]], known[CALLS[1]], result_types(read))
        driver = PatternDriver("greedy", max_rewrites=_MAX_REWRITES)
        applier = library(context, read, natives, driver)
        for pattern in pass_class.patterns:
            for reason in islice(_reasons_not_to_end(pattern, applier, context), 1):
                yield Judgement(pattern.name, "", "may-not-end-by-greedy", reason)


def _reasons_not_to_end(
    pattern: RewritePattern, applier: PatternApplier, context: Context
) -> Iterator[str]:
    """Yield why applying patterns to an example of one does not come to an end."""
    for example in examples(pattern):
        # Another judgement is about an example, or a function, that fails.
        with suppress(Exception, SystemExit):
            module, _ = example_modules(example, context)
            if limit := applier.apply(module, None, None):
                yield f"patterns of the pass match its example after {limit}"


def report(judgements: Iterable[Judgement]) -> str:
    """Return lines with the verdicts, one for all types that have the same."""
    found: dict[tuple[str, str], list[str]] = {}
    for pattern, types, verdict, reason in judgements:
        title = f"  {pattern}: {verdict.replace('-', ' ')}"
        note = reason and indent(f"{reason}\n", "    ")
        found.setdefault((title, note), []).append(types)
    return "".join(
        f"{title}{': ' * any(types)}{', '.join(types)}\n{note}"
        for (title, note), types in found.items()
    )
