"""Passes that differ from run to run are found, and no others are accused."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from passgen_runtime import (
    OperationPass,
    Pass,
    PassFailure,
    PassOptions,
    PassRegistry,
)
from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.pass_manager import PassManager
from passgen_runtime.pass_registry import parse_pass_manager
from passgen_runtime.passes.canonicalize import Canonicalizer
from passgen_runtime.passes.cse import CSE
from passgen_runtime.printing_flags import PrintingFlags
from passgen_tools import audit
from passgen_tools.audit import AuditError, Violation, verify_determinism
from passgen_tools.audit.repeated_runs import Outcome
from passgen_tools.ir_libraries import registry_of, transport_of
from passgen_tools.opt import main
from passgen_tools.testing import PassTester
from tests.mlir_bindings_needed import require_bindings
from tests.tools.planted_determinism import (
    DIFFERING,
    DIFFERING_REPORTS,
    HONEST,
    HONEST_REPORTS,
    EndsOthers,
    FailsAtTimes,
    FailsForAReason,
    NeedsParent,
    Sends,
    set_of_strings,
)

pytestmark = pytest.mark.process

NAMES = ("a", "bb", "ccc", "d", "e", "ff", "g", "hh", "i", "jjj", "k", "l")
OPERATIONS = "\n".join(f'  "test.op"() {{tag = "{name}"}} : () -> ()' for name in NAMES)
LOCAL = (
    "'local' cannot be sent to a worker: its class local_pass.<locals>.Local is defined "
    "inside a function"
)
FUNCTIONS = "\n".join(
    f"func.func @f{number}() {{\n{OPERATIONS}\n  func.return\n}}" for number in range(3)
)


class Session(NamedTuple):
    """A run of passes on functions."""

    violations: list[Violation]
    warnings: list[str]


def judged(*passes: Pass) -> Session:
    """Let `passes` run on functions."""
    diagnostics: list[Diagnostic] = []
    context = XDSLContext()
    context.diagnostic_handler = diagnostics.append
    manager = PassManager(context, nesting="implicit")
    for pass_ in passes:
        manager.nest("func.func").add_pass(pass_)
    check = verify_determinism(manager)
    with suppress(PassFailure):
        manager.run(context.parse(FUNCTIONS, "input.mlir"))
    warnings = [
        found
        for found in diagnostics
        if found.severity == "warning" and "runs of" in found.message
    ]
    return Session(check.violations, [*map(str, warnings)])


@pytest.fixture(scope="module")
def session() -> Session:
    """Return a run of all passes; one that may fail is the last."""
    planted = [*DIFFERING, *HONEST, *DIFFERING_REPORTS, *HONEST_REPORTS]
    makes: list[type[Pass]] = [*planted, CSE, Canonicalizer]
    passes = [make() for make in makes]
    return judged(*passes, local_pass(), NeedsParent(), Sends(), FailsAtTimes())


def local_pass() -> Pass:
    class Local(OperationPass[PassOptions]):
        """A pass that no other process can import."""

        argument = "local"

        def run_on_operation(self) -> None:
            """Do nothing."""

    return Local()


@pytest.mark.slow
def test_passes_that_differ_are_found_and_honest_ones_are_not(
    session: Session,
) -> None:
    found = {violation.pass_name for violation in session.violations}

    differing = {make.argument for make in [*DIFFERING, *DIFFERING_REPORTS]}
    assert found == differing | {"fails-at-times"}
    assert min(len(DIFFERING), len(HONEST)) >= 20


@pytest.mark.slow
def test_a_pass_that_fails_in_some_processes_only_is_found(
    session: Session,
) -> None:
    violation = session.violations[-1]

    assert "pass 'fails-at-times'" in str(violation)
    assert "'it fails'" in violation.found


def test_the_first_line_that_differs_is_shown(session: Session) -> None:
    text = str(session.violations[0])

    assert text.startswith(
        "input.mlir:1:1: error: pass 'set-of-strings' on 'func.func' operation: @f0 at "
        "input.mlir:1:1 made other IR when it ran again: 'func.func @f0() att"
    )
    assert text.endswith(
        "input.mlir:1:1: note: also on 2 other operations, the first of them "
        "'func.func' operation: @f1 at input.mlir:16:1\n"
        "input.mlir:1:1: note: the rule: a pass does the same on the same IR, in every "
        "process"
    )


def test_a_pass_has_one_violation_on_all_its_operations(session: Session) -> None:
    names = [violation.pass_name for violation in session.violations]

    assert len(names) == len({*names})


def test_other_reports_and_counts_are_shown(session: Session) -> None:
    found = {violation.pass_name: violation.found for violation in session.violations}

    texts = [found[make.argument] for make in DIFFERING_REPORTS]
    assert all("made other IR" not in text for text in texts)
    assert texts[0].startswith("counted something else when it ran again: '(S) ")
    assert texts[1].startswith("reported something else when it ran again: 'input.mlir")


def test_runs_that_cannot_be_repeated_are_counted(session: Session) -> None:
    begin = "input.mlir:1:1: warning: runs of unknown determinism: 3; pass"
    assert session.warnings == [
        f"{begin} {LOCAL}",
        f"{begin} 'sends' reaches beyond the IR: it sends mail",
        f"{begin} 'needs-parent' fails on its operation alone",
    ]


@pytest.mark.slow
def test_errors_of_a_pass_that_always_fails_are_compared() -> None:
    violations, warnings = judged(FailsForAReason())
    violation, *_ = violations

    assert warnings == []
    place = "input.mlir:1:1: error: found "
    assert violation.found.startswith(
        f"reported something else when it ran again: '{place}"
    )


@pytest.mark.slow
def test_a_pass_that_ends_other_processes_is_named() -> None:
    with pytest.raises(
        AuditError, match=r"func\.func\(ends-others\) ran again in a process: "
    ):
        judged(EndsOthers())


@pytest.mark.slow
def test_passes_of_the_library_run_again_on_xdsl() -> None:
    pipeline = "builtin.module(convert-scf-to-cf,func.func(canonicalize,cse))"

    PassTester(determinism=True).assert_unchanged(pipeline, FUNCTIONS, diagnostics=[])


@pytest.mark.bindings
def test_native_passes_run_again_on_mlirs_ir() -> None:
    require_bindings("mlir")
    context = MLIRContext()
    text = "builtin.module(convert-scf-to-cf,func.func(canonicalize,cse))"
    manager = parse_pass_manager(text, context, registry_of(context))
    check = verify_determinism(manager)
    diagnostics: list[Diagnostic] = []

    with context.redirecting_diagnostics(diagnostics.append):
        manager.run(context.parse("func.func @f() { return }", "input.mlir"))

    assert (check.violations, diagnostics) == ([], [])


@pytest.mark.slow
def test_a_pass_with_many_operations_runs_again_on_a_sample() -> None:
    diagnostics: list[Diagnostic] = []
    context = XDSLContext()
    context.diagnostic_handler = diagnostics.append
    manager = PassManager(context, nesting="implicit")
    manager.nest("func.func").add_pass(set_of_strings())
    check = verify_determinism(manager, sample_size=2)
    for _ in range(2):
        manager.run(context.parse(FUNCTIONS, "input.mlir"))

    first, second = ((each.operation, *each.others) for each in check.violations)
    assert first == second
    assert len({*first}) == 2
    *_, warning = diagnostics
    assert str(warning) == (
        "<unknown>:0: warning: the determinism of 'func.func(set-of-strings)' is judged "
        "by 2 operations, drawn from 3\n"
        "<unknown>:0: note: --verify-determinism=all judges by all"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("flag", "num_drawn"),
    [("--verify-determinism", 2), ("--verify-determinism=all", 3)],
)
def test_the_driver_draws_unless_all_are_asked_for(
    flag: str,
    num_drawn: int,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(audit, "SAMPLE_SIZE", 2)
    registry = PassRegistry()
    registry.register_pass(set_of_strings)
    source = tmp_path / "input.mlir"
    source.write_text(FUNCTIONS)
    pipeline = "--pass-pipeline=builtin.module(func.func(set-of-strings))"

    main([str(source), pipeline, flag], registry=registry)

    errors = capsys.readouterr().err
    others = "also on 2 other operations" if num_drawn == 3 else "also on 1 other"
    assert others in errors
    assert ("drawn from 3" in errors) == (num_drawn < 3)


def test_equal_ir_of_other_bytes_is_no_difference() -> None:
    context = XDSLContext()
    operation = context.parse(FUNCTIONS, "input.mlir")
    transport = transport_of(context)
    data = transport.encode(operation)
    text = context.print_in_any_state(operation, flags=PrintingFlags(debug_info=True))

    def difference(**other: str) -> str | None:
        changed = Outcome(data)._replace(**other)
        return Outcome(data).difference(changed, transport)

    assert difference(ir=text) is None
    found = difference(ir=text.replace("@f1", "@g"))
    assert found is not None
    assert found.startswith("made other IR when it ran again: 'func.func @f1() {")
    assert difference(reports="it is") is not None
    assert difference(statistics="7") is not None


def test_an_assertion_fails_for_a_pass_that_differs() -> None:
    tester = PassTester(determinism=True)

    with pytest.raises(AssertionError, match="made other IR when it ran again"):
        tester.assert_rewrites(set_of_strings(), FUNCTIONS, FUNCTIONS)
    messages = ["runs of unknown determinism: 1; pass 'sends' reaches"]
    tester.assert_unchanged(Sends(), FUNCTIONS, diagnostics=messages)


@pytest.mark.slow
@pytest.mark.parametrize("flag", ["--verify-determinism", "--audit"])
def test_the_driver_has_a_flag(
    flag: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    registry = PassRegistry()
    registry.register_pass(set_of_strings)
    registry.register_pass(Sends)
    source = tmp_path / "input.mlir"
    source.write_text(FUNCTIONS)

    passes = ["--set-of-strings", "--sends"]
    code = main([str(source), *passes, flag], registry=registry)

    errors = capsys.readouterr().err
    name = "audit" if flag == "--audit" else "verification of determinism"
    assert code == 1
    assert errors.count("made other IR when it ran again") == 1
    assert "also on 2 other operations" in errors
    assert "warning: runs of unknown determinism: 1; pass 'sends' reaches" in errors
    assert errors.endswith(f"error: the {name} found 1 violation\n")
