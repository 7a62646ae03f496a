"""Breadcrumbs: the passes that run, in memory that outlives the process."""

from __future__ import annotations

from passgen_tools.processes import (
    Breadcrumbs,
    NoteMemory,
    RunningPass,
    running_passes,
)
from tests.recording import Session


def test_passes_that_run_are_noted_with_their_operation() -> None:
    memory = NoteMemory()
    session = Session("func.func @f() { return }")
    seen: list[list[RunningPass]] = []
    work = session.step(
        "Inner", lambda _: seen.append(running_passes(memory.read())), argument="inner"
    )
    session.manager.nest("func.func").add_pass(work)
    context = session.manager.context
    session.manager.add_instrumentation(Breadcrumbs(memory.write, context))

    session.run()

    ((running,),) = seen
    assert (running.argument, running.name) == ("inner", "Inner")
    assert running.subject == "'func.func' operation: @f"
    assert running.operation.startswith("'func.func' operation: @f at ")
    assert running_passes(memory.read()) == []


def test_a_note_that_is_cut_names_the_passes_that_began_last() -> None:
    memory = NoteMemory()
    lines = [f'["{number}{"x" * 1000}", "Name"]' for number in reversed(range(100))]

    memory.write("\n".join(lines))

    found = running_passes(memory.read())
    assert 10 < len(found) < 100
    assert found[-1].argument.startswith("99")


def test_notes_survive_texts_of_any_kind() -> None:
    memory = NoteMemory()
    for text in ("a\0b\x1f", "\udc80", "\n\n", "long" * 100_000):
        memory.write(text)

        assert running_passes(memory.read()) == []
    memory.erase()
    assert memory.read() == ""
