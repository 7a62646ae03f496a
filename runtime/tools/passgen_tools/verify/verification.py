"""Verdicts about the patterns of a pass."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import groupby, islice
from operator import attrgetter
from time import monotonic
from typing import Final

from passgen_runtime.context import Context, Operation
from passgen_runtime.errors import PassError
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.patterns import (
    NativeFunctions,
    PatternApplier,
    PatternDriver,
    PatternGraph,
    PatternLibrary,
    Patterns,
    RewritePattern,
    check_graphs,
    import_functions,
    library_of,
    read_pattern,
)
from passgen_tools.verify.judgements import JudgedError, Judgement, Verdict
from passgen_tools.verify.pattern_check import TIME_IS_OVER, PatternCheck
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
    library = library_of(context)
    if library is None:
        raise PassError(f"the IR of '{context.library}' has no patterns")
    place = pass_class.declared_in
    functions = NativeFunctions(
        library,
        import_functions(pass_class.native_constraints, place),
        import_functions(pass_class.native_rewrites, place),
    )
    natives = {"constraint": functions.constraints, "rewrite": functions.rewrites}
    semantics = import_functions(pass_class.semantics, place)
    read = list[PatternGraph]()
    for pattern in pass_class.patterns:
        try:
            graphs = read_pattern(library, pattern)
            check_graphs(library, graphs, natives, pass_class.pattern_driver)
            read += graphs
        except PassError as error:
            yield Judgement(pattern.name, "", "not-checked", str(error))
    left_s = dict[str, float]()
    for name, of_pattern in groupby(read, attrgetter("name")):
        end_s = monotonic() + timeout_s
        for graph in of_pattern:
            check = PatternCheck(library, graph, functions, semantics, end_s)
            judged = list(_judgements(check))
            yield from judged
            if judged[-1].verdict == "unknown":
                break  # the time limit is that of the whole pattern
        left_s[name] = end_s - monotonic()
    if read:
        driver = PatternDriver("greedy", max_rewrites=_MAX_REWRITES)
        applier = library.applier(read, functions, driver)
        for pattern in pass_class.patterns:
            end_s = monotonic() + left_s.get(pattern.name, timeout_s)
            found = _judgements_of_end(pattern, applier, library, end_s)
            yield from islice(found, 1)


def _judgements(check: PatternCheck) -> Iterator[Judgement]:
    """Yield the judgements of a check, at least one."""
    verdict: Verdict | None = None
    try:
        for judgement in check.run():
            verdict = judgement.verdict
            yield judgement
    except JudgedError as error:
        verdict, reason = error.args
        yield Judgement(check.graph.name, "", verdict, reason)
    if verdict is None:
        reason = "it matches nothing that was tried"
        yield Judgement(check.graph.name, "", "not-checked", reason)


def _judgements_of_end(
    pattern: RewritePattern,
    applier: PatternApplier,
    library: PatternLibrary,
    end_s: float,
) -> Iterator[Judgement]:
    """Yield a judgement where applying patterns to an example of one does not end.

    Args:
        pattern: has the examples.
        applier: applies all patterns of the pass.
        library: reads the examples.
        end_s: the monotonic time after which nothing is applied.
    """

    def may_apply(_name: str, _operation: Operation) -> bool:
        return monotonic() < end_s

    # Another judgement is about an example, or a function, that fails.
    with suppress(Exception, SystemExit):
        for example in examples(pattern, library):
            if monotonic() >= end_s:
                return
            module, _ = example_modules(example, library)
            if limit := applier.apply(module, None, may_apply):
                reason = f"patterns of the pass match its example after {limit}"
                yield Judgement(pattern.name, "", "may-not-end-by-greedy", reason)
            if monotonic() >= end_s:
                yield Judgement(pattern.name, "", "unknown", TIME_IS_OVER)
