"""Editors ask at any place of any text, and get an answer."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from passgen.editor import Settings, Workspace

FOLDER = Path(__file__).parents[2] / "specs"
SPECS = [(FOLDER / name).read_text("utf-8") for name in ("affine.yaml", "test.yaml")]
TYPED = ["", "\n", "{", "[", "'", '"', "- ", ": ", "#", "&a ", "*a", "😀", "\t"]


@given(st.data())
def test_every_place_of_a_changed_spec_has_an_answer(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(SPECS))
    cut = data.draw(st.integers(0, len(text)))
    removed = data.draw(st.integers(0, 3))
    text = text[:cut] + data.draw(st.sampled_from(TYPED)) + text[cut + removed :]
    workspace = Workspace(FOLDER, Settings(specs=("*.none",)))
    path = str(FOLDER / "typed.yaml")
    workspace.put(path, text)
    lines = text.split("\n")
    line = data.draw(st.integers(0, len(lines) - 1))
    column = data.draw(st.integers(0, len(lines[line])))

    workspace.problems(path)
    workspace.completions(path, line, column)
    workspace.name_at(path, line, column)
    workspace.definition(path, line, column)
