"""Markdown of authors, laid out anew."""

from __future__ import annotations

import pytest

from passgen.render.prose import fenced_ir, wrap

LONG = "an operation whose name is long"


@pytest.mark.parametrize(
    ("text", "result"),
    [
        (
            "the lines of a paragraph\nare filled",
            "the lines of a\nparagraph are filled",
        ),
        ("short lines\nstay", "short lines\nstay"),
        ("- items are aligned below", "- items are aligned\n  below"),
        ("> quotes keep their marks", "> quotes keep their\n> marks"),
        ("a code span: `int a = b`", "a code span:\n`int a = b`"),
        ("no item of a list - or 1. of it", "no item of a list -\nor 1. of it"),
        (
            "hard breaks stay here  \nas they are",
            "hard breaks stay\nhere  \nas they are",
        ),
    ],
)
def test_paragraphs_are_wrapped(text: str, result: str) -> None:
    assert wrap(text, 20) == result


@pytest.mark.parametrize(
    "text",
    [
        f"# {LONG}",
        f"```\n{LONG}\n```",
        f"    {LONG}",
        f"| {LONG} |\n|---|\n| {LONG} |",
        "%long_result = arith.addi %first, %second : i32",
        f"{LONG}\r\n",
        LONG.replace(" ", "_"),
    ],
)
def test_other_text_is_not_wrapped(text: str) -> None:
    assert wrap(text, 20) == text


IR = """\
hw.module @Adder(in %a : i32) {
  %0 = comb.add %a, %a : i32

  hw.output %0 : i32
}"""


@pytest.mark.parametrize(
    ("text", "result"),
    [
        (f"Before:\n{IR}\nAfter.", f"Before:\n```mlir\n{IR}\n```\nAfter."),
        (
            "- item\n  %0 = a.b %c : i1\n\n#map = affine_map<() -> ()>",
            (
                "- item\n  ```mlir\n  %0 = a.b %c : i1\n  ```\n\n"
                "```mlir\n#map = affine_map<() -> ()>\n```"
            ),
        ),
        (
            "func.func @f() {\n  ...\n\nIt has no end.",
            "```mlir\nfunc.func @f() {\n  ...\n```\n\nIt has no end.",
        ),
    ],
)
def test_ir_is_fenced(text: str, result: str) -> None:
    assert fenced_ir(text) == result


@pytest.mark.parametrize(
    "text",
    [
        f"```mlir\n{IR}\n```",
        "\n".join(f"    {line}" for line in IR.split("\n")),
        "tensor.empty ops return a tensor\nof unspecified contents.",
        "arith.addi of %a and %b is folded.",
        "A value is %0 = 1",
    ],
)
def test_other_text_is_not_fenced(text: str) -> None:
    assert fenced_ir(text) == text
