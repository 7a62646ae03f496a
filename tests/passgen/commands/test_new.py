"""`passgen new`: what it writes passes all checks and runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from passgen import cli
from passgen.commands import new
from tests.mlir_bindings_needed import require_bindings

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
            # A user has the extra `test` and no other plugins, which load slowly.
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTEST_PLUGINS": "passgen_runtime.testing.pytest_plugin",
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


def run_tests(*arguments: str) -> tuple[int, str]:
    """Run the tests of the folder by pytest."""
    return run("python", "-m", "pytest", "-q", *arguments)


@pytest.mark.process
@pytest.mark.usefixtures("made")
def test_its_test_succeeds() -> None:
    code, text = run_tests()

    assert code == 0, text
    assert "1 passed" in text


@pytest.mark.process
@pytest.mark.usefixtures("made")
def test_its_test_can_fail() -> None:
    Path("unroll_loops_pass.py").write_text(
        Path("unroll_loops_pass.py").read_text().replace("+= 1", "+= 2")
    )

    code, text = run_tests()

    assert code == 1
    assert "Couldn't match \"(S) 2 num-visited" in text


@pytest.mark.process
@pytest.mark.usefixtures("made")
def test_its_driver_is_a_program() -> None:
    command = "loops_opt.py", "tests/unroll-loops.mlir", "--unroll-loops"

    code, text = run("python", *command)

    assert (code, text.splitlines()[0]) == (0, "builtin.module {")


@pytest.mark.bindings
def test_pass_on_mlir_s_ir_has_a_test_too() -> None:
    require_bindings("mlir")
    assert cli.main(["new", "UnrollLoops", "--ir=mlir"]) == 0

    assert "--ir=mlir" in Path("tests/unroll-loops.mlir").read_text()
    code, text = run_tests()
    assert code == 0, text


@pytest.mark.process
@pytest.mark.usefixtures("made")
def test_further_pass_is_added_to_its_group(
    capsys: pytest.CaptureFixture[str],
) -> None:
    spec = Path("loops.yaml")
    _, _, passes = spec.read_text().partition("passes:\n")
    end = "\n# The end.\nname: Loops\nsummary: Unroll loops.\n"
    spec.write_text(f"passes:\n{passes}{end}")

    assert cli.main(["new", "FuseLoops", "--group", "Loops"]) == 0

    assert capsys.readouterr().out == (
        "loops.yaml\n"
        "loops_passes.py\n"
        "loops_passes.md\n"
        "fuse_loops_pass.py\n"
        "tests/fuse-loops.mlir\n"
    )
    text = spec.read_text()
    assert text.index("UnrollLoopsPass:") < text.index("  FuseLoops:\n    argument:")
    assert text.endswith(f"looked at.\n{end}")
    assert cli.main(["--check", "loops.yaml"]) == 0
    code, output = run_tests()
    assert code == 0, output
    assert "2 passed" in output


def test_settings_of_pytest_stay_as_they_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("pyproject.toml").write_text("[tool.pytest.ini_options]\n")

    assert cli.main(["new", "UnrollLoops", "-o", "loops"]) == 0

    out, err = capsys.readouterr()
    assert "pytest.ini" not in out
    settings = Path("pyproject.toml").resolve()
    assert err == (
        f"{settings}: note: for the test, pytest needs these settings\n"
        "    pythonpath = loops\n"
        "    mlir_tests = loops/tests/*.mlir\n"
        "    mlir_tools = unroll-loops-opt = unroll_loops_opt:main\n"
    )


def test_lit_has_its_settings_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["new", "UnrollLoops", "--lit"]) == 0

    assert capsys.readouterr().out.endswith("pytest.ini\ntests/lit.cfg.py\n")
    text = Path("tests/lit.cfg.py").read_text()
    assert "unroll-loops-opt\\b" in text
    compile(text, "lit.cfg.py", "exec")


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

    Path("loops.yaml").unlink()

    assert cli.main(["new", "UnrollLoopsPass", "--group", "Loops"]) == 1
    said = capsys.readouterr().err
    assert said.startswith(
        "loops_passes.py: error: it exists already, and only new files are written\n"
        "unroll_loops_pass.py: error: "
    )
    assert not Path("loops_passes.md").exists()
    assert not Path("loops.yaml").exists()


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
