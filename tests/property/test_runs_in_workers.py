"""Any pipeline on any functions shows in workers what it shows in one thread."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passgen_runtime import Diagnostic, Pass, PassFailure, PassManager
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.passes.canonicalize import Canonicalizer
from passgen_runtime.passes.cse import CSE
from tests.tools.workers.passes_for_workers import (
    Count,
    Mischief,
    MischiefOptions,
    Work,
)
from tests.tools.workers.running import workers_of

PASSES: dict[str, Callable[[], Pass]] = {
    "work": Work,
    "count": Count,
    "cse": CSE,
    "canonicalize": Canonicalizer,
    "raise": lambda: Mischief(MischiefOptions(how="raise", to="f1")),
    "invalid": lambda: Mischief(MischiefOptions(how="invalid", to="f2")),
}

expressions = st.recursive(
    st.sampled_from(["%a", "%b"]),
    lambda inner: st.tuples(st.sampled_from(["addi", "muli", "xori"]), inner, inner),
    max_leaves=8,
)


def body_of(expression: object) -> str:
    lines: list[str] = []

    def visit(each: object) -> str:
        if not isinstance(each, tuple):
            return str(each)
        operation, *operands = each
        names = ", ".join(map(visit, operands))
        lines.append(f"  %v{len(lines)} = arith.{operation} {names} : i32")
        return f"%v{len(lines) - 1}"

    result = visit(expression)
    return "\n".join([*lines, f"  func.return {result} : i32"])


def shown(
    text: str, pipelines: list[list[str]], executor: Executor | None
) -> dict[str, object]:
    context = XDSLContext()
    diagnostics: list[Diagnostic | str] = []
    context.diagnostic_handler = diagnostics.append
    context.debug_handler = diagnostics.append
    module = context.parse(text, "input.mlir")
    manager = PassManager(context)
    for names in pipelines:
        nested = manager.nest("func.func")
        for name in names:
            nested.add_pass(PASSES[name]())
        manager.add_pass(CSE())
    failure = ""
    try:
        manager.run(module, workers_of(executor))
    except PassFailure as error:
        failure = str(error)
    return {
        "ir": context.print_in_any_state(module),
        "with locations": context.fingerprint(module),
        "statistics": manager.statistics_report(),
        "diagnostics": diagnostics,
        "failure": failure,
    }


@pytest.mark.slow
@settings(max_examples=25)
@given(
    st.lists(expressions, min_size=2, max_size=4),
    st.lists(
        st.lists(st.sampled_from(sorted(PASSES)), min_size=1, max_size=3),
        min_size=1,
        max_size=2,
    ),
)
def test_workers_show_what_one_thread_shows(
    functions: list[object], pipelines: list[list[str]]
) -> None:
    text = "\n".join(
        f"func.func @f{index}(%a: i32, %b: i32) -> i32 {{\n{body_of(each)}\n}}"
        for index, each in enumerate(functions)
    )
    with ThreadPoolExecutor(1) as pool:
        found = shown(text, pipelines, pool)
    assert found == shown(text, pipelines, None)
