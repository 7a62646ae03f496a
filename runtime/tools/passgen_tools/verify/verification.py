"""Verdicts about the patterns of a pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
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
from passgen_tools.verify.judgements import JudgedError, Judgement
from passgen_tools.verify.pattern_check import PatternCheck
from passgen_tools.verify.pattern_modules import example_modules, examples
from passgen_tools.verify.search import TIME_IS_OVER

_MAX_REWRITES: Final = 256
"""So many rewrites in an example are no way to an end."""


def verify_patterns(
    pass_class: type[Patterns], context: Context | None = None, timeout_s: float = 120
) -> Iterator[Judgement]:
    """Yield a judgement for each pattern and type; after a wrong one, few more types.

    Those about patterns that may not end together are last.

    Args:
        pass_class: a generated class, or an implementation of it.
        context: of the IR library; by default, a new context of xDSL.
        timeout_s: the time limit for each pattern.

    Raises:
        PassError: a function is missing.
    """
    context = context or XDSLContext()  # the check does not keep it alive
    yield from PassCheck.of(pass_class, context, timeout_s).run()


@dataclass
class PassCheck:
    """The check of the patterns of a pass."""

    pass_class: type[Patterns]
    library: PatternLibrary
    functions: NativeFunctions
    """The functions that the patterns call."""

    semantics: Mapping[str, Callable[..., object]]
    """The functions of the operations of the pass, by name."""

    timeout_s: float
    """The time limit of each pattern."""

    @classmethod
    def of(
        cls, pass_class: type[Patterns], context: Context, timeout_s: float
    ) -> PassCheck:
        """Return the check of a pass.

        Raises:
            PassError: a function is missing.
        """
        library = library_of(context)
        if library is None:
            raise PassError(f"the IR of '{context.library}' has no patterns")
        place = pass_class.declared_in
        functions = NativeFunctions(
            library,
            import_functions(pass_class.native_constraints, place),
            import_functions(pass_class.native_rewrites, place),
        )
        semantics = import_functions(pass_class.semantics, place)
        return cls(pass_class, library, functions, semantics, timeout_s)

    def run(self) -> Iterator[Judgement]:
        """Yield the judgements."""
        graphs: list[PatternGraph] = []
        for pattern in self.pass_class.patterns:
            try:
                graphs += self.read(pattern)
            except PassError as error:
                yield Judgement(pattern.name, "", "not-checked", str(error))
        left_s: dict[str, float] = {}
        """The time that is left of the time limit of a pattern, by name."""

        for name, of_pattern in groupby(graphs, attrgetter("name")):
            end_s = monotonic() + self.timeout_s
            yield from self._judge(of_pattern, end_s)
            left_s[name] = end_s - monotonic()
        if graphs:
            yield from self._judge_ends(graphs, left_s)

    def read(self, pattern: RewritePattern) -> list[PatternGraph]:
        """Return the graphs of a pattern, one for each choice of listed types.

        Raises:
            PassError: the pattern is wrong.
        """
        natives = {
            "constraint": self.functions.constraints,
            "rewrite": self.functions.rewrites,
        }
        graphs = read_pattern(self.library, pattern)
        check_graphs(self.library, graphs, natives, self.pass_class.pattern_driver)
        return graphs

    def _judge(
        self, graphs: Iterator[PatternGraph], end_s: float
    ) -> Iterator[Judgement]:
        """Yield the judgements about the graphs of a pattern."""
        of_pattern = list(graphs)
        for graph in of_pattern:
            is_alone = len(of_pattern) == 1
            yield from _judgements(self.check(graph, end_s, is_alone=is_alone))
            if monotonic() > end_s:
                return  # the time limit is that of the whole pattern

    def check(
        self, graph: PatternGraph, end_s: float, *, is_alone: bool = False
    ) -> PatternCheck:
        """Return the check of a graph of a pattern until a monotonic time.

        Args:
            graph: what is checked.
            end_s: the time at which the time limit of the pattern is met.
            is_alone: whether the pattern has no other graphs, which need time, too.
        """
        return PatternCheck(
            self.library, graph, self.functions, self.semantics, end_s, is_alone
        )

    # Patterns that do not end.

    def _judge_ends(
        self, graphs: list[PatternGraph], left_s: Mapping[str, float]
    ) -> Iterator[Judgement]:
        """Yield the judgements about patterns that may not end together.

        Args:
            graphs: those of all patterns.
            left_s: the time that is left for a pattern, by name.
        """
        applier = self.applier(graphs, PatternDriver("greedy"))
        for pattern in self.pass_class.patterns:
            end_s = monotonic() + left_s.get(pattern.name, self.timeout_s)
            found = self._judge_end(pattern, applier, end_s)
            yield from islice(found, 1)

    def applier(
        self, graphs: Sequence[PatternGraph], driver: PatternDriver
    ) -> PatternApplier:
        """Return an applier of patterns that gives up after some rewrites."""
        driver = replace(driver, max_rewrites=_MAX_REWRITES)
        return self.library.applier(graphs, self.functions, driver)

    def _judge_end(
        self, pattern: RewritePattern, applier: PatternApplier, end_s: float
    ) -> Iterator[Judgement]:
        """Yield a judgement where applying patterns to an example of one does not end.

        Args:
            pattern: has the examples.
            applier: applies all patterns of the pass.
            end_s: the monotonic time after which nothing is applied.
        """

        def may_apply(_name: str, _operation: Operation) -> bool:
            return monotonic() < end_s

        # Another judgement is about an example, or a function, that fails.
        with suppress(Exception, SystemExit):
            for example in examples(pattern, self.library):
                if monotonic() >= end_s:
                    return
                module, _ = example_modules(example, self.library)
                if limit := applier.apply(module, None, may_apply):
                    reason = f"patterns of the pass match its example after {limit}"
                    yield Judgement(pattern.name, "", "may-not-end-by-greedy", reason)
                if monotonic() >= end_s:
                    yield Judgement(pattern.name, "", "unknown", TIME_IS_OVER)


def _judgements(check: PatternCheck) -> Iterator[Judgement]:
    """Yield the judgements of a check, at least one."""
    name, is_judged = check.graph.name, False
    try:
        for judgement in check.run():
            is_judged = True
            yield judgement
    except JudgedError as error:
        is_judged = True
        yield Judgement(name, "", error.verdict, error.reason)
    if not is_judged:
        reason = "it matches nothing that was tried"
        yield Judgement(name, "", "not-checked", reason)
