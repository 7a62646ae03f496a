"""Remarks in YAML: the bytes are those of LLVM 22 for the same remark."""

from __future__ import annotations

import random

import pytest
import yaml

from passgen_runtime.remarks import Remark, remark_yaml


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("plain", "plain"),
        ("", "''"),
        (" lead", "' lead'"),
        ("trail ", "'trail '"),
        ("4", "'4'"),
        ("-4.5", "'-4.5'"),
        ("+3", "'+3'"),
        (".5", "'.5'"),
        ("1.", "'1.'"),
        ("1e5", "'1e5'"),
        ("1e", "1e"),
        ("0x1F", "'0x1F'"),
        ("0o17", "'0o17'"),
        (".inf", "'.inf'"),
        ("1_000", "1_000"),
        ("3 x", "3 x"),
        ("true", "'true'"),
        ("TRUE", "'TRUE'"),
        ("yes", "yes"),
        ("null", "'null'"),
        ("~", "'~'"),
        ("-", "'-'"),
        ("-dash", "'-dash'"),
        ("a,b", "a,b"),
        ("a^b", "a^b"),
        ("a: b", "'a: b'"),
        ("it's", "'it''s'"),
        ('say "x"', "'say \"x\"'"),
        ("a\\b", "'a\\b'"),
        ("a/b", "'a/b'"),
        ("{b}", "'{b}'"),
        ("tab\there", "tab\there"),
        ("new\nline", '"new\\nline"'),
        ("two\nnew\nlines", " |\n      two\n      new\n      lines"),
        ("caf\u00e9", '"caf\u00e9"'),
        ("\x01", '"\\x01"'),
        ("a\x1b\x07\0", '"a\\e\\a\\0"'),
        ("\x85\xa0\xad\u2028", '"\\N\\_\xad\\L"'),
        ("\u202e\U0010ffff", '"\\u202E\\U0010FFFF"'),
    ],
)
def test_a_text_is_quoted_as_llvm_quotes_it(text: str, written: str) -> None:
    said = Remark("missed", "cat", "name", "", "a.py:3:5", fields={"Text": text})
    document = remark_yaml(said)
    assert f"\n  - Text:            {written}\n..." in document


@pytest.mark.parametrize(
    "text",
    [
        *("a\n\x07\nb", "a\x85\nb\nc", "a\r\nb\r\nc", "\x7f"),
        *("  a\nb\nc", "\n a\nb\nc", "\ufffe\nb\nc", "a\n\uffff\nc"),
    ],
)
def test_characters_that_no_reader_takes_as_they_are_are_escaped(text: str) -> None:
    said = Remark("missed", "cat", "name", "", "", fields={"Text": text})
    (value,) = yaml.safe_load(remark_yaml(said).replace("!Missed", ""))["Args"]
    assert value == {"Text": text}


PARTS = [
    *" \t\n#:-'\"{}|>%@`\\",
    "a",
    "\x00",
    "\x85",
    "\xad",
    "\u2028",
    "\ufeff",
    "\ufffe",
]


def test_each_text_is_read_as_it_was_written() -> None:
    chosen = random.Random(0)  # noqa: S311 - the same texts in each run
    for _ in range(3000):
        text = "".join(chosen.choices(PARTS, k=chosen.randint(0, 12)))
        said = Remark("missed", "cat", text, "", "a.py:3:5", fields={"Text": text})
        read = yaml.load(
            remark_yaml(said).replace("!Missed", ""), Loader=yaml.CSafeLoader
        )
        assert read["Name"] == text
        # A block, as LLVM writes it, ends with one line end, or in the text with none.
        (found,) = read["Args"]
        assert found["Text"].rstrip("\n") == text.rstrip("\n")


def test_half_of_a_character_is_replaced() -> None:
    said = Remark("missed", "cat", "name", "\ud800", "")
    assert "\ufffd" in remark_yaml(said).encode().decode()


def test_a_remark_is_a_document() -> None:
    said = Remark(
        "failed",
        "tile",
        "tooLarge",
        "no tile fits",
        "a.py:3:5",
        "matmul",
        {"size": 512, "ratio": 0.5, "fits": False, "sizes": [2, 4]},
        "Take smaller tiles.",
    )
    assert remark_yaml(said) == (
        "--- !Failure\n"
        "Pass:            tile\n"
        "Name:            tooLarge\n"
        "DebugLoc:        { File: a.py, Line: 3, Column: 5 }\n"
        "Function:        matmul\n"
        "Args:\n"
        "  - Remark:          no tile fits\n"
        "  - size:            '512'\n"
        "  - ratio:           '5.000000e-01'\n"
        "  - fits:            'false'\n"
        "  - sizes:           2, 4\n"
        "  - Suggestion:      Take smaller tiles.\n"
        "...\n"
    )


def test_what_is_not_known_has_the_names_of_llvm() -> None:
    said = Remark("analysis", "cat", "name", "", "loc(unknown)")
    assert remark_yaml(said) == (
        "--- !Analysis\n"
        "Pass:            cat\n"
        "Name:            name\n"
        "DebugLoc:        { File: '<unknown file>', Line: 0, Column: 0 }\n"
        "Function:        '<unknown function>'\n"
        "...\n"
    )


@pytest.mark.parametrize(
    ("file", "lines"),
    [
        ("p" * 33, ["{ File: PATH, Line: 10, Column: 5 }"]),
        ("p" * 34, ["{ File: PATH, Line: 10, ", "  Column: 5 }"]),
        ("p" * 60, ["{ File: PATH, ", "  Line: 10, Column: 5 }"]),
    ],
)
def test_a_long_location_takes_two_lines(file: str, lines: list[str]) -> None:
    document = remark_yaml(Remark("missed", "cat", "name", "", f"{file}:10:5"))
    wanted = f"\n{' ' * 17}".join(lines).replace("PATH", file)
    assert f"DebugLoc:        {wanted}\n" in document
