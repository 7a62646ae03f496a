"""Examples of passes on a site: what pages show, what runs, and what is stale."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from passgen.generation import read_groups
from passgen.model import PassGroup
from passgen.site import DEFAULT_DRIVER, first_example, site_pages
from passgen.site.example_check import check_examples
from passgen.site.html_change import html_change

SPEC = """\
summary: Passes.
passes:
  Cse:
    argument: cse
    summary: Compute once
    constructor: my.cse:Cse
    examples:
      - input: |
          %0 = arith.addi %a, %b : i32
          %1 = arith.addi %a, %b : i32
        output: "%0 = arith.addi %a, %b : i32"
      - {input: "<a>", check: "// CHECK: <b>", ir: mlir}
"""


@pytest.fixture
def group(tmp_path: Path) -> PassGroup:
    path = tmp_path / "mine.yaml"
    path.write_text(SPEC)
    [group] = read_groups([str(path)]).by_spec.values()
    return group


def cells(before: str, after: str) -> list[list[str]]:
    """Return the cells of the rows; changed lines have marks in front."""
    rows = html_change(before, after).splitlines()
    marks = {' class="passgen-removed"': "-", ' class="passgen-added"': "+", "": ""}
    return [
        [
            marks[kind] + re.sub("<[^>]*>", "", text)
            for kind, text in re.findall("<td([^>]*)>(.*?)</td>", row)
        ]
        for row in rows
    ]


def test_a_line_stands_beside_the_one_that_is_like_it() -> None:
    before = "a.one %x\na.two %x\na.three %x, %y\nb"
    after = "a.three %x, %x\nb\nc"

    assert cells(before, after) == [
        ["-a.one %x", ""],
        ["-a.two %x", ""],
        ["-a.three %x, %y", "+a.three %x, %x"],
        ["b", "b"],
        ["", "+c"],
    ]


def test_the_words_that_differ_are_marked() -> None:
    row = html_change("a.one %x, %y", "a.one %x, <z>")

    assert re.findall('passgen-word">(.*?)<', row) == ["%y", "&lt;", "z", "&gt;"]


def test_pages_show_examples_with_a_link_that_runs_them(group: PassGroup) -> None:
    pages = site_pages([group], "Passes", "", playground="playground")
    texts = {page.document: page.text for page in pages}
    page = texts["mine/cse"]

    assert '<table class="passgen-change">' in page
    assert 'after <code class="literal">cse</code>' in page
    assert "Checks of what" in page
    assert "&lt;b&gt;" in page
    [ir] = re.findall('data-ir="([^"]*)"', page)  # none on MLIR's IR
    assert ir.split()[:2] == ["%0", "="]
    [plain] = [
        page.text
        for page in site_pages([group], "Passes", "")
        if page.document == "mine/cse"
    ]
    assert "data-ir" not in plain


def test_a_playground_opens_with_the_first_example(group: PassGroup) -> None:
    assert first_example([group]) == {
        "ir": "%0 = arith.addi %a, %b : i32\n%1 = arith.addi %a, %b : i32\n",
        "pipeline": "builtin.module(cse)",
    }


STALE = """\
passes:
  Cse:
    argument: cse
    summary: Compute once
    examples: [{input: "func.func private @f()", output: "func.func private @g()"}]
"""


@pytest.mark.process
def test_a_stale_example_is_an_error(tmp_path: Path) -> None:
    spec = tmp_path / "stale.yaml"
    spec.write_text(STALE)

    found = check_examples([str(spec)], DEFAULT_DRIVER, [])

    assert found.warning == ""
    assert found.errors == f"""\
{spec}:5: error: the IR after the pass differs:
--- expected
+++ found
@@ -1,3 +1,3 @@
 builtin.module {{
-  func.func private @g() -> ()
+  func.func private @f() -> ()
 }}"""
    spec.write_text(STALE.replace("@g", "@f"))
    assert check_examples([str(spec)], DEFAULT_DRIVER, []) == ("", "")


@pytest.mark.process
def test_a_driver_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    spec = tmp_path / "stale.yaml"
    spec.write_text(STALE)

    found = check_examples([str(spec)], "mine.driver:main --flag", [])

    assert found.errors.startswith("--driver: found 'mine.driver:main', expected a ")


@pytest.mark.process
def test_examples_that_cannot_run_are_a_warning(tmp_path: Path) -> None:
    (tmp_path / "passgen_tools").mkdir()
    (tmp_path / "passgen_tools" / "__init__.py").touch()

    found = check_examples(["any.yaml"], DEFAULT_DRIVER, [tmp_path])

    assert found.errors == ""
    assert found.warning.startswith("the examples were not run: passgen_tools.testing ")
