from __future__ import annotations

import io

import pytest

from passgen.diagnostics import Progress, colored


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
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
    assert colored(MESSAGE, Terminal()) == (
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

    assert colored(text, Terminal()) == "a.yaml: \x1b[1;31merror:\x1b[0m no such file"


@pytest.mark.parametrize("stream", [None, io.StringIO()])
def test_no_color_but_on_a_terminal(stream: io.StringIO | None) -> None:
    assert colored(MESSAGE, stream) == MESSAGE


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_no_color_where_it_is_not_wanted(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)

    assert colored(MESSAGE, Terminal()) == MESSAGE


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
