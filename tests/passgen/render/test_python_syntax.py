from __future__ import annotations

import ast

import pytest

from passgen.render.python import (
    docstring,
    docstring_literal,
    py_comment,
    py_docstring_part,
    py_literal,
    py_name,
    py_text,
    py_tuple,
)


@pytest.mark.parametrize(
    ("value", "literal"),
    [
        (True, "True"),
        (-128, "-128"),
        (1.0, "1.0"),
        (1e300, "1e+300"),
        (1e-05, "1e-05"),
        (float("inf"), 'float("inf")'),
        (float("nan"), 'float("nan")'),
        ("", '""'),
        ("plain", '"plain"'),
        ("it's", '"it\'s"'),
        ('say "x"', "'say \"x\"'"),
        ("'\"", '"\'\\""'),
        ("a\\b", '"a\\\\b"'),
        ("a\nb\r\n\t", '"a\\nb\\r\\n\\t"'),
        ("\0\x85\u202e\U000e0001", '"\\x00\\x85\\u202e\\U000e0001"'),
        ("\ud800", '"\\ud800"'),
        ("é 宽 😀", '"é 宽 😀"'),
    ],
)
def test_literal(
    value: bool | float | str,  # noqa: FBT001 - a value, not a flag
    literal: str,
) -> None:
    assert py_literal(value) == literal


@pytest.mark.parametrize(
    ("values", "literal"),
    [((), "()"), (("a",), '("a",)'), (("a", 'b"'), '("a", \'b"\')')],
)
def test_tuple(values: tuple[str, ...], literal: str) -> None:
    assert py_tuple(values) == literal


@pytest.mark.parametrize("name", ["a", "A1", "my.types", "统计"])
def test_name(name: str) -> None:
    assert py_name(name) == name


@pytest.mark.parametrize("name", ["", "1a", "a b", "a.", "class", "my.lambda", "a-b"])
def test_error_name(name: str) -> None:
    with pytest.raises(ValueError, match="cannot be a name in Python"):
        py_name(name)


def test_comment_stays_on_its_line() -> None:
    assert py_comment("a\nb\r\u2028\u202e é") == "a\\nb\\r\\u2028\\u202e é"


def test_part_of_a_docstring() -> None:
    assert py_docstring_part('a"""b\\\n') == 'a\\"\\"\\"b\\\\\\n'


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        ("One line.", '"""One line."""'),
        ("Two\nlines", '"""Two\n    lines\n    """'),
        ("Two\n\nparts\n", '"""Two\n\n    parts\n    """'),
        ("a  \n   \nb", '"""a\\x20\\x20\n    \\x20\\x20\\x20\n    b\n    """'),
        (" a", '"""\\x20a"""'),
        ('"a"', '"""\\"a\\x22"""'),
        ("a\n    b\n      c", '"""a\n    \\x20   b\n          c\n    """'),
        ("a\n    b\nc", '"""a\n        b\n    c\n    """'),
        ("a\n\n", '"""a\\n\\n"""'),
        (r"\d+", r'r"""\d+"""'),
        ("\\d\nx", 'r"""\\d\n    x\n    """'),
        ("\\d\n x", '"""\\\\d\n    \\x20x\n    """'),
        ("ends\\", '"""ends\\\\"""'),
        ('x"""y', '"""x\\"\\"\\"y"""'),
        ("a\r\nb\tc", '"""a\\r\n    b\\tc\n    """'),
    ],
)
def test_docstring(text: str, literal: str) -> None:
    assert docstring_literal(text, 1) == literal


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        ("short", '"short"'),
        ("x" * 63, f'"{"x" * 63}"'),
        ("x" * 64, f'("{"x" * 64}")'),
        ("one\ntwo", r'"one\ntwo"'),
        ("word " * 16, f'("{"word " * 14}" "word word ")'),
        (f"one\n{'x' * 80}\n", rf'("one\n" "{"x" * 80}\n")'),
    ],
)
def test_a_long_text_is_in_parts(text: str, literal: str) -> None:
    assert py_text(text, 2, "description = ") == literal
    assert ast.literal_eval(literal) == text


@pytest.mark.parametrize(
    ("summary", "description", "text"),
    [
        ("Unroll loops", "", "Unroll loops."),
        ("Unroll loops?", "", "Unroll loops?"),
        ("Unroll loops.", "All.\n\nOf them.", "Unroll loops.\n\nAll.\n\nOf them."),
        ("", "All.", "All."),
        ("", "", ""),
    ],
)
def test_a_docstring_has_summary_and_description(
    summary: str, description: str, text: str
) -> None:
    assert docstring(summary, description) == text


@pytest.mark.parametrize("length", range(70, 95))
@pytest.mark.parametrize("description", ["", "Tiles."])
def test_a_long_summary_of_a_docstring_is_wrapped(
    length: int, description: str
) -> None:
    summary = ("Tile `all loops` " * 10)[:length].replace(" ", "_", 1).strip()

    text = docstring_literal(docstring(summary, description), 1)

    assert max(len(f"    {line.lstrip()}") for line in text.split("\n")) <= 88
    assert " ".join(text.strip('"').split()) == f"{summary}. {description}".strip()


@pytest.mark.parametrize("length", range(70, 90))
def test_a_docstring_without_summary_has_room_for_its_quotes(length: int) -> None:
    text = docstring_literal(docstring("", ("word " * 40)[:length].strip()), 1)

    assert max(len(f"    {text}".split("\n")[0]), *map(len, text.split("\n"))) <= 88
