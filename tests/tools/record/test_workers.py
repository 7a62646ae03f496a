"""Records of runs in workers: they are those of one thread."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from passgen_runtime import (
    OpPassManager,
    Pass,
    PassFailure,
    PassManager,
)
from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.passes.canonicalize import Canonicalizer
from passgen_runtime.passes.cse import CSE
from passgen_tools.record import RunRecord, record
from passgen_tools.workers import ProcessPool
from tests.mlir_bindings_needed import require_bindings
from tests.recording import Session
from tests.tools.workers.mlir_passes_for_workers import EraseDead, FailOn
from tests.tools.workers.passes_for_workers import (
    Count,
    Mischief,
    MischiefOptions,
    Rename,
    Work,
)
from tests.tools.workers.running import CALLING, TREE, workers_of

pytestmark = [pytest.mark.process, pytest.mark.slow]

OF_THE_PROCESS = {
    "run": {"process_id", "wall_time_s", "error"},
    "execution": {"thread", "begin_s", "end_s"},
}
"""The columns that differ. An error has a stack, which is another one in a worker."""


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPool]:
    pool = ProcessPool(2)
    yield pool
    pool.kill()


def tables(path: Path) -> dict[str, list[dict[str, Any]]]:
    """Return all rows of a record, without the columns that differ."""
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        names = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
        ).fetchall()
        return {
            name: [
                {
                    key: row[key]
                    for key in row.keys()  # noqa: SIM118 - a row is no mapping
                    if key not in OF_THE_PROCESS.get(name, ())
                }
                for row in connection.execute(f"SELECT * FROM {name}")  # noqa: S608
            ]
            for (name,) in names
        }


def nested(manager: OpPassManager, anchor: str, *passes: Pass) -> None:
    inside = manager.nest(anchor)
    for each in passes:
        inside.add_pass(each)


def work(manager: PassManager) -> None:
    """Fail, report, count, keep a maximum, and run a dynamic pipeline."""
    nested(manager, "func.func", Work(), CSE(), Canonicalizer())


def several_groups(manager: PassManager) -> None:
    """Run in workers, here, and in workers again."""
    nested(manager, "func.func", Count(), CSE(), Rename(), Count())
    manager.add_pass(Canonicalizer())
    nested(manager, "func.func", CSE(), Count())


def in_modules(manager: PassManager) -> None:
    """Run several levels below the module, on operations of two types."""
    modules = manager.nest("builtin.module")
    nested(modules, "func.func", Work())
    modules.add_pass(Canonicalizer())
    nested(modules, "func.func", Count())
    nested(manager, "func.func", Count())


def mischief(how: str) -> Callable[[PassManager], None]:
    def build(manager: PassManager) -> None:
        options = MischiefOptions(how=how, to="f3")
        nested(manager, "func.func", Count(), Mischief(options), Count())
        manager.add_pass(Canonicalizer())

    return build


PLAIN = "\n".join(
    f"func.func @f{i}(%a: i32) -> i32 {{\n"
    "  %b = arith.addi %a, %a : i32\n  %c = arith.addi %a, %a : i32\n"
    "  %d = arith.muli %b, %c : i32\n  func.return %d : i32\n}"
    for i in range(6)
)
"""Functions that may be renamed: nothing refers to them."""

NAMELESS = "\n".join(
    f"module {{ func.func @f{i}() {{ return }} func.func @g{i}() {{ return }} }}"
    f" func.func @h{i}() {{ return }}"
    for i in range(3)
)
"""Modules without symbols between functions."""

WITH_OTHERS = f"{NAMELESS}\n%0 = arith.constant 1 : i32"
"""A module that has one text, with the functions in it."""


def recorded(
    path: Path, executor: Executor | None, text: str, build: Callable[..., None]
) -> dict[str, list[dict[str, Any]]]:
    """Return the record of two runs, the second one on what the first has left."""
    session = Session(text)
    build(session.manager)
    for number in range(2):
        with (
            suppress(PassFailure, SystemExit),
            record(session.manager, path, appends=number > 0),
        ):
            workers = workers_of(executor)
            session.manager.run(session.module, workers)
    if workers is not None:
        assert "always" in "".join(workers.report)
    return tables(path)


@pytest.mark.parametrize(
    ("text", "build"),
    [
        (CALLING, work),
        (PLAIN, several_groups),
        (CALLING, mischief("raise")),
        (CALLING, mischief("exit")),
        (CALLING, mischief("invalid")),
        (TREE, in_modules),
        (NAMELESS, in_modules),
        (WITH_OTHERS, in_modules),
        (CALLING, lambda manager: nested(manager, "func.func")),
    ],
)
def test_records_are_those_of_one_thread(
    text: str, build: Callable[..., None], pool: ProcessPool, tmp_path: Path
) -> None:
    alone = recorded(tmp_path / "alone.db", None, text, build)
    found = recorded(tmp_path / "workers.db", pool, text, build)

    assert len(alone["run"]) == 2
    for name, rows in alone.items():
        assert found[name] == rows, name


def test_executions_are_in_the_threads_of_their_workers_during_the_run(
    pool: ProcessPool, tmp_path: Path
) -> None:
    recorded(tmp_path / "run.db", pool, PLAIN, several_groups)

    with closing(sqlite3.connect(tmp_path / "run.db")) as connection:
        threads = connection.execute("SELECT DISTINCT thread FROM execution").fetchall()
        outside = connection.execute(
            "SELECT count(*) FROM execution JOIN run ON run.id = run_id"
            " WHERE begin_s < 0 OR end_s < begin_s OR end_s > wall_time_s"
        ).fetchone()
    assert sorted(number for (number,) in threads) == [-2, -1, 0]
    assert outside == (0,)


def test_a_failure_in_a_worker_is_recorded_with_its_stack(
    pool: ProcessPool, tmp_path: Path
) -> None:
    recorded(tmp_path / "run.db", pool, CALLING, mischief("raise"))

    with closing(sqlite3.connect(tmp_path / "run.db")) as connection:
        (error,) = connection.execute("SELECT error FROM run WHERE id = 1").fetchone()
    assert "ValueError: not f3" in error
    assert "passes_for_workers.py" in error


def test_an_operation_that_ends_its_worker_is_recorded_with_the_pass(
    pool: ProcessPool, tmp_path: Path
) -> None:
    recorded(tmp_path / "run.db", pool, CALLING, mischief("kill"))

    run = RunRecord(tmp_path / "run.db")
    for each in run.running:
        assert each.path == "builtin.module/func.func[0]/Mischief"
        assert each.operation == "@f3"
        assert "func.func @f3" in run.ir(each.before_id)
    assert [each.run_id for each in run.running] == [1, 2]
    others = [each for each in run.executions if each.status != "running"]
    assert {each.status for each in others} == {"succeeded"}
    assert {each.operation for each in others} == {
        f"@f{i}" for i in range(12) if i != 3
    }
    with closing(sqlite3.connect(tmp_path / "run.db")) as connection:
        rows = connection.execute("SELECT status, error FROM run").fetchall()
    for status, error in rows:
        assert status == "failed"
        assert "was ended by SIGKILL" in error
        assert "while it ran 'test-mischief' of func.func(" in error


MODULE = "\n".join(f"""func.func @f{i}(%a: i32) -> i32 attributes {{dead = #map}} {{
  %b = arith.addi %a, %a : i32 loc("here":{i + 1}:2)
  %c = arith.muli %a, %a : i32 loc("there"("elsewhere":3:4))
  %d = func.call @f{(i + 1) % 6}(%c) : (i32) -> i32
  return %d : i32
}}""" for i in range(6))


@pytest.mark.bindings
@pytest.mark.parametrize("package", ["mlir", "jaxlib.mlir"])
@pytest.mark.parametrize("anchor", ["func.func", "builtin.module"])
def test_records_of_mlir_are_those_of_one_thread(
    package: str, anchor: str, pool: ProcessPool, tmp_path: Path
) -> None:
    require_bindings(package)

    def run(path: Path, executor: Executor | None) -> dict[str, list[dict[str, Any]]]:
        context = MLIRContext(package)
        context.diagnostic_handler = lambda _: None
        text = f"module {{ {MODULE} }}\n" * 2 if anchor != "func.func" else MODULE
        text = f"#map = affine_map<(d0) -> (d0 + 1)>\nmodule {{ {text} }}"
        module = context.parse(text, "input.mlir")
        manager = PassManager(context)
        around = manager if anchor == "func.func" else manager.nest(anchor)
        nested(around, "func.func", EraseDead(), EraseDead())
        manager.add_pass(FailOn())
        nested(around, "func.func", FailOn(), EraseDead())
        with pytest.raises(PassFailure), record(manager, path):
            manager.run(module, workers_of(executor))
        return tables(path)

    alone = run(tmp_path / "alone.db", None)
    found = run(tmp_path / "workers.db", pool)
    for name, rows in alone.items():
        assert found[name] == rows, name
