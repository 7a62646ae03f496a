"""What passes hold while MLIR erases, moves or frees: loops, walks and blocks."""

from __future__ import annotations

import gc
from typing import Any

from tests.mlir_ir.mlir_session import SOURCE, Native, Session, operations_in


def first_function(pass_: Native) -> Any:  # noqa: ANN401 - of any bindings
    return operations_in(pass_.operation)[0].operation


def test_what_earlier_runs_have_held_is_forgotten(session: Session) -> None:
    kept: list[Any] = []

    def keep(pass_: Native) -> None:
        kept[:] = [first_function(pass_).regions[0].blocks[0]]

    found: list[int] = []
    for _ in range(6):
        session.run("builtin.module(do,cse)", keep)
        found.append(len(session.context.handles._found))  # noqa: SLF001 - what grew
        session.module = session.context.parse(SOURCE, "in.mlir")
        gc.collect()
    assert found == [2] * 6
