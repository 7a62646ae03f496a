"""The forms that passes declare, verified while they run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from passgen_runtime import OperationPass, Pass, PassError, PassOptions, PassRegistry
from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.forms import Form, FormRules
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.output_files import shown_path
from passgen_runtime.pass_manager import PassExecution, PassManager
from passgen_runtime.passes.canonicalize import Canonicalizer
from passgen_tools.audit import enable_audit
from passgen_tools.forms import verify_forms
from passgen_tools.opt import main
from passgen_tools.opt.reports import report_failure
from passgen_tools.testing import assert_rewrites

NO_TEST = Form("noTest", "No operations of tests", absent=("test",))
ONLY_FUNCTIONS = Form("onlyFunctions", only=("func", "builtin.module"))
EMPTY = Form("empty", check=f"{__name__}:operations_inside")
ONE_TEXT = Form("oneText", check=f"{__name__}:count_inside")
BROKEN = Form("broken", check=f"{__name__}:raises")


def operations_inside(operation: Operation) -> Iterator[str]:
    """Yield each operation in `operation`."""
    for inner in operation.walk():
        if inner is not operation:
            yield f"'{inner.name}'"


def count_inside(operation: Operation) -> str:
    """Return what is wrong with `operation` as one text; empty if nothing is."""
    count = sum(1 for _ in operation.walk()) - 1
    return f"{count} operations" if count else ""


def raises(operation: Operation) -> Iterator[str]:
    """Raise an exception."""
    raise ValueError(operation.name)


def ignore(diagnostic: Diagnostic) -> None:
    """Print nothing."""
    del diagnostic


def skip(action: PassExecution, run: Callable[[], bool]) -> None:
    """Skip a pass, as `--opt-bisect-limit` does."""
    del action, run


def doing(argument: str, rules: FormRules | None = None, do: str = "") -> Pass:
    """Return a pass that adds or erases the operations of tests in its operation."""

    class Doing(OperationPass[PassOptions]):
        forms = rules or FormRules()

        def run_on_operation(self) -> None:
            is_spread = do == "add to functions"
            inside = self.operation.walk() if is_spread else ()
            functions = [each for each in inside if isinstance(each, FuncOp)]
            for grown in [self.operation] if do == "add" else functions:
                block = grown.regions[0].block
                assert block.last_op
                block.insert_op_before(test.TestOp.create(), block.last_op)
            for inner in [*self.operation.walk()] if do == "erase" else ():
                if inner.name == "test.op":
                    inner.detach()

    Doing.argument = argument
    Doing.declared_in = "spec.yaml"
    return Doing()


IR = """\
func.func @a() {
  return
}
func.func @b() {
  return
}
"""
OUTSIDE = f'"test.op"() : () -> ()\n{IR}'


def violations(passes: list[tuple[str, Pass]], ir: str = IR) -> list[str]:
    """Return the violations of a run of passes, each with the anchor it is nested on."""
    context = XDSLContext()
    context.diagnostic_handler = ignore
    module = context.parse(ir, "in.mlir")
    assert isinstance(module, ModuleOp)
    manager = PassManager(context)
    for anchor, pass_ in passes:
        (manager.nest(anchor) if anchor else manager).add_pass(pass_)
    verifier = verify_forms(manager)
    manager.run(module)
    return [str(violation) for violation in verifier.violations]


NEEDS = FormRules(needs=(NO_TEST,))
MODULE = "'builtin.module' operation at in.mlir:0:0"


def test_needs_that_are_met_are_no_violation() -> None:
    assert violations([("", doing("x", NEEDS)), ("func.func", doing("y", NEEDS))]) == []


def test_a_need_that_the_input_does_not_meet_names_the_operation() -> None:
    [found] = violations([("", doing("x", NEEDS))], OUTSIDE)

    assert found == (
        f"in.mlir:1:1: error: pass 'x' needs 'noTest' of {MODULE}: found 'test.op' "
        "operation at in.mlir:1:1\n"
        "in.mlir:1:1: note: 'noTest': No operations of tests"
    )


def test_an_operation_without_a_place_is_found_by_the_one_around_it() -> None:
    passes = [("func.func", doing("p", do="add")), ("", doing("x", NEEDS))]
    [found] = violations(passes)

    assert found == (
        f"in.mlir:1:1: error: pass 'x' needs 'noTest' of {MODULE}: found 'test.op' "
        "operation at loc(unknown) in 'func.func' operation: @a at in.mlir:1:1\n"
        "in.mlir:1:1: note: 'noTest': No operations of tests"
    )


def test_a_loss_is_reported_at_the_next_need_and_blames_no_silent_pass() -> None:
    [found] = violations(
        [("", doing("p")), ("func.func", doing("q", do="add")), ("", doing("x", NEEDS))]
    )

    assert "pass 'x' needs 'noTest'" in found
    assert found.endswith("note: it held until 'q'")


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (FormRules(keeps=(NO_TEST,)), ", which declares that it keeps it"),
        (FormRules(breaks=(NO_TEST,)), ", which declares that it breaks it"),
        (
            FormRules(creates=("testing", "arith.constant")),
            ", which declares that it creates no such operation",
        ),
        (FormRules(creates=("test.op",)), ""),
        (FormRules(creates=("test",)), ""),
    ],
)
def test_a_loss_says_what_the_pass_declares(rules: FormRules, said: str) -> None:
    [found] = violations([("", doing("p", rules, "add")), ("", doing("x", NEEDS))])

    assert found.endswith(f"it held until 'p'{said}")


def test_a_loss_says_that_the_pass_declares_to_give_the_form() -> None:
    gives = doing("p", FormRules(gives=(NO_TEST,)), "add")
    given, needed = violations([("", gives), ("", doing("x", NEEDS))])

    assert "pass 'p' gives 'noTest'" in given
    assert needed.endswith("it held until 'p', which declares that it gives it")


def test_a_loss_in_a_module_is_reported_at_the_need_of_its_functions() -> None:
    passes = [("", doing("p", do="add to functions")), ("func.func", doing("x", NEEDS))]
    [found] = violations(passes)

    assert "note: also on 1 other operation, 'func.func' operation: @b" in found
    assert found.endswith(f"note: it held of {MODULE} until 'p'")


def test_a_loss_in_a_module_is_no_loss_of_a_function_that_has_the_form() -> None:
    passes = [
        ("", doing("p", do="add to functions")),
        ("", doing("o", do="add")),
        ("func.func", doing("q", do="erase")),
        ("", doing("r", do="add to functions")),
        ("func.func", doing("x", NEEDS)),
    ]
    [found] = violations(passes)

    assert "note: also on 1 other operation, 'func.func' operation: @b" in found
    assert "it held" not in found


def test_a_pass_that_is_skipped_needs_and_gives_nothing() -> None:
    context = XDSLContext()
    manager = PassManager(context)
    manager.add_pass(doing("p", FormRules(gives=(NO_TEST,)), "erase"))
    manager.add_pass(doing("x", NEEDS))
    manager.add_action_handler(skip)
    verifier = verify_forms(manager)
    manager.run(context.parse(OUTSIDE, "in.mlir"))

    assert verifier.violations == []


def test_what_is_verified_is_the_run_that_skips_a_pass_as_any_other() -> None:
    context = XDSLContext()
    manager = PassManager(context)
    manager.counts_optional = True
    first, second = Canonicalizer(), Canonicalizer()
    manager.add_pass(first)
    manager.add_pass(second)
    verify_forms(manager)
    enable_audit(manager)
    manager.run(context.parse(OUTSIDE, "in.mlir"))

    assert (first.times_skipped.value, second.times_skipped.value) == (0, 1)


def test_a_form_that_was_lost_and_is_back_is_no_violation() -> None:
    passes = [doing("p", do="add"), doing("q", do="erase"), doing("x", NEEDS)]

    assert violations([("", pass_) for pass_ in passes]) == []


def test_functions_that_have_a_form_say_nothing_of_their_module() -> None:
    giving = doing("g", FormRules(gives=(NO_TEST,)), "erase")

    [found] = violations([("func.func", giving), ("", doing("x", NEEDS))], OUTSIDE)
    assert found.startswith(f"in.mlir:1:1: error: pass 'x' needs 'noTest' of {MODULE}")


def test_what_never_held_was_lost_by_no_pass() -> None:
    passes = [("", doing("p")), ("func.func", doing("q", do="add"))]

    [found] = violations([*passes, ("", doing("x", NEEDS))], OUTSIDE)
    assert found.endswith("note: 'noTest': No operations of tests")


def test_a_form_of_one_function_is_not_that_of_another() -> None:
    ir = IR.replace("@b() {\n", '@b() {\n  "test.op"() : () -> ()\n')

    [found] = violations([("func.func", doing("x", NEEDS))], ir)
    assert "of 'func.func' operation: @b" in found


def test_a_pass_gives_what_it_declares() -> None:
    giving = doing("g", FormRules(gives=(NO_TEST,)), "add")

    [found] = violations([("func.func", giving)])
    assert "pass 'g' gives 'noTest' of 'func.func' operation: @a" in found


def test_the_root_counts() -> None:
    rules = FormRules(needs=(ONLY_FUNCTIONS,))

    assert violations([("", doing("x", rules))]) == []
    [found] = violations([("", doing("x", rules))], OUTSIDE)
    assert "found 'test.op' operation" in found


def test_unregistered_operations_count_by_their_names() -> None:
    form = Form("f", absent=("linalg.new", "mine"))
    context = XDSLContext(allow_unregistered=True)
    context.diagnostic_handler = ignore
    module = context.parse('"mine.op"() : () -> ()\n', "in.mlir", implicit_module=True)
    manager = PassManager(context)
    manager.add_pass(doing("x", FormRules(needs=(form,))))
    verifier = verify_forms(manager)

    manager.run(module)

    assert "found 'mine.op' operation" in str(verifier.violations[0])


def test_a_check_is_of_the_operation_alone() -> None:
    [found] = violations([("", doing("x", FormRules(needs=(EMPTY,))))])

    assert f"pass 'x' needs 'empty' of {MODULE}: found 'func.func'" in found


def test_a_check_that_returns_one_text_has_one_finding() -> None:
    [found] = violations([("", doing("x", FormRules(needs=(ONE_TEXT,))))])

    assert found == (
        f"in.mlir:0:0: error: pass 'x' needs 'oneText' of {MODULE}: found 4 operations"
    )


def test_a_check_that_returns_an_empty_text_finds_nothing() -> None:
    assert violations([("", doing("x", FormRules(needs=(ONE_TEXT,))))], "") == []


FOUND: dict[str, object] = {
    "nothing": None,
    "an iterator without an end": (f"text {number}" for number in count()),
    "an empty text first": ["", None, "text 0"],
}


def find(operation: Operation) -> object:
    """Return what a test has chosen."""
    return FOUND[operation.attributes["found"].data]  # type: ignore[attr-defined]


@pytest.mark.parametrize("found", FOUND)
def test_the_first_text_of_a_check_counts(found: str) -> None:
    form = Form("chosen", check=f"{__name__}:find")
    ir = f'module attributes {{found = "{found}"}} {{}}'
    texts = violations([("", doing("x", FormRules(needs=(form,))))], ir)

    assert [text.partition("found ")[2] for text in texts] == (
        [] if found == "nothing" else ["text 0"]
    )


@pytest.mark.parametrize("found", [False, 7, b"text", [None, 7]])
def test_a_check_returns_texts(found: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FOUND, "other", found)
    form = Form("chosen", check=f"{__name__}:find")
    message = "raised TypeError: .*\nnote: on 'builtin.module' operation"
    with pytest.raises(PassError, match=message):
        violations(
            [("", doing("x", FormRules(needs=(form,))))],
            'module attributes {found = "other"} {}',
        )


def test_a_check_that_raises_ends_the_run() -> None:
    with pytest.raises(
        PassError, match="which checks form 'broken', raised ValueError"
    ):
        violations([("", doing("x", FormRules(needs=(BROKEN,))))])


def test_the_calls_of_a_check_in_a_nest_are_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(PassError) as raised:
        violations([("func.func", doing("x", FormRules(needs=(BROKEN,))))])
    options: Any = SimpleNamespace(color="never", diagnostics_format="text")
    report_failure(options, raised.value)

    assert f"{Path(__file__).name}:" in capsys.readouterr().err


def test_a_second_run_begins_anew() -> None:
    context = XDSLContext()
    context.diagnostic_handler = ignore
    manager = PassManager(context)
    manager.add_pass(doing("p", do="add"))
    manager.add_pass(doing("x", NEEDS))
    verifier = verify_forms(manager)
    for _ in range(2):
        manager.run(context.parse(IR, "in.mlir"))

    assert len(verifier.violations) == 2
    assert len({str(violation) for violation in verifier.violations}) == 1


def test_assertions_verify_forms() -> None:
    with pytest.raises(AssertionError, match="pass 'g' gives 'noTest'"):
        assert_rewrites(doing("g", FormRules(gives=(NO_TEST,)), "add"), IR, IR)


class Gives(OperationPass[PassOptions]):
    """Gives what it does not give."""

    argument = "gives"
    forms = FormRules(gives=(NO_TEST,), creates=())

    def run_on_operation(self) -> None:
        pass


@pytest.mark.slow
@pytest.mark.parametrize(
    ("flag", "name"),
    [
        ("--verify-forms", "verification of forms"),
        pytest.param("--audit", "audit", marks=pytest.mark.process),
    ],
)
def test_the_driver_fails_after_all_passes(
    flag: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "in.mlir"
    source.write_text(OUTSIDE)
    registry = PassRegistry()
    registry.register_pass(Gives)

    assert main([str(source), "--gives"], registry=registry) == 0
    capsys.readouterr()
    assert main([str(source), "--gives", flag], registry=registry) == 1

    said = capsys.readouterr().err
    assert f"{source}:1:1: error: pass 'gives' gives 'noTest' of" in said
    assert said.endswith(f"error: the {name} found 1 violation\n")


@pytest.mark.slow
@pytest.mark.process
def test_a_check_of_determinism_looks_at_no_forms(tmp_path: Path) -> None:
    source = tmp_path / "in.mlir"
    source.write_text(OUTSIDE)
    registry = PassRegistry()
    registry.register_pass(Gives)

    flags = ["--gives", "--verify-determinism"]
    assert main([str(source), *flags], registry=registry) == 0


class NeedsBroken(OperationPass[PassOptions]):
    argument = "needs-broken"
    forms = FormRules(needs=(BROKEN,))

    def run_on_operation(self) -> None:
        """Do nothing."""


def test_the_driver_shows_the_line_of_a_check_that_raises(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "in.mlir"
    source.write_text(OUTSIDE)
    registry = PassRegistry()
    registry.register_pass(NeedsBroken)

    flags = ["--needs-broken", "--verify-forms"]
    assert main([str(source), *flags], registry=registry) == 1
    *_, call = capsys.readouterr().err.splitlines()
    assert call.startswith(f"note: at {shown_path(__file__)}:")
    assert call.endswith(", in raises: raise ValueError(operation.name)")


def test_help_names_the_forms_of_a_pass(capsys: pytest.CaptureFixture[str]) -> None:
    registry = PassRegistry()
    registry.register_pass(Gives)

    assert main(["--help-pass", "gives"], registry=registry) == 0
    assert "\ngives forms: noTest\ncreates only: nothing\n" in capsys.readouterr().out
