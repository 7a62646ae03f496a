"""The cell magic `%%passgen` in IPython's shell."""

from __future__ import annotations

import re
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

PATTERNS = """\
name: InCell
summary: Local improvements
passes:
  TwiceInCell:
    summary: Replace multiplications by two
    description: The value is added to itself.
    anchor: func.func
    dependentDialects: [arith]
    patterns:
      - name: mulToAdd
        summary: A value times two is the value plus itself
        before: |
          %two = arith.constant 2 : i32
          %0 = arith.muli %x, %two : i32
        after: |
          %0 = arith.addi %x, %x : i32
"""
CODE = """\
name: InCell
summary: A pass with code
passes:
  CountInCell:
    summary: Count functions
    description: It counts the functions of a module.
    anchor: builtin.module
    statistics:
      - {name: numFunctions, displayName: num-functions, description: Of functions.}
pipelines:
  CountTwice:
    argument: count-twice-in-cell
    summary: Count functions twice
    description: For a test.
    anchor: builtin.module
    elements: [count-in-cell, count-in-cell]
"""
DERIVE = "derive one from CountInCellPassBase, and register it"
RUN = """\
from passgen_tools import run
result = run("{}", "func.func @f(%x: i32) -> i32 {{ %c = arith.constant 2 : i32\
 %0 = arith.muli %x, %c : i32 return %0 : i32 }}")
"""
CLASS = """\
class CountInCell(CountInCellPassBase):
    def run_on_operation(self) -> None:
        self.num_functions += len(list(self.operation.body.ops))

from passgen_runtime import register_pass
register_pass(CountInCell)
"""


class Notebook:
    """A shell with the magic."""

    def __init__(self) -> None:
        self._shell: Any = InteractiveShell()  # type: ignore[no-untyped-call]
        self._shell.run_line_magic("colors", "nocolor")
        self._shell.run_line_magic("load_ext", "passgen.notebooks")
        self.names: dict[str, Any] = self._shell.user_ns

    def fails(self, cell: str) -> bool:
        """Run a cell that may fail."""
        return not self._shell.run_cell(cell).success

    def run(self, cell: str) -> None:
        """Run a cell, which must not fail."""
        self._shell.run_cell(cell).raise_error()


@pytest.fixture
def notebook() -> Notebook:
    return Notebook()


def magic(spec: str) -> str:
    return f"%%passgen\n{spec}"


def test_a_pass_of_patterns_runs_in_the_next_cell(
    notebook: Notebook, capsys: pytest.CaptureFixture[str]
) -> None:
    notebook.run(magic(PATTERNS))
    assert capsys.readouterr().out == "twice-in-cell: registered\n"

    notebook.run(RUN.format("twice-in-cell"))
    assert "arith.addi %x, %x" in notebook.names["result"].ir


def test_a_cell_that_is_run_again_replaces_its_pass(notebook: Notebook) -> None:
    notebook.run(magic(PATTERNS))
    again = PATTERNS.replace("arith.addi %x, %x", "arith.subi %x, %x")
    notebook.run(magic(again))

    notebook.run(RUN.format("twice-in-cell"))
    assert "arith.subi %x, %x" in notebook.names["result"].ir


def test_a_pass_with_code_gets_its_class_in_the_next_cell(
    notebook: Notebook, capsys: pytest.CaptureFixture[str]
) -> None:
    notebook.run(magic(CODE))
    assert capsys.readouterr().out.splitlines() == [
        f"count-in-cell: needs a class: {DERIVE}",
        "count-twice-in-cell: registered",
    ]

    notebook.run(CLASS)
    notebook.run(RUN.format("count-twice-in-cell"))
    counts = notebook.names["result"].statistics.by_name()
    assert counts["CountInCell"] == {"num-functions": 2}


def test_only_names_of_the_spec_are_defined(notebook: Notebook) -> None:
    before = set(notebook.names)
    notebook.run(magic(PATTERNS))

    new = {name for name in set(notebook.names) - before if not name.startswith("_")}
    assert new == {
        "TwiceInCellOptions",
        "TwiceInCellPassBase",
        "createTwiceInCell",
        "registerTwiceInCell",
        "registerInCellPasses",
        "registerInCellPipelines",
    }


@pytest.mark.parametrize(
    ("cell", "lines"),
    [
        (
            magic(PATTERNS.replace("anchor:", "ancor:")),
            ["<cell>:7:5: error: .*'ancor'", " *ancor: func.func", " *\\^~*", "note: "],
        ),
        ("%%passgen name\nname: X", ["%%passgen: expected no argument, found 'name'"]),
    ],
)
def test_a_mistake_in_a_spec_shows_the_place_and_no_frame(
    notebook: Notebook,
    capsys: pytest.CaptureFixture[str],
    cell: str,
    lines: list[str],
) -> None:
    assert notebook.fails(cell)

    shown = capsys.readouterr().out.splitlines()
    assert [line for line in shown if "Traceback" in line or "File " in line] == []
    assert all(map(re.match, lines, shown))
