"""Symbol tables of the bindings, in passes."""

from __future__ import annotations

import gc
from typing import Any

import pytest

from passgen_runtime.ir.mlir import MLIRContext
from tests.mlir_ir.mlir_trial import (
    SOURCE,
    Native,
    Trial,
    Work,
    first_function,
    name_of,
    operations_in,
)

GONE = "was erased by this pass or one before it"
NOT_IN_IT = "is not directly inside the operation that this symbol table is of"
UNKNOWN = "KeyError: \"Symbol '{}' not in the symbol table.\""


def table_of(pass_: Native) -> Any:  # noqa: ANN401 - of any bindings
    return pass_.context.bindings.ir.SymbolTable(pass_.operation)


def insert_what_is_erased(pass_: Native) -> None:
    table = table_of(pass_)
    one, other = (operations_in(pass_.operation)[2].operation for _ in range(2))
    one.erase()
    table.insert(other)


def insert_what_is_elsewhere(pass_: Native) -> None:
    copy = pass_.operation.clone(ip=False)
    table_of(pass_).insert(operations_in(copy)[0])


def insert_what_the_table_is_of(pass_: Native) -> None:
    ir = pass_.context.bindings.ir
    table = table_of(pass_)
    pass_.operation.operation.attributes["sym_name"] = ir.StringAttr.get(
        "top", context=pass_.context.mlir
    )
    table.insert(pass_.operation)


def insert_from_another_context(pass_: Native) -> None:
    context = MLIRContext(pass_.context.bindings.package)
    module = context.parse(SOURCE, "other.mlir")
    table_of(pass_).insert(operations_in(module)[0].operation.clone(ip=False))


def erase_what_is_erased(pass_: Native) -> None:
    table = table_of(pass_)
    one, other = (operations_in(pass_.operation)[2].operation for _ in range(2))
    one.erase()
    table.erase(other)


def erase_what_is_detached(pass_: Native) -> None:
    table = table_of(pass_)
    function = first_function(pass_)
    function.detach_from_parent()
    table.erase(function)


def erase_from_the_table_of_a_copy(pass_: Native) -> None:
    copy = pass_.operation.clone(ip=False).operation
    pass_.context.bindings.ir.SymbolTable(copy).erase(first_function(pass_))


def look_up_what_is_erased(pass_: Native) -> None:
    table = table_of(pass_)
    first_function(pass_).erase()
    table["f"]


def delete_twice(pass_: Native) -> None:
    table = table_of(pass_)
    del table["f"]
    del table["f"]


@pytest.mark.parametrize(
    ("work", "expected"),
    [
        (insert_what_is_erased, f"'func.func' at in.mlir:10:1 {GONE}"),
        (
            insert_what_is_elsewhere,
            f"'func.func' at in.mlir:1:1 {NOT_IN_IT}: detach it before",
        ),
        (
            insert_what_the_table_is_of,
            "'builtin.module' at in.mlir:0:0 cannot be moved: the pass manager runs on it",
        ),
        (
            insert_from_another_context,
            (
                "'func.func' at other.mlir:1:1 is of another context of MLIR: parse or "
                "build it in this one"
            ),
        ),
        (erase_what_is_erased, f"'func.func' at in.mlir:10:1 {GONE}"),
        (erase_what_is_detached, f"'func.func' at in.mlir:1:1 {NOT_IN_IT}"),
        (erase_from_the_table_of_a_copy, f"'func.func' at in.mlir:1:1 {NOT_IN_IT}"),
        (look_up_what_is_erased, UNKNOWN.format("f")),
        (delete_twice, UNKNOWN.format("f")),
    ],
)
def test_it_is_an_error(trial: Trial, work: Work, expected: str) -> None:
    failure = trial.failure("builtin.module(do)", work)
    assert failure[0] == expected or failure[1] == f"note: it raised {expected}"
    trial.context.print_in_any_state(trial.module)


@pytest.mark.parametrize("way", ["del", "erase"])
def test_a_symbol_that_was_erased_can_be_read_through_what_was_held(
    trial: Trial, way: str
) -> None:
    texts: list[str] = []

    def erase(pass_: Native) -> None:
        table = table_of(pass_)
        found, other = table["f"].operation, first_function(pass_)
        block = other.regions[0].blocks[0]
        if way == "del":
            del table["f"]
        else:
            table.erase(found)
            with pytest.raises(RuntimeError, match="has been invalidated"):
                str(found)
        gc.collect()
        texts.extend((name_of(other), str(block.arguments[0].type), str(other)))
        texts.append(str("f" in table))

    trial.run("builtin.module(do,cse)", erase)
    assert texts[:2] == ["f", "i32"]
    assert "passgen.erased" in texts[2]
    assert texts[3] == "False"
    assert [name_of(each) for each in operations_in(trial.module)] == ["g", "h"]


def test_a_symbol_can_take_the_name_of_an_erased_one(trial: Trial) -> None:
    def replace(pass_: Native) -> None:
        table = table_of(pass_)
        copy = table["f"].operation.clone(ip=False)
        table.erase(table["f"])
        assert table.insert(copy).value == "f"
        assert table["f"].operation == copy.operation
        # Another one gets another name, as in MLIR.
        assert table.insert(copy.operation.clone(ip=False)).value == "f_0"
        assert table.insert(copy).value == "f"
        del table["f"]
        assert "f" not in table
        assert "f_0" in table

    trial.run("builtin.module(do,cse)", replace)
    assert [name_of(each) for each in operations_in(trial.module)] == ["g", "h", "f_0"]


def test_what_is_inserted_stays_when_its_handle_is_gone(trial: Trial) -> None:
    """MLIR's own method leaves it to the handle, which frees it in the IR."""

    def insert(pass_: Native) -> None:
        table = table_of(pass_)
        table.insert(first_function(pass_).clone(ip=False))
        gc.collect()
        # What is in the IR already stays where it is.
        table.insert(first_function(pass_))

    trial.run("builtin.module(do)", insert)
    gc.collect()
    names = [name_of(each) for each in operations_in(trial.module)]
    assert names == ["f", "g", "h", "f_0"]


def test_a_table_may_be_kept_over_a_native_pass(trial: Trial) -> None:
    """It knows addresses: MLIR works on a copy, and names are looked up in the IR."""
    kept: list[Any] = []

    def keep(pass_: Native) -> None:
        kept.append(table_of(pass_))
        assert "f" in kept[0]

    def use(pass_: Native) -> None:
        assert kept[0]["f"].operation == first_function(pass_)
        assert "g" not in kept[0]
        kept[0].erase(kept[0]["f"])

    native = "symbol-privatize{exclude=f},symbol-dce"
    trial.run(f"builtin.module(do,{native},do-next)", keep, use)
    assert not operations_in(trial.module)


def test_what_a_kept_table_has_is_not_freed(trial: Trial) -> None:
    kept: list[Any] = []

    def keep_and_erase(pass_: Native) -> None:
        kept.append(table_of(pass_))
        del kept[0]["f"]

    def look_up(_pass: Native) -> None:
        assert "f" not in kept[0]

    trial.run("builtin.module(do,do-next)", keep_and_erase, look_up)
    assert trial.context.erasures.holds_any

    kept.clear()
    trial.run("builtin.module(do)", lambda _pass: None)
    assert not trial.context.erasures.holds_any


def test_a_walk_over_symbol_tables_survives_what_it_erases(trial: Trial) -> None:
    trial.module = trial.context.parse(
        "module @a { module @b {} module @c {} } module @d {}", "in.mlir"
    )
    visited: list[tuple[str, object]] = []

    def walk(pass_: Native) -> None:
        def visit(operation: Native, is_visible: object) -> None:
            if "sym_name" not in operation.attributes:
                return
            visited.append((name_of(operation), is_visible))
            if name_of(operation) == "b":
                operations_in(operation.parent)[1].operation.erase()
            operation.erase()

        symbol_table = pass_.context.bindings.ir.SymbolTable
        symbol_table.walk_symbol_tables(
            pass_.operation, all_sym_uses_visible=True, callback=visit
        )

    trial.run("builtin.module(do)", walk)
    assert [name for name, _ in visited] == ["b", "a", "d"]
    assert not operations_in(trial.module)


def test_what_a_walk_over_symbol_tables_raises_arrives(trial: Trial) -> None:
    def walk(pass_: Native) -> None:
        def visit(*_: object) -> None:
            raise KeyError(0)

        symbol_table = pass_.context.bindings.ir.SymbolTable
        symbol_table.walk_symbol_tables(
            pass_.operation, all_sym_uses_visible=True, callback=visit
        )

    assert "note: it raised KeyError: 0" in trial.failure("builtin.module(do)", walk)


def test_tables_do_what_they_did_where_nothing_runs(any_context: MLIRContext) -> None:
    module = any_context.parse(SOURCE, "in.mlir")
    table = any_context.bindings.ir.SymbolTable(module)
    assert "f" in table
    table.erase(table["f"])
    del table["g"]
    assert [name_of(each) for each in operations_in(module)] == ["h"]
    assert not any_context.erasures.holds_any
