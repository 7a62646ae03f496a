"""`passgen new`: what it writes passes all checks and runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from passgen import cli
from passgen.commands import new

BIN = Path(sys.executable).parent
RUNTIME = Path(__file__).parents[3] / "runtime"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*command: str) -> tuple[int, str]:
    done = subprocess.run(
        command,
        env={
            **os.environ,
            "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
            "MYPYPATH": str(RUNTIME),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.fixture
def made(capsys: pytest.CaptureFixture[str]) -> str:
    assert cli.main(["new", "UnrollLoopsPass", "--group", "Loops"]) == 0
    return capsys.readouterr().out


def test_it_names_what_it_writes(made: str) -> None:
    assert made == (
        "loops.yaml\n"
        "loops_passes.py\n"
        "loops_passes.md\n"
        "unroll_loops_pass.py\n"
        "loops_opt.py\n"
        "tests/unroll-loops.mlir\n"
    )


def run_line() -> tuple[int, str]:
    """Run the test of the pass as lit does."""
    test = "tests/unroll-loops.mlir"
    first, *_ = Path(test).read_text().splitlines()
    command = first.removeprefix("// RUN: ").replace("%s", test)
    return run("bash", "-c", f"set -o pipefail; {command}")


@pytest.mark.process
@pytest.mark.usefixtures("made")
def test_its_run_line_succeeds() -> None:
    assert run_line() == (0, "")


@pytest.mark.process
@pytest.mark.usefixtures("made")
def test_its_filecheck_test_can_fail() -> None:
    Path("unroll_loops_pass.py").write_text(
        Path("unroll_loops_pass.py").read_text().replace("+= 1", "+= 2")
    )

    assert run_line()[0] == 1


@pytest.mark.process
@pytest.mark.usefixtures("made")
@pytest.mark.parametrize(
    "command",
    [
        ("passgen", "--check", "loops.yaml"),
        ("passgen", "lint", "--fail-on", "note", "loops.yaml"),
        ("black", "--quiet", "--check", "."),
        (
            "ruff",
            "check",
            "--isolated",
            "--quiet",
            "--select=ALL",
            "--ignore=COM812,CPY001,D203,D213,E501,INP001,N802,RUF009",
            ".",
        ),
        ("mypy", "--strict", "--config-file=", "--no-error-summary", "."),
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_it_passes_every_check(command: tuple[str, ...]) -> None:
    code, text = run(*command)

    assert (code, text.removesuffix("nothing found\n")) == (0, "")


@pytest.mark.parametrize(
    "summary", ["`scf.for` to loops", "Say \"x\": #y 'z'", " Unroll ", "Unroll and ..."]
)
def test_its_summary_may_be_any_that_lint_takes(summary: str) -> None:
    assert cli.main(["new", "UnrollLoops", "--summary", summary]) == 0

    assert cli.main(["lint", "--fail-on", "note", "unroll_loops.yaml"]) == 0
    assert cli.main(["--check", "unroll_loops.yaml"]) == 0


@pytest.mark.usefixtures("made")
def test_error_files_are_there(capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.read_text() for path in Path().rglob("*.*")}
    for path in list(before):
        if path.suffix == ".md":
            path.unlink()

    assert cli.main(["new", "UnrollLoopsPass", "--group", "Loops"]) == 1
    said = capsys.readouterr().err
    assert said.startswith(
        "loops.yaml: error: it exists, and only new files are written\n"
        "loops_passes.py: error: "
    )
    assert said.endswith(
        "\nnote: a further pass of a group is a further entry of its spec\n"
    )
    assert not Path("loops_passes.md").exists()


@pytest.mark.parametrize(
    ("name", "argument", "summary"),
    [
        ("UnrollLoops", "unroll-loops", "Unroll loops"),
        ("UnrollLoopsPass", "unroll-loops", "Unroll loops"),
        ("LowerSCFLoops", "lower-scf-loops", "Lower SCF loops"),
        ("CSE", "cse", "CSE"),
        ("Pass", "pass", "Pass"),
    ],
)
def test_argument_and_summary_come_from_the_name(
    name: str, argument: str, summary: str
) -> None:
    assert new.default_argument(name) == argument
    assert new.default_summary(name) == summary


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("unroll-loops",),
            (
                "NAME: found 'unroll-loops', expected a name in PascalCase, such as "
                "'UnrollLoops'"
            ),
        ),
        (
            ("A", "--group", "b"),
            "--group: found 'b', expected a name in PascalCase, such as 'UnrollLoops'",
        ),
        (
            ("A", "--argument", "a_b"),
            (
                "--argument: found 'a_b', expected a name in kebab case, such as "
                "'unroll-loops'"
            ),
        ),
        (
            ("None",),
            (
                "NAME: found 'None', a word of Python, expected the name of a class, "
                "such as 'UnrollLoops'"
            ),
        ),
        (("A", "--summary", "a\nb"), "--summary takes one line of text"),
        (("A", "--summary", " "), "--summary takes one line of text, and it is empty"),
        (
            ("A", "--summary", "Unroll loops."),
            "--summary: found 'Unroll loops.', which ends with a period",
        ),
        (
            ("A", "--summary", "unroll loops"),
            "--summary: found 'unroll loops', which begins with a small letter",
        ),
        (
            ("A" + "b" * 72,),
            (
                f"--summary: found 'A{'b' * 72}', which has 73 characters, expected at "
                "most 72"
            ),
        ),
        (("A", "-o", ""), "-o takes a folder, and its name is empty"),
    ],
)
def test_error_usage(
    arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["new", *arguments]) == 2
    assert capsys.readouterr().err.endswith(f"passgen new: error: {message}\n")
    assert list(Path().iterdir()) == []
