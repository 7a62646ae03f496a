"""`run`: a pipeline on IR in one call, on xDSL's IR and on MLIR's."""

from __future__ import annotations

import re
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from types import new_class

import pytest

from passgen_rules.code_colors import PALETTE
from passgen_runtime import (
    Context,
    IRError,
    OperationPass,
    PassFailure,
    PassManager,
    PassOptions,
    PassRegistry,
    PipelineError,
    SchedulingError,
    register_pass,
)
from passgen_runtime.diagnostics import print_diagnostic
from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.ir.mlir.passes import CSE, AffineLoopUnroll, Canonicalizer
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.passes.canonicalize import Canonicalizer as XDSLCanonicalizer
from passgen_runtime.passes.cse import CSE as XDSLCSE
from passgen_tools import RunResult, run

FUNCTION = """
func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  %2 = arith.muli %0, %1 : i32
  return %2 : i32
}
"""


class Mark(OperationPass[PassOptions]):
    argument = "mark"

    def run_on_operation(self) -> None:
        self.emit_remark("seen")
        self.mark_all_analyses_preserved()


class Fail(OperationPass[PassOptions]):
    argument = "fail"

    def run_on_operation(self) -> None:
        self.emit_error("not this one")
        self.signal_pass_failure()


def shown(result: RunResult) -> list[str]:
    """Return the comments of a result, without numbers of milliseconds."""
    lines = repr(result).splitlines()
    return [re.sub(r"[\d.]+ ms", "T ms", line) for line in lines if line[:2] == "//"]


def test_a_pass_says_which_ir_a_text_is() -> None:
    of_mlir = run([Canonicalizer(), CSE()], FUNCTION)
    of_xdsl = run([XDSLCSE()], FUNCTION)

    assert isinstance(of_mlir.context, MLIRContext)
    assert isinstance(of_xdsl.context, XDSLContext)
    assert of_mlir.ir.count("arith.addi") == of_xdsl.ir.count("arith.addi") == 1


def test_a_text_that_no_library_runs_all_passes_on_is_ir_of_the_first() -> None:
    class OfNoLibrary(Mark):
        argument = "of-no-library"

        def check_context(self, context: Context) -> None:
            raise SchedulingError(f"it does not run on {type(context).__name__}")

    with pytest.raises(SchedulingError, match="it does not run on XDSLContext"):
        run([OfNoLibrary()], FUNCTION)


def test_facts_are_in_the_order_of_the_pipeline() -> None:
    result = run([Mark(), XDSLCSE(), XDSLCanonicalizer(), Mark()], FUNCTION)

    names = [line.split(":")[0] for line in shown(result) if " ms" in line]
    assert names == ["// Mark", "// CSE", "// Canonicalizer", "// (A) DominanceInfo"]


def test_one_pass_needs_no_list() -> None:
    assert run(XDSLCSE(), FUNCTION).ir == run([XDSLCSE()], FUNCTION).ir
    assert run(CSE(), FUNCTION).pipeline == "builtin.module(cse)"


def test_a_text_is_ir_of_xdsl() -> None:
    result = run("func.func(cse)", FUNCTION)

    assert shown(result) == [
        "// builtin.module(func.func(cse))",
        "// 2 lines removed, 1 line added",
        "// CSE: T ms, num-cse'd 2",
        "// (A) DominanceInfo: T ms",
    ]
    assert repr(result).endswith(result.ir)
    assert str(result).count("arith.addi") == 1
    assert result.statistics.by_name()["CSE"]["num-cse'd"] == 2
    assert result.changes.splitlines()[0].startswith("@@ -")


@pytest.mark.parametrize(
    ("pipeline", "runs"),
    [
        ("builtin.module(cse)", "builtin.module(cse)"),
        ("any(cse)", "any(cse)"),
        ("cse,func.func(cse)", "builtin.module(cse,func.func(cse))"),
        ("", "builtin.module()"),
    ],
)
def test_a_text_may_lack_its_anchor(pipeline: str, runs: str) -> None:
    assert run(pipeline, FUNCTION).pipeline in {runs, runs.removesuffix("()")}


def test_an_operation_changes_in_place() -> None:
    module = XDSLContext().parse(FUNCTION, "f.mlir")

    result = run([XDSLCSE()], module)

    assert result.operation is module
    assert "-    %old_1 = arith.addi %a, %a : i32" in result.changes.splitlines()


def test_a_module_of_the_bindings_brings_context_and_passes(
    context: MLIRContext,
) -> None:
    module = context.bindings.ir.Module.parse(FUNCTION, context.mlir)

    result = run("func.func(cse,canonicalize)", module)

    assert str(module).count("arith.addi") == 1
    assert sorted(shown(result)[1:]) == [
        "// 2 lines removed, 1 line added",
        "// CSE: T ms",
        "// Canonicalizer: T ms",
    ]
    assert result.context.mlir is context.mlir  # type: ignore[attr-defined]


def test_passes_are_nested_where_their_anchors_need_it(context: MLIRContext) -> None:
    result = run(
        [CSE(), AffineLoopUnroll(unroll_factor=2), Canonicalizer()],
        "module {}",
        context=context,
    )

    assert result.pipeline.startswith("builtin.module(cse,any(affine-loop-unroll{")


def test_what_is_said_goes_into_the_result(capsys: pytest.CaptureFixture[str]) -> None:
    result = run([Mark()], "module {}")

    assert [diagnostic.message for diagnostic in result.diagnostics] == ["seen"]
    assert shown(result)[1] == "// nothing changed"
    assert shown(result)[-1].endswith("remark: seen")
    assert capsys.readouterr().err == ""


def test_a_failure_is_raised_with_its_diagnostics() -> None:
    with pytest.raises(PassFailure, match="not this one"):
        run([Fail()], "module {}")


def test_a_notebook_shows_times_and_counts_in_the_boxes_of_passes() -> None:
    html = run("func.func(cse,canonicalize,cse)", FUNCTION)._repr_html_()

    boxes = re.findall(r"<code[^>]*>([^<]+)</code>(?:<span[^>]*>([^<]+)</span>)?", html)
    assert [(name, re.sub(r"[\d.]+ ms", "T ms", fact)) for name, fact in boxes] == [
        ("builtin.module", ""),
        ("func.func", ""),
        ("cse", "T ms, num-cse&#x27;d 2"),
        ("canonicalize", "T ms"),
        ("cse", "T ms"),
    ]
    assert "<div>2 lines removed, 1 line added</div>" in html
    assert "<div>(A) DominanceInfo: " in html


def test_a_notebook_shows_messages_as_a_table() -> None:
    html = run([Mark()], "module {}")._repr_html_()

    cells = re.findall(r"<t[hd]>([^<]*)</t[hd]>", html)
    assert cells == ["kind", "place", "text", "remark", "input:1:1", "seen"]
    assert "<table>" not in run("", "module {}")._repr_html_()


def test_a_notebook_shows_changes_in_the_colours_of_reports() -> None:
    html = run("func.func(cse)", FUNCTION)._repr_html_()

    lines = re.findall(r'<div class="(removed|added|hunk)">(.*?)</div>', html)
    assert [kind for kind, _ in lines] == ["hunk", "removed", "removed", "added"]
    assert '<span class="op">arith.addi</span> <span class="value">%a</span>' in html
    light, dark = PALETTE["removed"]
    assert html.count(f"--removed: {light};") == html.count(f"--removed: {dark};") == 2


def test_a_class_that_is_defined_again_runs_from_then_on() -> None:
    registry = PassRegistry()

    def define(text: str) -> None:
        def run_on_operation(self: OperationPass[PassOptions]) -> None:
            self.emit_warning(text)

        members = {"argument": "say", "run_on_operation": run_on_operation}
        class_ = new_class(
            "Say", (OperationPass[PassOptions],), exec_body=lambda b: b.update(members)
        )
        registry.register_pass(class_, replace=True)

    messages = []
    for text in ("old", "new"):
        define(text)
        result = run("say", "module {}", registry=registry)
        messages += [diagnostic.message for diagnostic in result.diagnostics]

    assert messages == ["old", "new"]


def test_attributes_of_a_pass_live_for_one_run(context: MLIRContext) -> None:
    class Once(OperationPass[PassOptions]):
        argument = "once"
        has_run = False

        def run_on_operation(self) -> None:
            assert not self.has_run
            self.has_run = True

    registry = PassRegistry()
    register_pass(Once, registry)
    for _ in range(2):
        run("once", _module(context), registry=registry)


def test_a_context_is_refused_to_a_second_thread() -> None:
    shared = XDSLContext()
    with shared.redirecting_diagnostics(print), ThreadPoolExecutor(1) as pool:
        refused = pool.submit(run, "cse", FUNCTION, context=shared)

        with pytest.raises(SchedulingError, match="another thread uses this XDSLC"):
            refused.result()

    assert shared.diagnostic_handler is print_diagnostic
    assert run("cse", FUNCTION, context=shared).ir


def test_run_takes_no_diagnostics_of_a_manager_in_another_thread() -> None:
    shared = XDSLContext()
    module = shared.parse(FUNCTION, "f")
    begun, may_end = Event(), Event()

    class Slow(OperationPass[PassOptions]):
        argument = "slow"

        def run_on_operation(self) -> None:
            begun.set()
            may_end.wait()

    manager = PassManager(shared)
    manager.add_pass(Slow())
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(manager.run, module)
        begun.wait()
        with pytest.raises(SchedulingError, match="another thread uses this XDSLC"):
            run("cse", FUNCTION, context=shared)
        may_end.set()
        running.result()
        with shared.redirecting_diagnostics(print):
            refused = pool.submit(manager.run, module)
            with pytest.raises(SchedulingError, match="another thread uses"):
                refused.result()

    manager.run(module)


def test_runs_that_begin_at_the_same_time_do_not_refuse_each_other() -> None:
    shared = XDSLContext()

    def begin_and_end() -> None:
        for _ in range(5_000):
            with shared.running():
                pass

    interval_s = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(2) as pool:
            for run_ in [pool.submit(begin_and_end) for _ in range(2)]:
                run_.result()
    finally:
        sys.setswitchinterval(interval_s)


def test_counts_are_those_of_one_run() -> None:
    counts = [run("cse", FUNCTION).statistics.by_name() for _ in range(2)]

    assert counts[0] == counts[1]


def test_threads_may_run_at_the_same_time() -> None:
    with ThreadPoolExecutor(4) as pool:
        texts = [*pool.map(lambda _: run("func.func(cse)", FUNCTION).ir, range(40))]

    assert len(set(texts)) == 1


def _module(context: MLIRContext) -> object:
    return context.bindings.ir.Module.parse("module {}", context.mlir)


@pytest.mark.parametrize(
    ("pipeline", "ir", "error", "message"),
    [
        (
            "cse",
            5,
            TypeError,
            r"run\(\): expected a text, or an operation of xDSL or of MLIR",
        ),
        (
            5,
            "module {}",
            TypeError,
            "pipeline: expected a text, a pass or a list of passes",
        ),
        ([5], "module {}", TypeError, r"add_pass\(\): expected a pass"),
        ("csee", "module {}", PipelineError, "did you mean 'cse'"),
        ("cse", "modul {}", IRError, "modul"),
        ("cse", "func.func @f() -> i32 { return }", IRError, "return"),
    ],
)
def test_a_wrong_argument_is_named(
    pipeline: str, ir: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        run(pipeline, ir)
