"""Diagnostics: location, source line, caret and notes, and their color on a terminal."""

from __future__ import annotations

import io

import pytest

from passgen.diagnostics import Diagnostic, Note, Progress, SpecError, colorize
from passgen.source import Location, SourceFile


def rendered(text: str, line: int, column: int, length: int = 1) -> str:
    place = Location(SourceFile("a.yaml", text), line, column, length)
    return Diagnostic("wrong", place).render()


def test_place_line_caret_and_notes() -> None:
    source = SourceFile("specs/a.yaml", "one: 1\ntwo: 22\n")
    diagnostic = Diagnostic(
        "wrong",
        Location(source, 2, 6, 2),
        (Note("first defined here", Location(source, 1, 1, 3)), Note("mend it")),
    )

    assert diagnostic.render() == """\
specs/a.yaml:2:6: error: wrong
two: 22
     ^~
specs/a.yaml:1:1: note: first defined here
one: 1
^~~
note: mend it"""


def test_without_a_place() -> None:
    assert Diagnostic("no such file", None).render() == "error: no such file"


def test_warning() -> None:
    place = Location(SourceFile("a.yaml", "x"), 1, 1)

    assert Diagnostic("odd", place, severity="warning").render() == (
        "a.yaml:1:1: warning: odd\nx\n^"
    )


@pytest.mark.parametrize(
    ("text", "column", "length", "excerpt"),
    [
        ("a: b\r\n", 4, 1, "a: b\n   ^"),
        ("\ta: b", 5, 1, "\ta: b\n\t   ^"),
        ("a: b", 4, 99, "a: b\n   ^"),
        ("a: b", 5, 1, "a: b\n    ^"),
        ("\u5b57: \u5b57x", 4, 2, "\u5b57: \u5b57x\n    ^~~"),
        ("e\u0301: x", 5, 1, "e\u0301: x\n   ^"),
        ("a: \x1b[31m", 4, 3, "a: ?[31m\n   ^~~"),
        ("x" * 160, 160, 1, "x" * 160 + "\n" + " " * 159 + "^"),
        ("x" * 161, 1, 2, "x" * 160 + "...\n^~"),
        ("x" * 300, 102, 1, "..." + "x" * 160 + "...\n" + " " * 103 + "^"),
        ("x" * 300, 300, 9, "..." + "x" * 101 + "\n" + " " * 103 + "^"),
    ],
)
def test_excerpt(text: str, column: int, length: int, excerpt: str) -> None:
    assert rendered(text, 1, column, length) == (
        f"a.yaml:1:{column}: error: wrong\n{excerpt}"
    )


@pytest.mark.parametrize("line", [2, 3, 99])
def test_nothing_is_drawn_of_a_line_that_shows_nothing(line: int) -> None:
    assert rendered("a\n  \n", line, 1) == f"a.yaml:{line}:1: error: wrong"


def test_findings_are_sorted_by_place_those_without_first() -> None:
    source = SourceFile("a.yaml", "a\nb b\n")
    places = [Location(source, 2, 3), Location(source, 2, 1), None]
    error = SpecError(Diagnostic(str(place), place) for place in places)

    assert [each.message for each in error.diagnostics] == [
        "None",
        "a.yaml:2:1",
        "a.yaml:2:3",
    ]
    assert str(error) == "\n".join(each.render() for each in error.diagnostics)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _color_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")


MESSAGE = (
    "a.yaml:2:3: error: duplicate key 'error'\n"
    "  error: error: note: x\n"
    "  ^~~~~\n"
    "a.yaml:1:1: note: first defined here\n"
    "summary: error: x\n"
    "^\n"
    "note: keys are name, summary"
)


def test_color_marks_the_kinds_and_not_the_source() -> None:
    assert colorize(MESSAGE, Terminal()) == (
        "a.yaml:2:3: \x1b[1;31merror:\x1b[0m duplicate key 'error'\n"
        "  error: error: note: x\n"
        "  ^~~~~\n"
        "a.yaml:1:1: \x1b[1;36mnote:\x1b[0m first defined here\n"
        "summary: error: x\n"
        "^\n"
        "\x1b[1;36mnote:\x1b[0m keys are name, summary"
    )


def test_color_of_a_message_about_a_file() -> None:
    text = "a.yaml: error: no such file"

    assert colorize(text, Terminal()) == "a.yaml: \x1b[1;31merror:\x1b[0m no such file"


@pytest.mark.parametrize("stream", [None, io.StringIO()])
def test_no_color_but_on_a_terminal(stream: io.StringIO | None) -> None:
    assert colorize(MESSAGE, stream) == MESSAGE


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_no_color_where_it_is_not_wanted(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)

    assert colorize(MESSAGE, Terminal()) == MESSAGE


def test_progress_of_long_work() -> None:
    stream = Terminal()
    progress = Progress(stream, total=3)
    progress.start_s -= 60

    progress.step("a.yaml")
    progress.step("b.yaml")
    progress.clear()
    progress.clear()

    assert stream.getvalue() == "\r\x1b[K[1/3] a.yaml\r\x1b[K[2/3] b.yaml\r\x1b[K"


@pytest.mark.parametrize(
    ("stream", "age_s"), [(Terminal(), 0), (io.StringIO(), 60)], ids=["short", "file"]
)
def test_no_progress(stream: io.StringIO, age_s: float) -> None:
    progress = Progress(stream, total=1)
    progress.start_s -= age_s

    progress.step("a.yaml")
    progress.clear()

    assert stream.getvalue() == ""
