"""The audit of patterns: planted faults, and patterns that keep the rules."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import pytest
from xdsl.dialects import arith
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
)

from passgen_runtime import OperationPass, PassManager, PassOptions, PassRegistry
from passgen_runtime.context import Context
from passgen_runtime.errors import IRError, PassError
from passgen_runtime.instrumentations.pattern_hooks import (
    MayLeaveInvalidIR,
    PatternAttempt,
    PatternHook,
    PatternInstrumentation,
)
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.ir.xdsl.watched_patterns import watched
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_registry.resolution import parse_pass_manager
from passgen_runtime.patterns import DriverName, PatternDriver, Patterns
from passgen_tools.adaptors import (
    BY_REWRITER,
    CHANGES_NOTHING,
    CHANGES_SOMETHING,
    NO_USE_OF_ERASED,
    PATTERN_RULES,
    UNDOES_NOTHING,
    VALID_BETWEEN,
)
from passgen_tools.audit import PatternAudit, audit_patterns
from passgen_tools.opt import main, shipped_registry
from passgen_tools.testing import PassTester
from tests.inner_pytest import run_inside
from tests.mlir_bindings_needed import require_bindings
from tests.pattern_cases import MATCH, TWICE, pass_of, pattern
from tests.planted_pattern_faults import (
    FAULTS,
    IR,
    Fault,
    Planted,
    erases_the_terminator,
    marks_what_it_visits,
    says_so,
    to_add,
    to_sub,
)

INPUTS: Final = Path(__file__).parents[1] / "runtime" / "filecheck" / "passes"


class Rewrites(OperationPass[PassOptions]):
    """Applies patterns by xDSL's driver."""

    argument = "rewrites"
    anchor = "builtin.module"
    is_watched = True

    def __init__(self, *planted: Planted, is_recursive: bool = False) -> None:
        super().__init__()
        self.rewrite_patterns = [each.pattern() for each in planted]
        self.is_recursive = is_recursive

    def run_on_operation(self) -> None:
        pattern: RewritePattern = GreedyRewritePatternApplier(
            self.rewrite_patterns, dce_enabled=False
        )
        if self.is_watched:
            pattern = watched(self, pattern)
        walker = PatternRewriteWalker(pattern, apply_recursively=self.is_recursive)
        walker.rewrite_module(self.operation)


class RewritesAsAllowed(MayLeaveInvalidIR, Rewrites):
    """May leave invalid IR between two patterns."""


class RewritesUnseen(Rewrites):
    """Gives its patterns to xDSL's driver alone."""

    is_watched = False


def audit_of(
    pass_: Any,  # noqa: ANN401 - any kind of pass
    text: str = IR,
    context: Context | None = None,
) -> PatternAudit:
    """Run a pass, which may fail, and return the audit of its patterns."""
    context = context or XDSLContext()
    manager = PassManager(context, nesting="implicit")
    manager.verify_each = False
    audit = audit_patterns(manager)
    manager.add_pass(pass_)
    module = context.parse(text, "planted.mlir")
    with context.redirecting_diagnostics(lambda _: None), suppress(PassError):
        manager.run(module)
    return audit


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_planted_fault_is_found_by_its_rule_alone(fault: Fault) -> None:
    is_recursive = fault.rule == UNDOES_NOTHING
    audit = audit_of(Rewrites(*fault.patterns, is_recursive=is_recursive))

    (violation,) = audit.violations
    assert violation.rule == fault.rule
    text = f"tries pattern '{fault.name}', which {fault.found}"
    assert violation.found.startswith(text)


def test_a_message_names_pass_pattern_operation_place_and_rule() -> None:
    (violation,) = audit_of(Rewrites(Planted(says_so))).violations

    place = "planted.mlir:7:10"
    assert str(violation) == (
        f"{place}: error: pass 'rewrites' on 'arith.addi' operation at {place} tries "
        "pattern 'says_so', which reports success, but changes nothing\n"
        f"{place}: note: the rule: {CHANGES_SOMETHING}"
    )


def test_a_fault_is_reported_once_with_a_count() -> None:
    text = IR + IR.replace("@f", "@g").replace("@other", "@another")

    (violation,) = audit_of(Rewrites(Planted(marks_what_it_visits)), text).violations

    assert len(violation.others) == 1
    assert "note: also on 1 other operation, 'arith.addi' operation" in str(violation)


def test_patterns_that_undo_one_another_forever_are_stopped() -> None:
    planted = Planted(to_sub), Planted(to_add, arith.SubiOp)

    (violation,) = audit_of(Rewrites(*planted, is_recursive=True)).violations

    assert len(violation.others) == 99


def test_a_pass_may_declare_that_it_leaves_invalid_ir() -> None:
    planted = Planted(erases_the_terminator)

    assert [v.rule for v in audit_of(Rewrites(planted)).violations] == [VALID_BETWEEN]
    assert audit_of(RewritesAsAllowed(planted)).violations == []


def test_a_pass_whose_patterns_are_not_seen_is_named() -> None:
    audit = audit_of(RewritesUnseen(Planted(says_so)))

    assert audit.violations == []
    (reason,) = audit.unchecked.values()
    assert reason.startswith("it saw none of 'rewrites'; patterns are seen if they are")
    assert audit_of(Rewrites(Planted(says_so))).unchecked == {}


# Declared patterns, on both IRs.


def mark(*values: Any) -> bool:  # noqa: ANN401 - of either library
    """Mark an operation in a test of a condition."""
    operation = values[0]
    operation.attributes["seen"] = next(iter(operation.attributes.values()), None) or (
        next(iter(operation.properties.values()))
    )
    return False


def do_nothing(*_: object) -> None:
    """Do nothing in a rewrite."""


CONDITION = (
    f'{MATCH}pdl.apply_native_constraint "mark"(%root : !pdl.operation)\n'
    "pdl.rewrite %root { pdl.replace %root with (%x : !pdl.value) }"
)
CALL = f"""{MATCH}pdl.rewrite %root {{
  pdl.apply_native_rewrite "doNothing"(%root : !pdl.operation)
}}"""
DECLARED: Final = {
    "condition": (CONDITION, CHANGES_NOTHING),
    "call": (CALL, CHANGES_SOMETHING),
}


@pytest.fixture(params=["xdsl", pytest.param("mlir", marks=pytest.mark.bindings)])
def context(request: pytest.FixtureRequest) -> Context:
    """A context of either library."""
    if request.param == "xdsl":
        return XDSLContext()
    require_bindings("mlir")
    from passgen_runtime.ir.mlir import MLIRContext  # noqa: PLC0415 - it needs bindings

    return MLIRContext()


def declared(pdl: str, driver: DriverName = "walk") -> Patterns:
    """Return a pass with a pattern that may call the functions above."""
    class_ = pass_of(
        pattern(pdl),
        native_constraints=(("mark", mark),),
        native_rewrites=(("doNothing", do_nothing),),
        pattern_driver=PatternDriver(driver),
    )
    return class_()


@pytest.mark.parametrize("case", DECLARED)
def test_a_declared_pattern_with_a_fault_is_found(case: str, context: Context) -> None:
    pdl, rule = DECLARED[case]

    (violation,) = audit_of(declared(pdl), TWICE, context).violations

    assert violation.rule == rule
    assert violation.found.startswith("tries pattern 'squareToSelf', which ")
    assert len(violation.others) == 1


def test_declared_patterns_that_keep_the_rules_are_not_accused(
    context: Context,
) -> None:
    right = CONDITION.replace('"mark"', '"isFine"')
    class_ = pass_of(pattern(right), native_constraints=(("isFine", lambda _: True),))

    assert audit_of(class_(), TWICE, context).violations == []


SUMS = MATCH.replace("muli", "addi")
CALL_ON_SUMS = CALL.replace("muli", "addi")
CALL_AND_MORE = f"""{SUMS}pdl.rewrite %root {{
  pdl.apply_native_rewrite "doNothing"(%root : !pdl.operation)
  pdl.replace %root with (%x : !pdl.value)
}}"""


@pytest.mark.parametrize(
    ("pdl", "accused"), [(CALL_ON_SUMS, ["sums"]), (CALL_AND_MORE, [])]
)
def test_of_two_patterns_that_call_one_function_the_right_one_is_accused(
    pdl: str, accused: list[str], context: Context
) -> None:
    class_ = pass_of(
        pattern(CALL, name="products"),
        pattern(pdl, name="sums"),
        native_rewrites=(("doNothing", do_nothing),),
        pattern_driver=PatternDriver("walk"),
    )
    sums = TWICE.replace("muli", "addi")

    violations = audit_of(class_(), sums, context).violations

    assert [each.found.split("'")[1] for each in violations] == accused


@pytest.mark.bindings
def test_the_rules_that_mlir_lets_one_not_see_are_named() -> None:
    require_bindings("mlir")
    from passgen_runtime.ir.mlir import MLIRContext  # noqa: PLC0415 - it needs bindings

    audit = audit_of(declared(CALL), TWICE, MLIRContext())

    unseen = BY_REWRITER, VALID_BETWEEN, NO_USE_OF_ERASED, UNDOES_NOTHING
    assert set(audit.unchecked) == set(unseen) < set(PATTERN_RULES)


# Patterns that keep the rules.


class CountsApplications(PatternInstrumentation):
    """Counts the attempts that succeed."""

    def __init__(self) -> None:
        self.num_applied: Counter[str] = Counter()

    def around_patterns(self, _pass: Pass) -> PatternHook:
        return self._count

    def _count(self, attempt: PatternAttempt) -> bool:
        is_applied = attempt.run()
        self.num_applied[attempt.pattern] += is_applied
        return is_applied


FOLDED = """
func.func @f(%x: i32, %y: i32, %c: i1) -> i32 {
  %true = arith.constant true
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  %0 = arith.select %true, %x, %y : i32
  %1 = arith.addi %zero, %0 : i32
  %2 = arith.muli %1, %two : i32
  %3 = arith.subi %2, %zero : i32
  %4 = scf.if %true -> (i32) {
    %5 = arith.muli %3, %two : i32
    scf.yield %5 : i32
  } else {
    scf.yield %y : i32
  }
  cf.cond_br %true, ^bb1(%4 : i32), ^bb1(%y : i32)
^bb1(%r: i32):
  return %r : i32
}
"""


def test_shipped_patterns_and_those_of_xdsl_are_not_accused() -> None:
    counts = CountsApplications()
    violations: list[str] = []
    for path in sorted(INPUTS.glob("*.mlir")):
        for text in path.read_text().split("// -----"):
            violations += violations_in(text, counts)
    violations += violations_in(FOLDED, counts)

    assert violations == []
    applied = {name for name, count in counts.num_applied.items() if count}
    assert {"mulToAdd", "SimplifyTrivialLoops", "RehoistConstInLoops"} <= applied


def violations_in(text: str, counts: CountsApplications) -> list[str]:
    """Return the violations of patterns that apply to IR, if it parses."""
    context = XDSLContext()
    try:
        module = context.parse(text, "input.mlir")
    except IRError:  # a test of the parser
        return []
    pipeline = "builtin.module(canonicalize,arith-identities,arith-strength-reduction)"
    manager = parse_pass_manager(pipeline, context, shipped_registry())
    audit = audit_patterns(manager)
    manager.add_instrumentation(counts)
    with context.redirecting_diagnostics(lambda _: None), suppress(PassError):
        manager.run(module)
    return [*map(str, audit.violations)]


def makes_a_sum_anew_beside_another(
    op: arith.AddiOp, rewriter: PatternRewriter
) -> None:
    """Replace a sum by its equal, and its user by another operation."""
    user = next(iter(op.result.uses)).operation
    if isinstance(user, arith.MuliOp):
        rewriter.replace(user, arith.SubiOp(user.lhs, user.rhs))
        rewriter.replace(op, op.clone())


def test_an_equal_operation_is_no_fault_beside_another_change() -> None:
    ir = IR.replace("yield %sum", "yield %last")
    audit = audit_of(Rewrites(Planted(makes_a_sum_anew_beside_another)), ir)

    assert audit.violations == []


# Where it is turned on.


def test_a_tester_audits_patterns_if_asked() -> None:
    pass_ = Rewrites(Planted(marks_what_it_visits))

    with pytest.raises(AssertionError, match="does not match, but changes"):
        PassTester(audit=False, audit_patterns=True).assert_unchanged(pass_, IR)


class MarksEachSum(Rewrites):
    """Marks sums in a pattern that does not match."""

    argument = "marks-each-sum"

    def __init__(self) -> None:
        super().__init__(Planted(marks_what_it_visits))


class MarksEachSumUnseen(MarksEachSum):
    """Is not seen."""

    argument = "marks-each-sum-unseen"
    is_watched = False


def test_the_flag_of_the_driver_counts_violations_and_names_what_it_does_not_see(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "planted.mlir"
    source.write_text(IR)
    registry = PassRegistry()
    registry.register_pass(MarksEachSum)
    registry.register_pass(MarksEachSumUnseen)

    flags = "--marks-each-sum", "--marks-each-sum-unseen", "--audit=patterns"
    code = main([str(source), *flags], registry=registry)

    said = capsys.readouterr().err
    assert code == 1
    assert said.count("tries pattern 'marks_what_it_visits', which does not match") == 1
    assert "it saw none of 'marks-each-sum-unseen'" in said
    assert said.endswith("error: the audit found 1 violation\n")


OWN_OPT = """
from passgen_tools.opt import main as run_driver
from passgen_runtime import PassRegistry
from tests.tools.test_pattern_audit import MarksEachSum

def main(*arguments):
    registry = PassRegistry()
    registry.register_pass(MarksEachSum)
    return run_driver(*arguments, registry=registry)
"""
OWN_TEST = """
from passgen_tools.testing import assert_rewrites
from tests.planted_pattern_faults import IR
from tests.tools.test_pattern_audit import MarksEachSum

def test_marks():
    after = IR.replace("%two : i32", "%two {visited} : i32", 1)
    assert_rewrites(MarksEachSum(), IR, after)
"""


@pytest.mark.usefixtures("modules_stay")
@pytest.mark.parametrize("is_on", [True, False])
def test_a_setting_of_pytest_audits_patterns_of_files_and_testers(
    pytester: pytest.Pytester,
    is_on: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    pytester.makepyfile(own_opt=OWN_OPT, test_own=OWN_TEST)
    (pytester.path / "a.mlir").write_text(f"// RUN: own-opt %s --marks-each-sum\n{IR}")
    pytester.makeini(
        "[pytest]\nmlir_tests = *.mlir\nmlir_tools = own-opt = own_opt:main\n"
        f"pythonpath = . {Path(__file__).parents[2]}\n"
        f"mlir_audit_patterns = {is_on}\n"
    )

    result = run_inside(pytester, "-p", "passgen_tools.testing.pytest_plugin")

    result.assert_outcomes(**{"failed" if is_on else "passed": 2})
    expected = "*tries pattern 'marks_what_it_visits', which does not match*"
    if is_on:
        result.stdout.fnmatch_lines([expected])
