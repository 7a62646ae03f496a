"""Properties of run records, for IR and pipelines of many shapes."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import IntAttr, ModuleOp, StringAttr

from passgen_runtime import OpPassManager, Pass, PassFailure
from passgen_runtime.context import Context, Operation
from passgen_runtime.pass_instrumentation import PassInstrumentation
from passgen_runtime.printing_flags import PrintingFlags
from passgen_runtime.runners import Threads
from passgen_tools.record import RunRecord, record
from passgen_tools.report import report_data
from tests.recording import Running, Session, every_level, step

FUNC, MODULE = "func.func", "builtin.module"


def count(running: Running) -> None:
    """Change every operation that ran through fewer than two such passes."""
    attributes = running.operation.attributes
    number = attributes["count"].data if "count" in attributes else 0
    if number < 2:  # so that passes also leave IR alone
        attributes["count"] = IntAttr(number + 1)


def leave_alone(running: Running) -> None:
    running.emit_remark("left alone")


def fail_on_second(running: Running) -> None:
    symbol = running.context.symbol_name(running.operation) or ""
    if symbol.startswith("f1"):
        running.emit_error("is the second")
        running.signal_pass_failure()


def rename(running: Running) -> None:
    name = running.operation.attributes.get("sym_name")
    properties = running.operation.properties
    name = properties.get("sym_name", name)
    if name is not None and not name.data.endswith("x"):
        properties["sym_name"] = StringAttr(f"{name.data}x")


def erase_last(running: Running) -> None:
    children = running.context.children(running.operation)
    if isinstance(running.operation, ModuleOp) and len(children) > 1:
        last = children[-1]
        last.detach()
        last.erase()


def run_inside(running: Running) -> None:
    """Change the operations inside, then run a pipeline on each of some."""
    context = running.context
    for child in context.children(running.operation):
        name = context.name(child)
        if name in (FUNC, MODULE):
            child.attributes["seen"] = StringAttr("yes")
            pipeline = OpPassManager(name)
            pipeline.add_pass(step("inside", do=count))
            running.run_pipeline(pipeline, child)


STEPS = {
    "count": count,
    "leave-alone": leave_alone,
    "fail-on-second": fail_on_second,
    "rename": rename,
    "erase-last": erase_last,
    "run-inside": run_inside,
}

function = st.just("func.func @NAME() { func.return }")


def _module_of(children: list[str], *, has_symbol: bool) -> str:
    symbol = " @NAME" if has_symbol else ""
    inside = "\n".join(children)
    return f"builtin.module{symbol} {{\n{inside}\n}}"


def _around(inside: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    module = st.builds(
        _module_of, st.lists(inside, max_size=3), has_symbol=st.booleans()
    )
    # An isolated operation that is no part of a module, as its function has one text.
    in_function = module.map("func.func @NAME() {{ {} func.return }}".format)
    return st.one_of(module, module, in_function)


operations = st.recursive(function, _around, max_leaves=6)


@st.composite
def modules(draw: st.DrawFn) -> str:
    """Return a module in which each symbol has a name of its own."""
    first, *others = _module_of(
        draw(st.lists(operations, min_size=1, max_size=4)), has_symbol=False
    ).split("NAME")
    return first + "".join(f"f{number}{each}" for number, each in enumerate(others))


pipelines = st.recursive(
    st.sampled_from(sorted(STEPS)),
    lambda inside: st.tuples(
        st.sampled_from([FUNC, MODULE]), st.lists(inside, min_size=1, max_size=3)
    ),
    max_leaves=5,
)


def add(manager: OpPassManager, element: str | tuple[str, list[Any]]) -> None:
    if isinstance(element, str):
        manager.add_pass(step(element, do=STEPS[element]))
        return
    anchor, elements = element
    nested = manager.nest(anchor)
    for each in elements:
        add(nested, each)


class _Texts(PassInstrumentation):
    """Prints operations before and after each pass."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.before: list[str] = []
        self.after: dict[int, str] = {}
        self.running: list[int] = []

    def run_before_pass(self, pass_: Pass, operation: Operation) -> None:
        del pass_
        self.running.append(len(self.before))
        self.before.append(self.text(operation))

    def run_after_pass(self, pass_: Pass, operation: Operation) -> None:
        del pass_
        self.after[self.running.pop()] = self.text(operation)

    run_after_pass_failed = run_after_pass

    def text(self, operation: Operation) -> str:
        flags = PrintingFlags(local_scope=True)
        return self.context.print_in_any_state(operation, flags=flags)


def recorded(text: str, elements: list[Any], path: Path, *, threads: bool) -> _Texts:
    session = Session(text)
    for element in elements:
        add(session.manager, element)
    texts = _Texts(session.context)
    if threads:
        session.manager.runner = Threads(max_workers=3, policy=every_level)
    else:
        session.manager.add_instrumentation(texts)
    try:
        with record(session.manager, path):
            session.run()
    except PassFailure:
        pass
    return texts


def without_threads(data: dict[str, Any]) -> dict[str, Any]:
    """Return `data` without what tells of threads: settings, and stacks of errors."""
    for run in data["runs"]:
        del run["settings"], run["error"]
    return data


@pytest.mark.slow
@given(modules(), st.lists(pipelines, min_size=2, max_size=4))
def test_records_hold_what_is_printed_around_passes_also_with_threads(
    text: str, elements: list[Any]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        one, many = Path(folder, "one.db"), Path(folder, "many.db")
        texts = recorded(text, elements, one, threads=False)
        run = RunRecord(one)
        assert [run.ir(each.before_id or 0) for each in run.executions] == texts.before
        assert [run.ir(each.after_id or 0) for each in run.executions] == [
            texts.after[number] for number in range(len(texts.before))
        ]
        recorded(text, elements, many, threads=True)
        data = [report_data(path, with_times=False) for path in (one, many)]
        assert without_threads(data[0]) == without_threads(data[1])
