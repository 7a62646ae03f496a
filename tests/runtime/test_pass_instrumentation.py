"""Hooks: MLIR's order, what they are told, and that nothing is paid without them."""

from __future__ import annotations

import threading

from passgen_runtime import (
    PassInstrumentation,
    PipelineCollection,
    PipelineParentInfo,
)
from passgen_runtime.context import Operation
from passgen_runtime.operation_pass import Pass
from tests.recording import FUNCTIONS, Running, Session, step, title


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
