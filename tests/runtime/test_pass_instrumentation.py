"""Hooks: MLIR's order, what they are told, and that nothing is paid without them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from xdsl.dialects.builtin import StringAttr

from passgen_runtime import (
    OperationPass,
    PassInstrumentation,
    PassManager,
    PassOptions,
    PipelineCollection,
    PipelineParentInfo,
)
from passgen_runtime.context import Operation
from passgen_runtime.extensions.audit import enable_audit
from passgen_runtime.instrumentations.crash_reproducer import (
    enable_crash_reproducer_generation,
)
from passgen_runtime.instrumentations.ir_printing import (
    IRPrintingConfig,
    StreamDestination,
    enable_ir_printing,
    every_pass,
)
from passgen_runtime.instrumentations.pass_timing import enable_timing
from passgen_runtime.operation_pass.operation_pass import Pass
from tests.recording import FUNCTIONS, Running, Session, add_all, step, title


class Analysis:
    def __init__(self, operation: Operation) -> None:
        del operation


class Watch(PassInstrumentation):
    """Notes every hook."""

    def __init__(self, session: Session, name: str = "") -> None:
        self.session = session
        self.name = name
        self.parents: list[PipelineParentInfo] = []

    def note(self, event: str) -> None:
        self.session.log.add(f"{self.name}{event}")

    def run_before_pipeline(self, anchor: str, parent: PipelineParentInfo) -> None:
        self.parents.append(parent)
        self.note(f"+ {anchor} in {parent.pass_ or parent.collection}")

    def run_after_pipeline(self, anchor: str, parent: PipelineParentInfo) -> None:
        del parent
        self.note(f"- {anchor}")

    def run_before_collection(
        self, collection: PipelineCollection, operation: Operation
    ) -> None:
        self.note(f"+ {collection.anchors} {title(self.session.context, operation)}")

    def run_after_collection(
        self, collection: PipelineCollection, operation: Operation
    ) -> None:
        self.note(f"- {collection.anchors} {title(self.session.context, operation)}")

    def run_before_pass(self, pass_: Pass, operation: Operation) -> None:
        self.note(f"+ {pass_.name} {title(self.session.context, operation)}")

    def run_after_pass(self, pass_: Pass, operation: Operation) -> None:
        self.note(f"- {pass_.name} {title(self.session.context, operation)}")

    def run_before_analysis(self, analysis: type, operation: Operation) -> None:
        self.note(f"+ {analysis.__name__} {title(self.session.context, operation)}")

    def run_after_analysis(self, analysis: type, operation: Operation) -> None:
        self.note(f"- {analysis.__name__} {title(self.session.context, operation)}")


def test_order_of_all_hooks() -> None:
    session = Session("func.func @a() { return }")
    inner = type(session.manager)(session.context, "func.func")
    inner.add_pass(step("Inner"))

    def work(running: Running) -> None:
        running.get_analysis(Analysis)
        assert running.run_pipeline(inner, running.operation)

    session.manager.nest("func.func").add_pass(step("Outer", do=work))
    session.manager.nest_any().add_pass(step("Other"))
    session.manager.add_instrumentation(Watch(session))

    assert session.run() == [
        "+ builtin.module in None",
        "+ ('func.func',) builtin.module",
        "+ func.func in Pipeline Collection : ['func.func']",
        "+ Outer @a",
        "+ Analysis @a",
        "- Analysis @a",
        "+ func.func in unknown<Outer>",
        "+ Inner @a",
        "- Inner @a",
        "- func.func",
        "- Outer @a",
        "- func.func",
        "- ('func.func',) builtin.module",
        "+ ('any',) builtin.module",
        "+ any in Pipeline Collection : ['any']",
        "+ Other @a",
        "- Other @a",
        "- any",
        "- ('any',) builtin.module",
        "- builtin.module",
    ]


def test_after_hooks_come_in_reverse() -> None:
    session = Session()
    session.manager.add_pass(step("Step"))
    for name in ("first ", "second "):
        session.manager.add_instrumentation(Watch(session, name))

    assert session.run() == [
        "first + builtin.module in None",
        "second + builtin.module in None",
        "first + Step builtin.module",
        "second + Step builtin.module",
        "second - Step builtin.module",
        "first - Step builtin.module",
        "second - builtin.module",
        "first - builtin.module",
    ]


def test_pipelines_in_threads_know_what_runs_them() -> None:
    session = Session(FUNCTIONS)
    barrier = threading.Barrier(2)

    def meet(_: Running) -> None:
        barrier.wait(timeout=60)

    session.manager.nest("func.func").add_pass(step("Step", do=meet))
    session.manager.enable_multithreading(max_workers=2)
    watch = Watch(session)
    session.manager.add_instrumentation(watch)
    session.run()
    outermost, *nested = watch.parents

    assert outermost.is_outermost
    assert {parent.thread_id for parent in nested} == {threading.get_ident()}
    assert len({parent.collection for parent in nested}) == 1
    assert len(nested) == 2


@dataclass
class Compared(OperationPass[PassOptions]):
    """Equal to others, and so without a hash: passes need none."""

    argument = "compared"
    size: int = 0

    def run_on_operation(self) -> None:
        self.operation.attributes["size"] = StringAttr(f"{self.size}")


OBSERVERS: dict[str, Callable[[PassManager, Path], object]] = {
    "printing": lambda manager, _: enable_ir_printing(
        manager,
        IRPrintingConfig(after=every_pass, after_only_on_change=True),
        StreamDestination(manager.context, lambda _: None),
    ),
    "reproducer": lambda manager, folder: enable_crash_reproducer_generation(
        manager, folder / "r.mlir"
    ),
    "local reproducer": lambda manager, folder: enable_crash_reproducer_generation(
        manager, folder / "r.mlir", local=True
    ),
    "timing": lambda manager, _: enable_timing(manager),
    "audit": lambda manager, _: enable_audit(manager),
}


@pytest.mark.parametrize("observer", OBSERVERS)
def test_a_pass_that_is_a_dataclass_may_be_observed(
    tmp_path: Path, observer: str
) -> None:
    session = Session(FUNCTIONS)
    add_all(session.manager.nest("func.func"), [Compared(), Compared(1), Compared(1)])
    OBSERVERS[observer](session.manager, tmp_path)

    session.run()

    text = session.context.print(session.module)
    assert text.count('size = "1"') == len(("a", "b"))
