"""What passes do wrong on MLIR's IR is an error: it never ends the process."""

from __future__ import annotations

import gc
from typing import Any

import pytest

from passgen_runtime import PassFailure
from passgen_runtime.errors import SchedulingError
from passgen_runtime.instrumentations.audit import enable_audit
from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.pipeline_resolution import (
    parse_pass_manager,
    parse_pass_pipeline,
)
from tests.mlir_ir.mlir_trial import (
    SOURCE,
    DoPass,
    Native,
    Trial,
    Work,
    name_of,
    operations_in,
)

INVALID = "note: it raised RuntimeError: the operation has been invalidated"


@pytest.mark.parametrize("native", ["cse", "func.func(cse)", "cse,symbol-dce"])
def test_an_operation_that_was_kept_over_a_native_pass_says_so_on_use(
    trial: Trial, native: str
) -> None:
    kept: list[Any] = []

    def keep(pass_: Native) -> None:
        function = operations_in(pass_.operation)[0]
        kept.append({"first": (function, operations_in(function)[1].operation)})

    def use(_pass: Native) -> None:
        print(kept[0]["first"][1].name)  # noqa: T201 - what is printed is gone

    failure = trial.failure(f"builtin.module(do,{native},do-next)", keep, use)
    assert failure == [
        "pass 'do-next' failed on 'builtin.module' operation at in.mlir:0:0",
        INVALID,
    ]


def test_the_operation_itself_and_what_is_no_operation_may_be_kept(
    trial: Trial,
) -> None:
    kept: list[Any] = []
    trial.run(
        "builtin.module(func.func(do,cse,do-next))",
        lambda pass_: kept.append((pass_.operation, pass_.operation.location)),
        lambda pass_: kept.append(name_of(pass_.operation)),
    )
    pairs = [each for each in kept if isinstance(each, tuple)]
    assert [each for each in kept if isinstance(each, str)] == ["f", "g", "h"]
    assert [name_of(operation) for operation, _ in pairs] == ["f", "g", "h"]


def test_what_was_held_before_the_run_is_left_alone(trial: Trial) -> None:
    function = trial.context.children(trial.module)[0]
    trial.run("builtin.module(func.func(cse))")
    assert len(operations_in(function)) == 3


def erase_own(pass_: Native) -> None:
    pass_.operation.erase()


def erase_own_through_another_handle(pass_: Native) -> None:
    own = name_of(pass_.operation)
    for each in operations_in(pass_.operation.parent):
        if name_of(each) == own:
            each.operation.erase()
            return


ERASED = [
    f"in.mlir:{line}:1: error: the pass has erased the operation that it runs on: "
    "'func.func'"
    for line in (1, 7, 10)
]


@pytest.mark.parametrize("erase", [erase_own, erase_own_through_another_handle])
@pytest.mark.parametrize("rest", ["", ",cse", ",do-next"])
def test_a_pass_that_erases_its_operation_fails(
    trial: Trial, erase: Work, rest: str
) -> None:
    failure = trial.failure(
        f"builtin.module(func.func(do{rest}))", erase, lambda _: None
    )
    assert failure == ["pass 'do' failed on '<erased>' operation at loc(unknown)"]
    assert trial.said == ERASED


def test_it_fails_also_where_nothing_is_verified(trial: Trial) -> None:
    DoPass.work[:] = [erase_own_through_another_handle]
    manager = trial.manager("builtin.module(func.func(do,cse))")
    manager.verify_each = False
    with pytest.raises(PassFailure) as failure:
        manager.run(trial.module)
    assert str(failure.value).splitlines()[:2] == [
        "pass 'cse' failed on '<erased>' operation at loc(unknown)",
        INVALID,
    ]


def erase_last_sibling(pass_: Native) -> None:
    functions = operations_in(pass_.operation.parent)
    if name_of(pass_.operation) == "f" and len(functions) > 1:
        functions[-1].operation.erase()


def test_a_sibling_that_a_pass_erases_is_not_run_on(trial: Trial) -> None:
    trial.run("builtin.module(func.func(do,cse))", erase_last_sibling)
    assert [name_of(each) for each in operations_in(trial.module)] == ["f", "g"]


def test_in_threads_it_was_to_run_already(trial: Trial) -> None:
    DoPass.work[:] = [erase_last_sibling]
    manager = trial.manager("builtin.module(func.func(do,cse))")
    manager.enable_multithreading(max_workers=1)
    with pytest.raises(PassFailure, match="on '<erased>' operation"):
        manager.run(trial.module)
    assert [name_of(each) for each in operations_in(trial.module)] == ["f", "g"]


def test_an_exception_is_chained(trial: Trial) -> None:
    def fail(_pass: Native) -> None:
        raise KeyError("a key")

    failure = trial.failure("builtin.module(cse,do)", fail)
    assert failure[1] == "note: it raised KeyError: 'a key'"


def test_an_exception_of_the_diagnostic_handler_arrives(trial: Trial) -> None:
    def refuse(_diagnostic: object) -> None:
        raise KeyError("handler")

    trial.context.diagnostic_handler = refuse
    with pytest.raises(KeyError, match="handler"):
        trial.run(
            "builtin.module(do)",
            lambda pass_: pass_.operation.location.emit_error("hello"),
        )


def test_invalid_ir_is_an_error_of_the_pass_that_made_it(trial: Trial) -> None:
    def spoil(pass_: Native) -> None:
        del pass_.operation.attributes["function_type"]

    failure = trial.failure("builtin.module(func.func(do,cse))", spoil)
    assert failure == ["pass 'do' failed on 'func.func' operation: @f at in.mlir:1:1"]
    assert trial.said[0] == (
        "in.mlir:1:1: error: 'func.func' op requires attribute 'function_type'"
    )


def test_contexts_may_be_used_within_one_another(trial: Trial) -> None:
    def run_elsewhere(pass_: Native) -> None:
        inner = MLIRContext(pass_.context.bindings.package)
        module = inner.parse(SOURCE, "inner.mlir")
        parse_pass_manager("builtin.module(cse)", inner, trial.registry).run(module)
        assert inner.print(module).count("arith.addi") == 2

    trial.run("builtin.module(do,cse)", run_elsewhere)
    assert trial.context.print(trial.module).count("arith.addi") == 2


def test_a_dynamic_pipeline_may_be_native(trial: Trial) -> None:
    pipeline = parse_pass_pipeline("func.func(cse)", trial.registry)

    def run(pass_: Native) -> None:
        for function in pass_.context.children(pass_.operation):
            assert pass_.run_pipeline(pipeline, function)

    trial.run("builtin.module(do)", run)
    assert trial.context.print(trial.module).count("arith.addi") == 2


def test_threads_run_native_passes_and_python_passes(trial: Trial) -> None:
    names: list[str] = []
    DoPass.work[:] = [lambda pass_: names.append(name_of(pass_.operation))]
    manager = trial.manager("builtin.module(func.func(cse,do,canonicalize))")
    manager.enable_multithreading(max_workers=4)
    for _ in range(5):
        manager.run(trial.module)
    assert sorted(names) == sorted("fgh" * 5)


@pytest.mark.parametrize("anchor", ["arith.addi", "func.return"])
def test_an_anchor_that_is_not_isolated_is_refused(trial: Trial, anchor: str) -> None:
    with pytest.raises(PassFailure):
        trial.run(f"builtin.module(func.func({anchor}(cse)))")
    assert "not marked as 'IsolatedFromAbove'" in trial.said[0]


def test_a_module_of_another_library_is_refused(trial: Trial) -> None:
    xdsl = XDSLContext()
    manager = parse_pass_manager("builtin.module(cse)", xdsl, trial.registry)
    with pytest.raises(PassFailure) as failure:
        manager.run(xdsl.parse(SOURCE, "in.mlir"))
    assert str(failure.value).splitlines()[0] == (
        "pass 'cse' is MLIR's own, and runs on MLIR's IR only"
    )


def test_the_bindings_allow_no_audit(trial: Trial) -> None:
    with pytest.raises(SchedulingError, match="a MLIRContext cannot be audited"):
        enable_audit(trial.manager("builtin.module(cse)"))


def test_modules_and_contexts_are_released(package: str) -> None:
    def use() -> int:
        trial = Trial(package)
        kept: list[Any] = []
        trial.run(
            "builtin.module(func.func(cse,do),canonicalize)",
            lambda pass_: kept.append(operations_in(pass_.operation)),
        )
        get_live_count = trial.context.mlir._get_live_count  # noqa: SLF001 - its name
        return int(get_live_count())

    gc.collect()
    alive = use()
    gc.collect()
    for _ in range(3):
        assert use() == alive
        gc.collect()
