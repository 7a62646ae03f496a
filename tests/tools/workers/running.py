"""All that a run shows, in this process or in workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor

import pytest

from passgen_runtime import OpPassManager, Pass, PassFailure
from passgen_tools.workers import Workers
from tests.recording import Session

NUM_FUNCTIONS = 12
CALLING = "\n".join(
    f"func.func @f{i}(%a: i32) -> i32 {{\n"
    f"  %b = func.call @f{(i + 1) % NUM_FUNCTIONS}(%a) : (i32) -> i32\n"
    f"  %c = func.call @f{(i + 1) % NUM_FUNCTIONS}(%a) : (i32) -> i32\n"
    "  %d = arith.addi %b, %c : i32\n"
    "  func.return %d : i32\n}"
    for i in range(NUM_FUNCTIONS)
)
TREE = "\n".join(
    f"module @m{i} {{ func.func @f{i}() {{ return }} func.func @g{i}() {{ return }} }}"
    for i in range(5)
)


def workers_of(executor: Executor | Callable[[], Executor] | None) -> Workers | None:
    """Return the runner that sends all to `executor`; `None` without one."""
    return None if executor is None else Workers(executor, sends_always=True)


def shown(  # noqa: PLR0913 - what a run depends on
    capsys: pytest.CaptureFixture[str],
    executor: Executor | Callable[[], Executor] | None,
    passes: Callable[[], Sequence[Pass]],
    *,
    text: str = CALLING,
    configure: Callable[[Session], object] = lambda _: None,
    verify_each: bool = True,
) -> dict[str, object]:
    """Return what a run of `passes` on each function shows."""
    session = Session(text)
    around: OpPassManager = session.manager
    around.verify_each = verify_each  # type: ignore[attr-defined]
    if text is TREE:
        around = around.nest("builtin.module")
    nested = around.nest("func.func")
    for pass_ in passes():
        nested.add_pass(pass_)
    configure(session)
    workers = workers_of(executor)
    failure = ended = ""
    try:
        session.manager.run(session.module, workers)
    except PassFailure as error:
        failure = str(error)
    except SystemExit as error:
        ended = f"{error.code} {error.__cause__}"
    except KeyboardInterrupt:
        ended = "interrupted"
    if workers is not None:
        assert "always" in "".join(workers.report)
    return {
        "ir": session.context.print_in_any_state(session.module),
        "locations": session.context.fingerprint(session.module),
        "statistics": session.manager.statistics_report(),
        "diagnostics": session.diagnostics,
        "printed": capsys.readouterr().err,
        "failure": failure,
        "ended": ended,
        "unmatched": session.manager.unmatched_pipelines(),
    }
