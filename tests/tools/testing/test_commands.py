"""Commands of RUN lines: which run in this process, and how their words are read."""

from __future__ import annotations

import pytest

from passgen_tools.testing.commands import Command, parse_commands

PROGRAMS = ("opt", "filecheck")


def commands(text: str) -> list[list[Command]]:
    pipelines = parse_commands(text, PROGRAMS)
    assert pipelines is not None
    return [list(pipeline) for pipeline in pipelines]


def test_pipes_and_sequences() -> None:
    words = [
        [tuple(command.words) for command in pipeline]
        for pipeline in commands("opt a | opt | filecheck b && opt c&&opt d")
    ]

    assert words == [
        [("opt", "a"), ("opt",), ("filecheck", "b")],
        [("opt", "c")],
        [("opt", "d")],
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("opt 'a | b' \"c && d\"", ("opt", "a | b", "c && d")),
        ("opt -p='any(x{y=1})' -q=", ("opt", "-p=any(x{y=1})", "-q=")),
        (r'opt "a\"b" c\ d ' + r"'e\f'", ("opt", 'a"b', "c d", r"e\f")),
        ("opt -p=any(x{y}) # z", ("opt", "-p=any(x{y})", "#", "z")),
        ("opt '' a''b", ("opt", "", "ab")),
        ("opt '$x' '`' '*'", ("opt", "$x", "`", "*")),
    ],
)
def test_words_are_those_of_the_shell(text: str, words: tuple[str, ...]) -> None:
    assert commands(text)[0][0].words == [*words]


def test_not_wants_failure() -> None:
    assert [
        commands(text)[0][0].must_fail for text in ("opt", "not opt", "not not opt")
    ] == [
        False,
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("text", "redirections"),
    [
        ("opt 2>&1", [("2", ">&", "1")]),
        ("opt >a 2> b", [("1", ">", "a"), ("2", ">", "b")]),
        ("opt 2>&1 >>a", [("2", ">&", "1"), ("1", ">>", "a")]),
        ("opt &> 'a b'", [("12", ">", "a b")]),
        ("opt < a 0<b", [("0", "<", "a"), ("0", "<", "b")]),
        ("opt 2>&1>a >&2", [("2", ">&", "1"), ("1", ">", "a"), ("1", ">&", "2")]),
    ],
)
def test_redirections(text: str, redirections: list[tuple[str, str, str]]) -> None:
    command = commands(text)[0][0]

    assert command.words == ["opt"]
    assert command.redirections == redirections


@pytest.mark.parametrize(
    "text",
    [
        "sed s/a/b/ x",
        "opt | sed s/a/b/ | filecheck x",
        "opt a; opt b",
        "opt a || opt b",
        "opt a &",
        "opt $HOME",
        'opt "$HOME"',
        "opt `pwd`",
        "opt *.mlir",
        "opt <<EOF",
        "X=1 opt",
        "not --crash opt",
        "opt 'a",
        "opt >",
        "opt > | opt",
        "opt |",
        "",
        "not",
    ],
)
def test_everything_else_is_left_to_a_shell(text: str) -> None:
    assert parse_commands(text, PROGRAMS) is None
