"""The progress line: only in long runs, never in the way, gone at the end."""

from __future__ import annotations

import io
import time

import pytest

from passgen_tools.opt import progress
from passgen_tools.opt.progress import ProgressLine
from tests.recording import Running, Session

CLEAR = "\r\x1b[K"


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Show the line at once, and renew it often."""
    monkeypatch.setattr(progress, "_PATIENCE_S", 0.0)
    monkeypatch.setattr(progress, "_INTERVAL_S", 0.01)


def lines_of(session: Session) -> str:
    stream = io.StringIO()
    line = ProgressLine(stream, session.context)
    session.manager.add_instrumentation(line)
    with line as around:
        session.run()
        around.write("said meanwhile\n")
    return stream.getvalue()


def test_short_run_has_no_line() -> None:
    session = Session("func.func @main() { return }")
    session.manager.nest("func.func").add_pass(session.step("Step"))

    assert lines_of(session) == "said meanwhile\n"


@pytest.mark.usefixtures("impatient")
def test_long_pass_is_shown_and_gets_out_of_the_way() -> None:
    session = Session("func.func @main() { return }")

    def take_long(_: Running) -> None:
        time.sleep(0.2)

    functions = session.manager.nest("func.func")
    for name in ("First", "Second", "Third"):
        functions.add_pass(session.step(name, take_long))
    text = lines_of(session)

    for name, num_done in (
        ("First", "0 passes"),
        ("Second", "1 pass"),
        ("Third", "2 passes"),
    ):
        assert f" {name} on 'func.func' operation: @main ({num_done} done)" in text
    assert f"{CLEAR}0 s  First on 'func.func' operation: @main (0 passes done)" in text
    before, said, after = text.partition("said meanwhile\n")
    assert before.endswith(CLEAR)
    assert said
    assert after == "" or after.endswith(CLEAR)


@pytest.mark.usefixtures("impatient")
def test_unfinished_line_of_other_output_is_not_overwritten() -> None:
    session = Session("func.func @main() { return }")
    stream = io.StringIO()
    line = ProgressLine(stream, session.context)

    with line as around:
        around.write("half a line")
        time.sleep(0.2)
        held_back = stream.getvalue()
        around.write(", whole\n")
        time.sleep(0.2)

    assert held_back.endswith("half a line")
    assert "half a line, whole\n" in stream.getvalue()
    assert stream.getvalue().endswith(CLEAR)
