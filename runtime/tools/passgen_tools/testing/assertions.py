"""Assertions about passes, for tests in Python.

    run = assert_rewrites(MulToShift(), before, after, statistics={"num-shifts": 1})
    assert_unchanged("builtin.module(func.func(mul-to-shift))", odd_factors)
    assert_fails(Inline(), recursive, match="recursive call")

IR is text. Expected IR is parsed and printed first, so that its layout and the names of
values and blocks do not matter. Every run is audited where the IR library allows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import unified_diff
from functools import partial
from typing import Any, Final, TypedDict, Unpack

from passgen_runtime.context import Context, Operation
from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.errors import IRError, PassError, SchedulingError
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_manager import OpPassManager, PassManager
from passgen_runtime.pass_registry import PassRegistry, parse_pass_manager
from passgen_runtime.pass_statistics import merge_nodes
from passgen_runtime.printing_flags import PrintingFlags
from passgen_tools.audit import audit_patterns, enable_audit, verify_determinism
from passgen_tools.forms import declares_forms, verify_forms
from passgen_tools.ir_diff import ir_diff
from passgen_tools.ir_libraries import XDSLLibrary, registry_of
from passgen_tools.testing.audited_patterns import AUDITS_PATTERNS
from passgen_tools.testing.pass_checks import Check, CheckAfterPasses

Pipeline = Pass | OpPassManager | str

_NAME: Final = re.compile(r'"(?:[^"\\]|\\.)*"|([%^])([\w.$-]+)')


@dataclass(frozen=True, slots=True)
class PassRun:
    """A run of a pass or a pipeline, as a test sees it."""

    operation: Operation
    """The operation after the run."""

    text: str
    """The text of `operation`."""

    diagnostics: tuple[Diagnostic, ...]
    statistics: Mapping[str, int]
    """Counts by display name; statistics of equal name are added up."""

    error: PassError | None
    """The error of a failed run."""


class _Facts(TypedDict, total=False):
    statistics: Mapping[str, int] | None
    diagnostics: Sequence[str] | None
    check: Check | None
    fails_after: Mapping[str, str] | None


@dataclass(frozen=True, slots=True)
class PassTester:
    """Assertions that share a context or a registry.

    For passes on MLIR's IR, it is `PassTester(MLIRContext())`.

    All assertions take a pipeline: a pass, a pass manager, or a textual pipeline. They
    may be given statistics to expect, by display name, of which others may have any
    count, and a regular expression for each diagnostic to expect, in order; also a
    `check` of the whole IR after each pass, with the failures to expect of it as
    regular expressions by argument of the pass: see `pass_checks`.
    """

    context: Context | None = None
    """The context of the IR; by default, a new xDSL context with all dialects a run."""

    registry: PassRegistry | None = None
    """The registry of textual pipelines; by default, that of the shipped passes."""

    audit: bool = True
    """Whether forms are verified, and runs audited where the context allows it."""

    audit_patterns: bool = False
    """Whether patterns are audited; they are too where the plug-in's setting is on."""

    determinism: bool = False
    """Whether passes have to do the same when they run again in other processes."""

    def assert_rewrites(
        self, pipeline: Pipeline, before: str, after: str, **facts: Unpack[_Facts]
    ) -> PassRun:
        """Check that a pipeline turns one IR into another; see `PassTester`.

        Raises:
            AssertionError: anything differs; the text shows how.
            IRError: one of the texts is not valid IR.
        """
        __tracebackhide__ = True
        context = self._context(pipeline)
        operation = _parse(context, before, "before")
        wanted = _parse(context, after, "after")
        run = self._run(context, pipeline, operation, facts)
        if run.error is not None:
            text = f"the pipeline failed:\n{_messages(run)}"
            raise AssertionError(text) from run.error
        if nameless_text(context, wanted) != nameless_text(context, operation):
            difference = ir_difference(context.print(wanted), context.print(operation))
            raise AssertionError(f"the IR differs:\n{difference}")
        _require_facts(run, facts)
        return run

    def assert_unchanged(
        self, pipeline: Pipeline, ir: str, **facts: Unpack[_Facts]
    ) -> PassRun:
        """Check that a pipeline leaves IR as it is, with locations; see `PassTester`.

        Raises:
            AssertionError: anything differs; the text shows how.
            IRError: the text is not valid IR.
        """
        __tracebackhide__ = True
        run = self.assert_rewrites(pipeline, ir, ir, **facts)
        context = self._context(pipeline)
        wanted = _parse(context, ir, "before")
        if context.fingerprint(wanted) != context.fingerprint(run.operation):
            print_ = partial(context.print, flags=PrintingFlags(debug_info=True))
            texts = map(print_, (wanted, run.operation))
            raise AssertionError(f"the pipeline changed\n{ir_difference(*texts)}")
        return run

    def assert_fails(
        self, pipeline: Pipeline, ir: str, *, match: str, **facts: Unpack[_Facts]
    ) -> PassRun:
        """Check that a pipeline fails with a message that `match` finds.

        `match` is a regular expression, found in the diagnostics or in the error.

        Raises:
            AssertionError: it succeeds, or anything differs; the text shows how.
            IRError: the text is not valid IR.
        """
        __tracebackhide__ = True
        context = self._context(pipeline)
        run = self._run(context, pipeline, _parse(context, ir, "before"), facts)
        if run.error is None:
            raise AssertionError(
                f"expected a failure, but the pipeline succeeded with\n{run.text}"
            )
        if re.search(match, _messages(run)) is None:
            raise AssertionError(f"found no match of {match!r} in\n{_messages(run)}")
        _require_facts(run, facts)
        return run

    def _context(self, pipeline: Pipeline) -> Context:
        if isinstance(pipeline, PassManager):
            return pipeline.context
        return self.context or XDSLLibrary().context()

    def _run(
        self, context: Context, pipeline: Pipeline, operation: Operation, facts: _Facts
    ) -> PassRun:
        """Run a pipeline.

        Raises:
            AssertionError: an audit found violations, a form does not hold where a
                pass declares it, or the check fails.
        """
        __tracebackhide__ = True
        checks: CheckAfterPasses | None = None
        diagnostics: list[Diagnostic] = []
        shows_operation = context.prints_operation_on_diagnostic
        context.prints_operation_on_diagnostic = False
        error: PassError | None = None
        manager: PassManager | None = None
        verifiers: list[Any] = []
        try:
            manager = self._manager(context, pipeline)
            verifiers = list(self._verifiers(manager))
            if check := facts.get("check"):
                fails_after = facts.get("fails_after") or {}
                checks = CheckAfterPasses(context, operation, check, fails_after)
                manager.add_instrumentation(checks)
            with context.redirecting_diagnostics(diagnostics.append):
                manager.run(operation)
        except PassError as raised:
            error = raised
        finally:
            context.prints_operation_on_diagnostic = shows_operation
            if manager is not None and checks is not None:
                manager.remove_instrumentation(checks)
        if found := [
            violation for verifier in verifiers for violation in verifier.violations
        ]:
            raise AssertionError("\n".join(map(str, found)))
        if checks is not None:
            checks.require_expected()
        counts: dict[str, int] = {}
        for node in merge_nodes(() if manager is None else manager.statistics_nodes()):
            for counter in node.statistics:
                name = counter.display_name
                counts[name] = counts.get(name, 0) + counter.value
        text = context.print_in_any_state(operation)
        return PassRun(operation, text, tuple(diagnostics), counts, error)

    def _verifiers(self, manager: PassManager) -> Iterator[Any]:
        if self.audit:
            yield enable_audit(manager)
        if self.audit and declares_forms(manager):
            yield verify_forms(manager)
        if self.audit_patterns or AUDITS_PATTERNS.get():
            yield audit_patterns(manager)
        if self.determinism:
            yield verify_determinism(manager)

    def _manager(self, context: Context, pipeline: Pipeline) -> PassManager:
        if isinstance(pipeline, str):
            registry = self.registry or registry_of(context)
            return parse_pass_manager(pipeline, context, registry)
        if isinstance(pipeline, OpPassManager):
            manager = PassManager(context, pipeline.anchor)
            manager.add_pipeline(pipeline)
            return manager
        manager = PassManager(context, nesting="implicit")
        try:
            manager.add_pass(pipeline)
        except SchedulingError:  # a pass on functions, of whatever dialect
            manager.nest_any().add_pass(pipeline)
        return manager


_TESTER: Final = PassTester()
assert_rewrites = _TESTER.assert_rewrites
assert_unchanged = _TESTER.assert_unchanged
assert_fails = _TESTER.assert_fails


def _parse(context: Context, text: str, name: str) -> Operation:
    __tracebackhide__ = True
    try:
        operation = context.parse(text, name)
        context.verify(operation)
    except IRError as error:
        # Where the library was when it found the mistake says nothing about the text.
        raise error.with_traceback(None) from None
    return operation


def _messages(run: PassRun) -> str:
    return "\n".join(map(str, (*run.diagnostics, run.error)))


def _require_facts(run: PassRun, facts: _Facts) -> None:
    """Check statistics and diagnostics.

    Raises:
        AssertionError: they are not as expected.
    """
    __tracebackhide__ = True
    wanted, diagnostics = facts.get("statistics") or {}, facts.get("diagnostics")
    found = {name: run.statistics.get(name) for name in wanted}
    if found != wanted:
        counts = [f"{name}: {value}" for name, value in wanted.items()]
        actual = [f"{name}: {value}" for name, value in run.statistics.items()]
        raise AssertionError(f"the statistics differ:\n{_difference(counts, actual)}")
    if diagnostics is None:
        return
    texts = [*map(str, run.diagnostics)]
    if len(texts) != len(diagnostics) or not all(map(re.search, diagnostics, texts)):
        difference = _difference(diagnostics, texts)
        raise AssertionError(f"the diagnostics differ:\n{difference}")


def _difference(wanted: Sequence[str], found: Sequence[str]) -> str:
    return "\n".join(unified_diff(wanted, found, "expected", "found", lineterm=""))


def nameless_text(
    context: Context, operation: Operation, *, debug_info: bool = False
) -> str:
    """Return the text with values and blocks numbered in the order of appearance."""
    flags = PrintingFlags(debug_info=debug_info)
    try:
        text = context.print(operation, flags=replace(flags, unique_ssa_ids=True))
    except PassError:  # MLIR itself gives equal IR equal names
        text = context.print(operation, flags=flags)
    numbers: dict[str, int] = {}

    def number(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0]
        return f"{match[1]}{numbers.setdefault(match[0], len(numbers))}"

    return _NAME.sub(number, text)


def ir_difference(wanted: str, found: str) -> str:
    """Return the difference of two texts of IR, with the names of `found` in both."""
    return f"--- expected\n+++ found\n{ir_diff(wanted, found)}".rstrip()
