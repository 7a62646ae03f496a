"""What `passgen-report` says as a process, whatever its files and streams are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools.report.recorded_runs import HOSTILE, data_in, recorded

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(sys.platform != "linux", reason="streams are Linux's"),
]

PROGRAM = ["passgen-report"]


@pytest.fixture(autouse=True)
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return recorded(Path("run.db"))


def run(
    *arguments: str | bytes, line: str = '"$@"', **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """Run the program in a line of a shell, which `"$@"` calls."""
    return subprocess.run(
        ["/bin/sh", "-c", line, "sh", *PROGRAM, *arguments],
        capture_output=True,
        check=False,
        env={**os.environ, **environment},
        timeout=60,
    )


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-16"])
def test_a_page_is_utf_8_whatever_standard_output_is(encoding: str) -> None:
    done = run("run.db", "-o-", "--title", HOSTILE, PYTHONIOENCODING=encoding)

    assert (done.returncode, done.stderr) == (0, b"")
    assert len(data_in(done.stdout.decode())["passes"]) == 4


@pytest.mark.parametrize("name", [b"run\xff.db", b"r%41 #?.db"])
def test_a_record_may_have_any_name(name: bytes) -> None:
    Path("run.db").rename(os.fsdecode(name))
    done = run(name, "-o", "run.html")

    assert (done.returncode, done.stderr) == (0, b"")
    text = Path("run.html").read_text(encoding="utf-8")
    assert len(data_in(text)["passes"]) == 4


@pytest.mark.parametrize(
    ("arguments", "line", "message"),
    [
        ("run.db -o-", '"$@" >&-', "cannot write standard output: it is closed"),
        ("run.db", '"$@" >/dev/full', "cannot write standard output: No space left"),
        (
            "run.db -o-",
            '"$@" >/dev/full',
            "cannot write standard output: No space left",
        ),
        ("--json-schema", '"$@" >/dev/full', "cannot write standard output: No space"),
        ("--from-log -", '"$@" <&-', "cannot read standard input: it is closed"),
        ("--from-log -", '"$@" </dev/null', "no IR dump in '<stdin>'"),
        ("/dev/null", '"$@"', "cannot read the record '/dev/null': it is no regular"),
        ("empty.db", ': >empty.db; "$@"', "'empty.db' is no record of passgen\n"),
        ("run.db -o no/run.html", '"$@"', "cannot write 'no/run.html': No such file"),
        ("run.db --open -o-", '"$@"', "--open expects a page in a file"),
        ("run.db --record=a.db", '"$@"', "--record keeps the record of a log"),
    ],
)
def test_an_error_is_a_message(arguments: str, line: str, message: str) -> None:
    done = run(*arguments.split(), line=line)

    said = done.stderr.decode()
    assert done.returncode in {1, 2}
    assert f"passgen-report: error: {message}" in said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ("run.db", "run.html"),
        ("run.db other.db", "run-other.html"),
        ("--from-log opt.log", "opt.html"),
        ("--from-log -", "log.html"),
    ],
)
def test_without_a_name_the_page_is_called_like_its_source(
    arguments: str, name: str
) -> None:
    recorded(Path("other.db"))
    Path("opt.log").write_text("// -----// IR Dump After A (a) //----- //\nm {\n}\n")
    done = run(*arguments.split(), line='"$@" <opt.log')

    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == f"{name}\n"
    assert data_in(Path(name).read_text(encoding="utf-8"))["runs"]


def test_open_shows_the_page_in_the_browser() -> None:
    Path("browser").write_text('#!/bin/sh\necho "$1" >opened\n')
    Path("browser").chmod(0o755)
    done = run("run.db", "--open", BROWSER="./browser %s")

    assert (done.returncode, done.stdout) == (0, b"run.html\n")
    assert Path("opened").read_text() == f"{Path('run.html').absolute().as_uri()}\n"


def test_a_reader_that_ends_early_ends_the_program() -> None:
    done = run("run.db", "-o-", line='{ "$@"; echo $? >&2; } | true')

    said = done.stderr.decode()
    assert said.endswith("1\n") or said == "0\n"  # the pipe may hold all of it
    assert "Traceback" not in said
    assert "Exception ignored" not in said
