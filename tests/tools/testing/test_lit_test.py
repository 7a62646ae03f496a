"""Test files in the form of `lit`: what is read from them, and when they run."""

from __future__ import annotations

from pathlib import Path

import pytest

from passgen_tools.testing.features import holds
from passgen_tools.testing.lit_test import (
    LitTest,
    RunLine,
    expand,
    path_substitutions,
    read_test,
)


def read(folder: Path, text: str) -> LitTest:
    path = folder / "case.mlir"
    path.write_text(text, encoding="utf-8")
    return read_test(path)


def expanded(test: LitTest) -> list[str]:
    values = path_substitutions(test.path, Path("/new"))
    return [expand(run, values) for run in test.runs]


def test_run_lines_are_continued_and_keep_their_place(tmp_path: Path) -> None:
    test = read(tmp_path, "func\n// RUN: a \\\n// RUN:   b\n  // RUN: c\n")

    assert [(run.line, run.command) for run in test.runs] == [(2, "a b"), (4, "c")]


def test_nothing_is_read_after_the_end(tmp_path: Path) -> None:
    test = read(tmp_path, "// RUN: a\n// END.\n// RUN: b\n// XFAIL: *\n")

    assert [run.command for run in test.runs] == ["a"]
    assert test.expected_failures == []


def test_other_prefixes_are_no_run_lines(tmp_path: Path) -> None:
    test = read(tmp_path, "// RUN: a\n// NO-RUN: b\n// XRUN: c\n")

    assert len(test.runs) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("func\n", ":1: error: found no RUN line, expected a command such as"),
        (
            "// RUN: a \\\n",
            ":1: error: a RUN line ends with '\\', and no RUN line continues it",
        ),
        (
            "// RUN: a\n// RUN: b \\\n// XFAIL: *\n// RUN: c\n",
            ":2: error: a RUN line ends with '\\', and no RUN line continues it",
        ),
        (
            "// RUN: a\n// REQUIRES: b &&\n",
            (
                ":2: error: REQUIRES: found 'b &&', expected names of features and "
                "'&&', '||', '!', '()'"
            ),
        ),
        (
            "// DEFINE: x = y\n// RUN: a\n",
            ":1: error: DEFINE: found 'x = y', expected '%{name} = value'",
        ),
        (
            "// RUN: a\n// REDEFINE: %{x} = y\n",
            ":2: error: REDEFINE: %{x} is not defined yet",
        ),
        (
            "// RUN: a\n// DEFINE: %{x} = y\n// DEFINE: %{x} = z\n",
            ":3: error: DEFINE: %{x} is defined already",
        ),
    ],
)
def test_error_malformed_test(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=":") as error:
        read(tmp_path, text)

    assert str(error.value).startswith(f"{tmp_path / 'case.mlir'}{message}")


def test_names_of_lit_are_substituted(tmp_path: Path) -> None:
    test = read(tmp_path, "// RUN: %s|%S|%p|%t.x|%T|%/s|%basename_t|%{t:stem}|100%%\n")

    source = f"{tmp_path}/case.mlir"
    assert expanded(test) == [
        (
            f"{source}|{tmp_path}|{tmp_path}|/new/case.mlir.tmp.x|/new|{source}|case|"
            "case.mlir|100%"
        )
    ]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("%:s", "'a@b/c&d.mlir'"),
        ("%:S", "a@b"),
        ("%:t", "'new/c&d.mlir.tmp'"),
        ("%{fs-src-root}", "/"),
        ("%{fs-tmp-root}", "/"),
        ("%{fs-sep}", "/"),
        ("%{/S:real}", "/a@b"),
        ("%{/s:regex_replacement}", r"/a\@b/c\&d.mlir"),
        ("%/et", "/new/c&d.mlir.tmp"),
        ("%{readfile:%T/x}", "%{readfile:/new/x}"),
        ("%%{nix}", "%{nix}"),
        ("%{1}", "%{1}"),
    ],
)
def test_names_of_lit_23_are_substituted(name: str, value: str) -> None:
    path = Path("/a@b/c&d.mlir")
    values = path_substitutions(path, Path("/new"))

    assert expand(RunLine(path, 1, f"x {name}"), values) == f"x {value}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "// RUN: %{s:steam}\n",
            (
                "found '%{s:steam}', which is no substitution\n"
                "Did you mean '%{s:stem}'?\n"
                "note: '%%{s:steam}' is the text itself"
            ),
        ),
        (
            "// RUN: %{s}\n",
            (
                "found '%{s}', which is no substitution\n"
                "Did you mean '%s'?\n"
                "note: '%%{s}' is the text itself"
            ),
        ),
        (
            "// DEFINE: %{flags} = %{flogs}\n// RUN: %{flags}\n",
            (
                "found '%{flogs}', which is no substitution\n"
                "Did you mean '%{flags}'?\n"
                "note: '%%{flogs}' is the text itself"
            ),
        ),
        (
            "// DEFINE: %{a} = %{a} b\n// RUN: %{a}\n",
            "the value of '%{a}' has '%{a}' itself",
        ),
    ],
)
def test_error_unknown_name(text: str, message: str, tmp_path: Path) -> None:
    test = read(tmp_path, text)

    with pytest.raises(ValueError, match="'%") as error:
        expanded(test)

    assert str(error.value) == message


def test_paths_are_quoted_where_the_shell_asks_for_it(tmp_path: Path) -> None:
    folder = tmp_path / "with space"
    folder.mkdir()
    test = read(folder, "// RUN: cat %s\n")

    assert expanded(test) == [f"cat '{folder}/case.mlir'"]


def test_line_numbers_are_relative_to_the_run_line(tmp_path: Path) -> None:
    test = read(tmp_path, "\n// RUN: %(line) %(line+3) %(line - 1)\n")

    assert expanded(test) == ["2 5 1"]


def test_definitions_hold_for_later_run_lines_and_name_each_other(
    tmp_path: Path,
) -> None:
    test = read(
        tmp_path,
        "// DEFINE: %{run} = opt %{flags}\n"
        "// DEFINE: %{flags} = --a\n"
        "// RUN: %{run} %s\n"
        "// REDEFINE: %{flags} = --b\n"
        "// RUN: %{run}\n",
    )

    assert expanded(test) == [f"opt --a {tmp_path}/case.mlir", "opt --b"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("%if a %{x%} y", "x y"),
        ("%if b %{x%} y", "y"),
        ("%if a && b %{x%} %else %{y%}", "y"),
        ("%if !b%{x%}%else%{y%}", "x"),
        ("%if b %{x%} %else %{ %if a %{%basename_t%} %} z", "case z"),
        ("%if a %{ %if b %{x%} %else %{%{s:stem}%} %} %else %{z%}", "case"),
        ("%%if a", "%if a"),
    ],
)
def test_features_select_text(text: str, wanted: str, tmp_path: Path) -> None:
    test = read(tmp_path, f"// RUN: : {text}\n")

    values = path_substitutions(test.path, Path("/new"))
    assert " ".join(expand(test.runs[0], values, {"a"}).split()) == f": {wanted}"


@pytest.mark.parametrize(
    "text", ["%if a", "%if a {x}", "%if a %{x", "%if a %{x%} %else"]
)
def test_error_malformed_choice(text: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=":2: error: RUN: found '%if', expected '%if "):
        read(tmp_path, f"\n// RUN: {text}\n")


def test_words_are_substituted_once_and_whole(tmp_path: Path) -> None:
    test = read(tmp_path, "// RUN: opt opt-2 x/opt --opt RUN.x %s\n")

    values = {"opt": r"opt --\1 RUN", "RUN": "%t", "%t": "new", "%s": "a/opt"}
    assert expand(test.runs[0], values) == r"opt --\1 new opt-2 x/opt --opt RUN.x a/opt"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a", True),
        ("b", False),
        ("!b", True),
        ("a && b", False),
        ("a || b", True),
        ("!(a && b) && a", True),
        ("b || b || a", True),
        ("b && a || a", True),
        ("system-{{l.*x}}", True),
        ("{{a|b}}", True),
        ("*", True),
        ("true && !false", True),
    ],
)
def test_conditions_are_boolean_expressions(text: str, *, wanted: bool) -> None:
    assert holds(text, {"a", "system-linux"}) is wanted


@pytest.mark.parametrize(
    "text", ["", "a b", "(a", "a)", "&& a", "!", "a ? b", "a # b", "()", "a (b)"]
)
def test_error_malformed_condition(text: str) -> None:
    with pytest.raises(ValueError, match=r"found .*"):
        holds(text, ())
