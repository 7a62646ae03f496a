"""What a pass does with the bindings that would end the process is an error.

Each function is a pass on the module of `SOURCE`, with what its failure says.
"""

from __future__ import annotations

import gc
from importlib import import_module
from typing import Any

import pytest

from passgen_runtime import PassFailure
from passgen_runtime.ir.mlir import MLIRContext
from tests.mlir_ir.mlir_trial import (
    SOURCE,
    DoPass,
    Native,
    Trial,
    Work,
    first_function,
    name_of,
    operations_in,
)


def erase_in_use(pass_: Native) -> None:
    operations_in(first_function(pass_))[0].operation.erase()


def erase_twice(pass_: Native) -> None:
    one, other = (operations_in(pass_.operation)[2].operation for _ in range(2))
    one.erase()
    other.erase()


def erase_inside_what_is_erased(pass_: Native) -> None:
    function = first_function(pass_)
    inner = operations_in(function)[3]
    function.erase()
    inner.erase()


def use_the_same_handle(pass_: Native) -> None:
    function = first_function(pass_)
    function.erase()
    print(function.name)  # noqa: T201 - what is printed is gone


def use_an_erased_value(pass_: Native) -> None:
    one, other, total, _ = operations_in(first_function(pass_))
    value = one.results[0]
    total.operation.operands[0] = other.results[0]
    one.operation.erase()
    total.operation.operands[0] = value


def use_an_erased_value_behind_our_back(pass_: Native) -> None:
    """By making an operation, which takes values as they are."""
    ir = pass_.context.bindings.ir
    one, other, total, end = operations_in(first_function(pass_))
    left = operations_in(first_function(pass_))[0].operation
    total.operation.operands[0] = other.results[0]
    one.operation.erase()
    with ir.InsertionPoint(end), end.location:
        ir.Operation.create("arith.muli", [left.results[0].type], [left.results[0]] * 2)


def insert_into_what_is_erased(pass_: Native) -> None:
    ir = pass_.context.bindings.ir
    function = first_function(pass_)
    point = ir.InsertionPoint(operations_in(function)[0])
    again = first_function(pass_)
    again.erase()
    with point, ir.Location.unknown(pass_.context.mlir):
        ir.Operation.create("ub.unreachable")


def insert_before_what_is_erased(pass_: Native) -> None:
    ir = pass_.context.bindings.ir
    point = ir.InsertionPoint(operations_in(pass_.operation)[2])
    operations_in(pass_.operation)[2].operation.erase()
    with point, ir.Location.unknown(pass_.context.mlir):
        ir.Operation.create("ub.unreachable")


def build_before_what_has_moved(pass_: Native) -> None:
    """By a class of the dialect."""
    ir = pass_.context.bindings.ir
    arith = import_module(f"{pass_.context.bindings.package}.dialects.arith")
    total = operations_in(first_function(pass_))[2].operation
    point = ir.InsertionPoint(total)
    total.move_before(operations_in(operations_in(pass_.operation)[1])[0].operation)
    with point, total.location:
        arith.constant(total.results[0].type, 1)


def insert_before_what_is_detached(pass_: Native) -> None:
    ir = pass_.context.bindings.ir
    first, second, _ = operations_in(pass_.operation)
    point = ir.InsertionPoint(second)
    second.detach_from_parent()
    first.detach_from_parent()
    point.insert(first)


def clone_before_what_is_erased(pass_: Native) -> None:
    point = pass_.context.bindings.ir.InsertionPoint(operations_in(pass_.operation)[2])
    operations_in(pass_.operation)[2].operation.erase()
    first_function(pass_).clone(ip=point)


def insert_after_the_top(pass_: Native) -> None:
    pass_.context.bindings.ir.InsertionPoint.after(pass_.operation)


def look_at_the_block_of_the_top(pass_: Native) -> None:
    pass_.operation.operation.block  # noqa: B018 - it ends the process


def put_back(pass_: Native) -> None:
    one, other = (operations_in(pass_.operation)[2].operation for _ in range(2))
    block = pass_.operation.regions[0].blocks[0]
    one.erase()
    block.append(other)


def move_into_itself(pass_: Native) -> None:
    function = first_function(pass_)
    function.move_before(operations_in(function)[0])


def move_the_top(pass_: Native) -> None:
    pass_.operation.move_before(first_function(pass_))


def move_next_to_the_top(pass_: Native) -> None:
    first_function(pass_).move_after(pass_.operation)


def append_block_to_itself(pass_: Native) -> None:
    block = pass_.operation.regions[0].blocks[0]
    block.append_to(first_function(pass_).regions[0])


def detach_the_top(pass_: Native) -> None:
    pass_.operation.detach_from_parent()


def erase_the_top(pass_: Native) -> None:
    pass_.operation.erase()


def drop_what_is_in_use(pass_: Native) -> None:
    operations_in(first_function(pass_))[0].operation.detach_from_parent()
    gc.collect()


def forget_the_insertion_point(pass_: Native) -> None:
    ir = pass_.context.bindings.ir
    total = operations_in(first_function(pass_))[2].operation
    integer = total.results[0].type
    made = ir.Operation.create(
        "arith.constant",
        [integer],
        attributes={"value": ir.IntegerAttr.get(integer, 1)},
        loc=total.location,
    )
    total.operands[0] = made.results[0]


def forget_the_insertion_point_of_a_view(pass_: Native) -> None:
    arith = import_module(f"{pass_.context.bindings.package}.dialects.arith")
    total = operations_in(first_function(pass_))[2].operation
    made = arith.AddIOp.build_generic(operands=list(total.operands), loc=total.location)
    total.operands[0] = made.results[0]


def compare_what_is_in_two_blocks(pass_: Native) -> None:
    first_function(pass_).is_before_in_block(operations_in(first_function(pass_))[0])


def erase_an_argument_in_use(pass_: Native) -> None:
    first_function(pass_).regions[0].blocks[0].erase_argument(0)


def create_what_is_not_registered(pass_: Native) -> None:
    ir = pass_.context.bindings.ir
    ir.Operation.create("no.such", loc=ir.Location.unknown(pass_.context.mlir))


TOP = "'builtin.module' at in.mlir:0:0 cannot be {}: the pass manager runs on it"
NO_BLOCK = "'builtin.module' at in.mlir:0:0 is in no block:"
MOVED = (
    "the insertion point was before {}, which has been moved to another place since: "
    "make a new one"
)
GONE = "was erased by this pass or one before it"


@pytest.mark.parametrize(
    ("work", "expected"),
    [
        (
            erase_in_use,
            (
                "'arith.addi' at in.mlir:2:8 cannot be erased: 'arith.addi' at "
                "in.mlir:4:8 uses its result 0"
            ),
        ),
        (erase_twice, f"'func.func' at in.mlir:10:1 {GONE}"),
        (erase_inside_what_is_erased, f"'func.return' at in.mlir:5:3 {GONE}"),
        (use_the_same_handle, "the operation has been invalidated"),
        (use_an_erased_value, "the operation has been invalidated"),
        (
            use_an_erased_value_behind_our_back,
            (
                "the pass has erased 'arith.addi' at in.mlir:2:8, and 'arith.muli' at "
                "in.mlir:5:3 uses a value of it: replace its uses before it is erased"
            ),
        ),
        (insert_into_what_is_erased, f"'arith.addi' at in.mlir:2:8 {GONE}"),
        (insert_before_what_is_erased, f"'func.func' at in.mlir:10:1 {GONE}"),
        (build_before_what_has_moved, MOVED.format("'arith.addi' at in.mlir:4:8")),
        (insert_before_what_is_detached, MOVED.format("'func.func' at in.mlir:7:1")),
        (clone_before_what_is_erased, f"'func.func' at in.mlir:10:1 {GONE}"),
        (insert_after_the_top, f"{NO_BLOCK} there is no insertion point next to it"),
        (look_at_the_block_of_the_top, f"{NO_BLOCK} it has none to look at"),
        (put_back, f"'func.func' at in.mlir:10:1 {GONE}"),
        (move_into_itself, "'func.func' at in.mlir:1:1 cannot be put into itself"),
        (move_the_top, TOP.format("moved")),
        (
            move_next_to_the_top,
            (
                "'builtin.module' at in.mlir:0:0 is in no block: nothing can be moved next "
                "to it, nor itself"
            ),
        ),
        (
            append_block_to_itself,
            "'func.func' at in.mlir:1:1 cannot be put into itself",
        ),
        (detach_the_top, TOP.format("detached")),
        (erase_the_top, TOP.format("erased")),
        (
            drop_what_is_in_use,
            (
                "'arith.addi' at in.mlir:2:8 is outside the IR, and 'arith.addi' at "
                "in.mlir:4:8 uses its result 0: give it an insertion point"
            ),
        ),
        (
            forget_the_insertion_point,
            (
                "'arith.constant' at in.mlir:4:8 is outside the IR, and 'arith.addi' at "
                "in.mlir:4:8 uses its result 0: give it an insertion point"
            ),
        ),
        (
            forget_the_insertion_point_of_a_view,
            (
                "'arith.addi' at in.mlir:4:8 is outside the IR, and 'arith.addi' at "
                "in.mlir:4:8 uses its result 0: give it an insertion point"
            ),
        ),
        (
            compare_what_is_in_two_blocks,
            (
                "'func.func' at in.mlir:1:1 and 'arith.addi' at in.mlir:2:8 are not in "
                "one block: neither comes before the other"
            ),
        ),
        (
            erase_an_argument_in_use,
            "argument 0 of a block cannot be erased: 'arith.addi' at in.mlir:3:8 uses it",
        ),
        (
            create_what_is_not_registered,
            (
                "'no.such' is not a registered operation, and the context does not accept "
                "others"
            ),
        ),
    ],
)
def test_it_is_an_error(trial: Trial, work: Work, expected: str) -> None:
    failure = trial.failure("builtin.module(do)", work)
    said = "\n".join((*failure, *trial.said))
    assert expected in said
    assert "pass 'do' failed on 'builtin.module' operation" in said
    trial.context.print_in_any_state(trial.module)


def test_what_is_read_of_an_erased_operation_shows_that_it_was(
    trial: Trial,
) -> None:
    texts: list[str] = []

    def read(pass_: Native) -> None:
        function, other = first_function(pass_), first_function(pass_)
        block = other.regions[0].blocks[0]
        inner = operations_in(other)[0]
        function.erase()
        texts.extend((str(other), name_of(other), str(block.arguments[0].type)))
        texts.append(inner.operation.name)

    trial.run("builtin.module(do)", read)
    assert "passgen.erased" in texts[0]
    assert texts[1:] == ["f", "i32", "arith.addi"]


def test_an_iteration_survives_that_what_comes_next_is_erased(trial: Trial) -> None:
    def erase_next(pass_: Native) -> None:
        for _ in pass_.operation.regions[0].blocks[0].operations:
            if len(rest := operations_in(pass_.operation)) > 1:
                rest[1].operation.erase()

    trial.run("builtin.module(do)", erase_next)
    assert [name_of(each) for each in operations_in(trial.module)] == ["f"]


def test_users_and_what_they_use_may_be_erased_in_that_order(trial: Trial) -> None:
    def erase_all(pass_: Native) -> None:
        *others, end = operations_in(first_function(pass_))
        end.operation.operands[0] = (
            first_function(pass_).regions[0].blocks[0].arguments[0]
        )
        for each in reversed(others):
            each.operation.erase()

    trial.run("builtin.module(do)", erase_all)
    assert len(operations_in(first_function_of(trial))) == 1


def first_function_of(trial: Trial) -> Any:  # noqa: ANN401 - of any bindings
    return operations_in(trial.module)[0].operation


@pytest.mark.parametrize("what", ["value", "block", "argument", "iterator"])
@pytest.mark.parametrize("native", ["cse,canonicalize", "func.func(cse,canonicalize)"])
def test_what_is_kept_over_a_native_pass_can_still_be_read(
    trial: Trial, what: str, native: str
) -> None:
    """MLIR works on a copy then; what was kept is no part of the IR any more."""
    kept: list[Any] = []

    def keep(pass_: Native) -> None:
        block = first_function(pass_).regions[0].blocks[0]
        kept.append(
            {
                "value": lambda: block.operations[1].results[0],
                "block": lambda: block,
                "argument": lambda: block.arguments[0],
                "iterator": lambda: iter(block.operations),
            }[what]()
        )

    def read(_pass: Native) -> None:
        texts.append(str(next(kept[0]) if what == "iterator" else kept[0]))

    texts: list[str] = []
    trial.run(f"builtin.module(do,{native},do-next)", keep, read)
    assert texts
    assert trial.context.print(trial.module).count("arith.addi") == 2


def test_a_block_of_the_operation_itself_may_be_kept(trial: Trial) -> None:
    kept: list[Any] = []
    trial.run(
        "builtin.module(func.func(do,cse,do-next))",
        lambda pass_: kept.append(pass_.operation.regions[0].blocks[0]),
        lambda _pass: kept.append(len(list(kept[-1].operations))),
    )
    assert kept[1] == 4


def test_using_what_was_kept_is_an_error(trial: Trial) -> None:
    kept: list[Any] = []

    def keep(pass_: Native) -> None:
        kept.append(operations_in(first_function(pass_))[1].results[0])

    def use(pass_: Native) -> None:
        operations_in(first_function(pass_))[1].operation.operands[0] = kept[0]

    failure = trial.failure("builtin.module(do,cse,do-next)", keep, use)
    assert failure[0] == f"'arith.addi' at in.mlir:3:8 {GONE}"


def test_what_was_erased_is_freed_once_nobody_can_look_at_it(package: str) -> None:
    def erase_all(pass_: Native) -> None:
        for each in operations_in(pass_.operation):
            each.operation.erase()

    trial = Trial(package)
    trial.run("builtin.module(do)", erase_all)
    assert not trial.context.erasures.holds_any

    kept: list[Any] = []

    def keep_and_erase(pass_: Native) -> None:
        kept.append(operations_in(first_function(pass_))[0].results[0])
        erase_all(pass_)

    trial.module = trial.context.parse(SOURCE, "in.mlir")
    trial.run("builtin.module(do)", keep_and_erase)
    assert trial.context.erasures.holds_any
    assert "arith.addi" in str(kept[0])
    kept.clear()
    trial.run("builtin.module(do)", lambda _pass: None)
    assert not trial.context.erasures.holds_any


def test_passes_in_threads_erase_each_for_itself(trial: Trial) -> None:
    def erase_additions(pass_: Native) -> None:
        *others, end = operations_in(pass_.operation)
        end.operation.operands[0] = pass_.operation.regions[0].blocks[0].arguments[0]
        for each in reversed(others):
            each.operation.erase()

    manager = trial.manager("builtin.module(func.func(do,cse,do-next))")
    manager.enable_multithreading(max_workers=3)
    DoPass.work[:] = [erase_additions, lambda _pass: None]
    manager.run(trial.module)
    assert [len(operations_in(each)) for each in operations_in(trial.module)] == [1] * 3

    # What a thread has let go last may be looked at no sooner than in the next run.
    gc.collect()
    DoPass.work[:] = [lambda _pass: None, lambda _pass: None]
    manager.run(trial.module)
    assert not trial.context.erasures.holds_any

    def erase_in_use_in_threads(pass_: Native) -> None:
        operations_in(pass_.operation)[0].operation.erase()

    trial.module = trial.context.parse(SOURCE, "in.mlir")
    DoPass.work[:] = [erase_in_use_in_threads, lambda _pass: None]
    with pytest.raises(PassFailure, match="cannot be erased"):
        manager.run(trial.module)


def test_a_run_that_fails_keeps_nothing(package: str) -> None:
    def erase_and_fail(pass_: Native) -> None:
        operations_in(pass_.operation)[2].operation.erase()
        raise KeyError

    trial = Trial(package)
    trial.failure("builtin.module(do)", erase_and_fail)
    gc.collect()
    trial.run("builtin.module(do)", lambda _pass: None)
    assert not trial.context.erasures.holds_any


def test_the_guards_stand_once_and_do_nothing_where_nothing_runs(
    any_context: MLIRContext,
) -> None:
    MLIRContext(any_context.bindings.package)
    ir = any_context.bindings.ir
    manager = any_context.bindings.passmanager.PassManager
    for method in (
        ir.Operation.erase,
        ir.OpView.erase,
        ir.BlockArgument.set_type,
        ir.OpOperandList.__setitem__,
        manager.run,
    ):
        assert not hasattr(method.__wrapped__, "__wrapped__")
    module = any_context.parse(SOURCE, "in.mlir")
    operations_in(module)[2].operation.erase()
    assert len(operations_in(module)) == 2
    assert not any_context.erasures.holds_any
