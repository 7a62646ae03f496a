"""Commands of RUN lines: which run in this process, and how their words are read."""

from __future__ import annotations

import pytest

from passgen_tools.testing.commands import Command, NeedsShell, parse_commands

PROGRAMS = ("opt", "filecheck")


def commands(text: str) -> list[list[Command]]:
    pipelines = parse_commands(text, PROGRAMS)
    assert not isinstance(pipelines, NeedsShell)
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
    ("text", "reason"),
    [
        ("sed s/a/b/ x", "'sed' is no program of `mlir_tools`"),
        ("opt | sed s/a/b/ | filecheck x", "'sed' is no program of `mlir_tools`"),
        ("opt a; opt b", "';' in 'a;'"),
        ("opt a || opt b", "'||'"),
        ("opt a &", "'&'"),
        ("opt $HOME", "'$' in '$HOME'"),
        ('opt "$HOME"', "'\"' in '\"$HOME\"'"),
        ("opt `pwd`", "'`' in '`pwd`'"),
        ("opt *.mlir", "'*' in '*.mlir'"),
        ("opt --remarks-filter=.* x", "'*' in '--remarks-filter=.*'"),
        ("opt <<EOF", "'<<' in '<<EOF'"),
        ("X=1 opt", "'X=1' is no program of `mlir_tools`"),
        ("not --crash opt", "'--crash' is no program of `mlir_tools`"),
        ("opt 'a", "''' in ''a'"),
        ("opt >", "'>'"),
        ("opt > | opt", "'>'"),
        ("opt |", "a command without a program"),
        ("", "a command without a program"),
        ("not", "a command without a program"),
    ],
)
def test_everything_else_is_left_to_a_shell(text: str, reason: str) -> None:
    assert parse_commands(text, PROGRAMS) == NeedsShell(reason)
