"""Runs whose records the tests of reports read."""

from __future__ import annotations

import base64
import json
import re
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import StringAttr

from passgen_runtime import PassFailure
from passgen_runtime.context import Operation
from passgen_runtime.pass_registry import add_elements
from passgen_runtime.passes import shipped_registry
from passgen_runtime.passes.canonicalize import Canonicalizer
from passgen_runtime.passes.cse import CSE
from passgen_runtime.passes.symbol_dce import SymbolDCE
from passgen_tools.opt import main as passgen_opt
from passgen_tools.record import record
from tests.recording import Running, Session

HOSTILE = '</script><script>alert(1)</script>\u2028\u202e"&<img src=x onerror=alert(1)>'

FUNCTIONS = """\
func.func @f(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %x, %x : i32
  %2 = arith.muli %0, %1 : i32
  func.return %2 : i32
}
func.func private @unused()
func.func @g() {
  func.return
}
"""


def recorded(path: Path) -> Path:
    """Record a run of three passes, one of which changes each of two operations."""
    session = Session(FUNCTIONS)
    functions = session.manager.nest("func.func")
    functions.add_pass(CSE())
    functions.add_pass(Canonicalizer())
    functions.add_pass(session.step("plant", plant, argument="plant"))
    session.manager.add_pass(SymbolDCE())
    with record(session.manager, path):
        session.run()
    return path


DRIVER = [
    "my opt",
    "--ir=xdsl",
    "--load-pass-plugin=tests.toy_compiler.plugin",
    "--allow-unregistered-dialect=true",
    "--verify-each=false",
]
"""A driver of one's own, with the flags that a pass needs to run alone."""


def recorded_by_driver(path: Path) -> Path:
    """Record the run of a driver."""
    source = path.with_suffix(".mlir")
    source.write_text(FUNCTIONS, encoding="utf-8")
    name, *flags = DRIVER
    files = [str(source), f"--record={path}", "-o", str(path.with_suffix(".out"))]
    assert passgen_opt([*files, *reversed(flags), "--cse"], name=name) == 0
    return path


def plant(running: Running) -> None:
    """Give the function `g` an attribute, and say so."""
    operation: Operation = running.operation
    if operation.sym_name.data == "g":
        operation.attributes["planted"] = StringAttr(HOSTILE)
        running.emit_remark("planted an attribute")


def recorded_many(path: Path, num_functions: int) -> Path:
    """Record the run of a pass that changes every function."""
    functions = (
        f"func.func @f{each}() {{ return }}\n" for each in range(num_functions)
    )
    session = Session("".join(functions))

    def change(running: Running) -> None:
        operation: Operation = running.operation
        operation.attributes["changed"] = StringAttr("yes")

    session.manager.nest("func.func").add_pass(session.step("change", change))
    with record(session.manager, path):
        session.run()
    return path


def recorded_moving(path: Path) -> Path:
    """Record a pass that creates constants in two functions and erases one in a third."""
    session = Session(
        "".join(
            f"func.func @{name}() {{ {constants} return }}\n"
            for name, constants in {
                "f": "",
                "g": "%0 = arith.constant 0 : i32",
                "h": "%0 = arith.constant 0 : i32",
            }.items()
        )
    )

    def move(running: Running) -> None:
        block = running.operation.body.block
        match running.operation.sym_name.data:
            case "g":
                block.first_op.detach()
            case name:
                constants = [ConstantOp.from_int_and_width(0, 32) for _ in range(2)]
                block.insert_ops_before(constants[name == "h" :], block.first_op)

    session.manager.nest("func.func").add_pass(session.step("move", move))
    with record(session.manager, path):
        session.run()
    return path


def recorded_fixed_point(path: Path) -> Path:
    """Record a pass that runs another one itself."""
    session = Session(FUNCTIONS)
    pipeline = "func.func(composite-fixed-point-pass{pipeline=cse})"
    add_elements(session.manager, pipeline, shipped_registry(), session.manager.context)
    with record(session.manager, path):
        session.run()
    return path


def recorded_hostile(path: Path) -> Path:
    """Record a run whose names, texts and messages look like code."""
    session = Session("func.func @f() { func.return }")
    session.module.body.ops.first.sym_name = StringAttr(HOSTILE)

    def spoil(running: Running) -> None:
        operation: Operation = running.operation
        operation.attributes["long"] = StringAttr("x" * 100_000)
        running.emit_remark(HOSTILE)

    functions = session.manager.nest("func.func")
    functions.add_pass(session.step("spoil", spoil, argument="spoil"))
    with record(session.manager, path):
        session.run()
    return path


def failed(path: Path) -> Path:
    """Record a run that an exception of a pass ends."""

    def fail(running: Running) -> None:
        if running.operation.sym_name.data == "g":
            message = "no such loop"
            raise ValueError(message)

    return _failed_in(path, fail)


def signalled(path: Path) -> Path:
    """Record a run that ends because a pass signals failure."""

    def fail(running: Running) -> None:
        if running.operation.sym_name.data == "g":
            running.emit_error("expected a loop")
            running.emit_error("expected tile sizes")
            running.signal_pass_failure()

    return _failed_in(path, fail)


def refused_by_verifier(path: Path) -> Path:
    """Record a run that ends because a pass leaves invalid IR."""

    def spoil(running: Running) -> None:
        if running.operation.sym_name.data == "g":
            running.operation.body.block.last_op.detach()

    return _failed_in(path, spoil)


def _failed_in(path: Path, fail: Callable[[Running], None]) -> Path:
    session = Session(FUNCTIONS)
    session.manager.nest("func.func").add_pass(session.step("fail", fail))
    try:
        with record(session.manager, path):
            session.run()
    except PassFailure:
        return path
    message = "the run did not fail"
    raise AssertionError(message)


def recorded_variant(path: Path) -> Path:
    """Record the run of `recorded` with another order of passes and more of them."""
    session = Session(FUNCTIONS)
    functions = session.manager.nest("func.func")
    functions.add_pass(session.step("begin", lambda _: None, argument="begin"))
    functions.add_pass(CSE())
    functions.add_pass(Canonicalizer())
    functions.add_pass(session.step("plant", plant_other, argument="plant"))
    with record(session.manager, path):
        session.run()
    return path


def plant_other(running: Running) -> None:
    """Give the function `g` another attribute than `plant` does, and say nothing."""
    operation: Operation = running.operation
    if operation.sym_name.data == "g":
        operation.attributes["planted"] = StringAttr("else")


def changes(data: dict[str, Any]) -> list[int]:
    """Return the places of the executions that changed their operation."""
    executions = data["executions"]
    states = zip(executions["before"], executions["after"], strict=True)
    return [place for place, (before, after) in enumerate(states) if before != after]


def data_in(page: str) -> dict[str, Any]:
    """Return the data of a page."""
    found = re.search(r'id="data">([\w+/=]*)</script>', page)
    assert found is not None
    data: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(found[1])))
    return data


def with_remarks(path: Path, *remarks: tuple[str, str, str, str]) -> Path:
    """Let the first pass of a record make remarks: kind, category, name, operation."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executemany(
            "INSERT INTO remark (run_id, execution_id, kind, category, name, operation,"
            " location, message, fields) SELECT run_id, min(id), ?, ?, ?, ?,"
            " 'in.mlir:3:5', 'a reason', '{\"advice\": \"Do.\"}' FROM execution",
            remarks,
        )
    return path
