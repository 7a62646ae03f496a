"""What passes hold while MLIR erases, moves or frees: loops, walks and blocks."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest

from passgen_runtime.pipeline_resolution import parse_pass_pipeline
from tests.mlir_ir.mlir_trial import (
    SOURCE,
    Native,
    Trial,
    Work,
    first_function,
    name_of,
    operations_in,
)


def test_what_earlier_runs_have_held_is_forgotten(trial: Trial) -> None:
    kept: list[Any] = []

    def keep(pass_: Native) -> None:
        kept[:] = [first_function(pass_).regions[0].blocks[0]]

    gc.collect()  # what tests before this one have left
    found: list[int] = []
    for _ in range(6):
        trial.run("builtin.module(do,cse)", keep)
        found.append(len(trial.context.handles._found))  # noqa: SLF001 - what grew
        trial.module = trial.context.parse(SOURCE, "in.mlir")
        gc.collect()
    assert found == [1] * 6


def names_of_walk(
    pass_: Native, order: str, on: dict[str, Work], answers: dict[str, str]
) -> list[str]:
    """Return what a walk visits whose callback does something `on` some names."""
    ir = pass_.context.bindings.ir
    visited: list[str] = []

    def visit(operation: Native) -> Any:  # noqa: ANN401 - of any bindings
        is_function = operation.name == "func.func"
        name = name_of(operation) if is_function else operation.name
        visited.append(name)
        on.get(name, lambda _: None)(operation)
        return getattr(ir.WalkResult, answers.get(name, "ADVANCE"))

    pass_.operation.walk(visit, getattr(ir.WalkOrder, order))
    return visited


ADDITIONS = ["arith.addi"] * 3


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("PRE_ORDER", ["builtin.module", "f", *ADDITIONS, "func.return", "h"]),
        ("POST_ORDER", [*ADDITIONS, "func.return", "f", "func.return", "h"]),
    ],
)
def test_a_walk_does_not_come_to_what_its_callback_has_erased(
    trial: Trial, order: str, expected: list[str]
) -> None:
    visited: list[str] = []

    def work(pass_: Native) -> None:
        def erase_next(_function: Native) -> None:
            operations_in(pass_.operation)[1].operation.erase()

        found = names_of_walk(pass_, order, {"f": erase_next}, {"h": "INTERRUPT"})
        visited.extend(found)

    trial.run("builtin.module(do)", work)
    assert visited == expected
    assert [name_of(each) for each in operations_in(trial.module)] == ["f", "h"]


def test_a_walk_may_erase_the_users_that_follow(trial: Trial) -> None:
    def remove_dead_users(pass_: Native) -> None:
        *_, total, end = operations_in(first_function(pass_))
        block = first_function(pass_).regions[0].blocks[0]
        total.operation.operands[0] = block.arguments[0]
        end.operation.operands[0] = block.arguments[0]

        def erase_dead_users(operation: Native) -> None:
            for use in list(operation.results[0].uses):
                user = use.owner.operation
                if not list(user.results[0].uses):
                    user.erase()

        names_of_walk(pass_, "POST_ORDER", {"arith.addi": erase_dead_users}, {})

    trial.run("builtin.module(do)", remove_dead_users)
    assert trial.context.print(trial.module).count("arith.addi") == 2


@pytest.mark.parametrize("order", ["PRE_ORDER", "POST_ORDER"])
@pytest.mark.parametrize("answers", [{}, {"f": "SKIP"}, {"g": "INTERRUPT"}])
def test_a_walk_in_a_pass_visits_what_that_of_mlir_does(
    trial: Trial, order: str, answers: dict[str, str]
) -> None:
    visited: list[list[str]] = []

    def work(pass_: Native) -> None:
        visited.append(names_of_walk(pass_, order, {}, answers))

    trial.run("builtin.module(do)", work)
    work(SimpleNamespace(context=trial.context, operation=trial.module))
    inside, expected = visited
    assert inside == expected


def test_the_callback_of_a_walk_says_how_to_go_on(trial: Trial) -> None:
    failure = trial.failure(
        "builtin.module(do)", lambda pass_: pass_.operation.walk(lambda _: None)
    )
    assert failure[0] == (
        "the callback of a walk has returned None, expected WalkResult.ADVANCE, SKIP "
        "or INTERRUPT"
    )


def test_a_symbol_that_is_freed_in_a_walk_is_not_visited(trial: Trial) -> None:
    visited: list[str] = []

    def work(pass_: Native) -> None:
        table = pass_.context.bindings.ir.SymbolTable(pass_.operation)

        def erase_next(_function: Native) -> None:
            table.erase(operations_in(pass_.operation)[1])

        visited.extend(names_of_walk(pass_, "PRE_ORDER", {"f": erase_next}, {}))

    trial.run("builtin.module(do)", work)
    assert [each for each in visited if "." not in each] == ["f", "h"]


NATIVE = "symbol-privatize,symbol-dce"
"""Erases all functions."""


def run_natively(pass_: Native) -> None:
    manager = pass_.context.bindings.passmanager.PassManager
    manager.parse(f"builtin.module({NATIVE})", pass_.context.mlir).run(pass_.operation)


def run_dynamically(pass_: Native) -> None:
    registry = Trial(pass_.context.bindings.package).registry
    pipeline = parse_pass_pipeline(f"builtin.module({NATIVE})", registry)
    assert pass_.run_pipeline(pipeline, pass_.operation)


@pytest.mark.parametrize("run_passes", [run_natively, run_dynamically])
def test_a_loop_survives_that_mlir_erases_what_it_is_over(
    trial: Trial, run_passes: Work
) -> None:
    visited: list[str] = []

    def work(pass_: Native) -> None:
        for each in pass_.operation.regions[0].blocks[0].operations:
            visited.append(name_of(each))
            run_passes(pass_)

    trial.run("builtin.module(do)", work)
    assert visited == ["f", "g", "h"]
    assert not operations_in(trial.module)


def test_a_loop_that_holds_nothing_else_survives_it_too(trial: Trial) -> None:
    rounds: list[int] = []

    def work(pass_: Native) -> None:
        for each in pass_.operation.regions[0].blocks[0].operations:
            del each
            rounds.append(len(operations_in(pass_.operation)))
            run_natively(pass_)
            gc.collect()

    trial.run("builtin.module(do)", work)
    assert rounds == [3, 0, 0]


def test_a_walk_survives_that_mlir_erases_what_it_is_over(trial: Trial) -> None:
    visited: list[str] = []

    def work(pass_: Native) -> None:
        def erase_all(_function: Native) -> None:
            run_natively(pass_)

        visited.extend(names_of_walk(pass_, "POST_ORDER", {"f": erase_all}, {}))

    trial.run("builtin.module(do)", work)
    assert visited[-2:] == ["f", "builtin.module"]


def test_a_branch_into_what_is_erased_is_an_error(trial: Trial) -> None:
    def branch_into_a_copy(pass_: Native) -> None:
        ir, function = pass_.context.bindings.ir, first_function(pass_)
        copy = function.clone().operation
        target = copy.regions[0].blocks[0]
        entry = function.regions[0].blocks[0]
        *_, end = entry.operations
        with ir.InsertionPoint(end), end.location:
            branch = ir.Operation.create(
                "cf.br", operands=[entry.arguments[0]], successors=[entry]
            )
        end.operation.erase()
        copy.erase()
        branch.successors[0] = target

    failure = trial.failure("builtin.module(do)", branch_into_a_copy)
    assert (
        "the pass has erased 'func.func' at in.mlir:1:1, and 'cf.br' at in.mlir:5:3 "
        "branches to a block of it: let it branch elsewhere before"
    ) in "\n".join((*failure, *trial.said))


def value_of_second(pass_: Native) -> Any:  # noqa: ANN401 - of any bindings
    """Return a value that `cse` erases."""
    return operations_in(first_function(pass_))[1].results[0]


def test_what_was_kept_over_a_native_pass_outlives_the_run(trial: Trial) -> None:
    kept: list[Any] = []
    trial.run(
        "builtin.module(do,cse)", lambda pass_: kept.append(value_of_second(pass_))
    )
    gc.collect()
    assert "arith.addi" in str(kept[0])
    assert trial.context.erasures.holds_any

    kept.clear()
    trial.run("builtin.module(do)", lambda _pass: None)
    assert not trial.context.erasures.holds_any


def test_what_the_garbage_collector_frees_hides_nothing(trial: Trial) -> None:
    kept: list[Any] = []
    cycle: list[Any] = [operations_in(trial.module)]
    cycle.append(cycle)
    del cycle

    def keep(pass_: Native) -> None:
        kept.append(value_of_second(pass_))
        gc.collect()

    gc.disable()
    try:
        trial.run("builtin.module(do,cse,canonicalize)", keep)
    finally:
        gc.enable()
    assert "arith.addi" in str(kept[0])


def test_what_one_native_pass_left_alone_is_safe_from_the_next(trial: Trial) -> None:
    kept: list[Any] = []

    def keep(pass_: Native) -> None:
        function = first_function(pass_)
        kept.extend((function, value_of_second(pass_)))

    pipeline = f"builtin.module(do,func.func(cse,do-next),{NATIVE})"
    trial.run(pipeline, keep, lambda _pass: None)
    with pytest.raises(RuntimeError, match="the operation has been invalidated"):
        str(kept[0])
    assert "arith.addi" in str(kept[1])


@pytest.mark.parametrize("with_context", [False, True])
def test_what_a_pass_keeps_outlives_the_module(
    package: str, *, with_context: bool
) -> None:
    trial = Trial(package)
    kept: list[Any] = []

    def keep(pass_: Native) -> None:
        function = first_function(pass_)
        kept.extend((function, function.regions[0].blocks[0], value_of_second(pass_)))

    trial.run("builtin.module(do)", keep)
    trial.module = None
    if with_context:
        del trial
    gc.collect()
    function, block, value = kept
    assert name_of(function) == "f"
    assert len(list(block.operations)) == 4
    assert "arith.addi" in str(value)


def test_what_outlives_its_run_is_freed_when_nobody_holds_it(trial: Trial) -> None:
    kept: list[Any] = []

    def keep(pass_: Native) -> None:
        kept[:] = [value_of_second(pass_)]
        operations_in(pass_.operation)[2].operation.erase()

    num_remains: list[int] = []
    for _ in range(6):
        trial.run("builtin.module(do)", keep)
        trial.module = trial.context.parse(SOURCE, "in.mlir")
        remains = trial.context.erasures._remains  # noqa: SLF001 - what may grow
        num_remains.append(len(remains))
    assert num_remains == [1, 2, 2, 2, 2, 2]


@pytest.fixture
def frequent_turns() -> Iterator[None]:
    """Threads take turns as often as they can."""
    interval_s = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval_s)


@pytest.mark.usefixtures("frequent_turns")
def test_who_makes_tuples_meanwhile_is_not_disturbed(trial: Trial) -> None:
    is_done = threading.Event()

    def make_tuples() -> None:
        while not is_done.is_set():
            assert len(tuple(each for each in range(40))) == 40

    def keep(pass_: Native) -> None:
        kept.append(first_function(pass_))

    kept: list[Any] = []
    with ThreadPoolExecutor() as executor:
        maker = executor.submit(make_tuples)
        try:
            trial.run(f"builtin.module({','.join(['do', 'cse'] * 6)})", keep)
        finally:
            is_done.set()
        maker.result()
    assert kept
