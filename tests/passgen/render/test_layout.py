"""Generated Python in a project is laid out as black lays out the rest of it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from passgen import cli

pytestmark = pytest.mark.process

SPECS = Path(__file__).parents[1] / "golden"
ARGUMENTS = ("--target", "python", "-o", "generated", "long.yaml", "kernels.yaml")
NARROW = "[tool.black]\nline-length = 60\n"
SPEC = "passes:\n  CountOps: {argument: count-ops, summary: Count operations}\n"

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Run `passgen` in a new repository; return its exit code and its messages."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    Path("long.yaml").write_bytes((SPECS / "long-names/spec.yaml").read_bytes())
    Path("kernels.yaml").write_bytes((SPECS / "pipelines/spec.yaml").read_bytes())

    def ran(*arguments: str) -> tuple[int, str]:
        code = cli.main([*arguments])
        return code, capsys.readouterr().err

    return ran


def black(*arguments: str) -> tuple[int, str]:
    """Run the command `black` as a user does who has no settings of their own."""
    done = subprocess.run(
        ["python", "-m", "black", "--quiet", "--diff", "--check", *arguments],
        env={**os.environ, "XDG_CONFIG_HOME": "/nowhere"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    "settings",
    [
        "",
        "[tool.black]",
        "[tool.black]\nline-length = 100",
        "[tool.black]\nline_length = 60",
        "[tool.black]\nskip-string-normalization = true",
        "[tool.black]\nskip-magic-trailing-comma = true",
        "[tool.black]\npreview = true\nline-length = 50",
        '[tool.black]\ntarget-version = ["py311", "py312"]\nline-length = 50',
        '[project]\nrequires-python = ">=3.11"\n[tool.black]\nline-length = 50',
        '[project]\nrequires-python = ">=3.11"',
        '[tool.black]\nextend-exclude = "x"\nforce-exclude = "y"\ncolor = true',
    ],
)
def test_black_and_passgen_agree_on_a_project(run: Run, settings: str) -> None:
    Path("pyproject.toml").write_text(settings)

    assert run(*ARGUMENTS) == (0, "")
    assert black(".") == (0, "")
    assert run("--check", *ARGUMENTS) == (0, "")


def test_the_nearest_settings_count(run: Run) -> None:
    Path("pyproject.toml").write_text("[tool.black]\nline-length = 300")
    Path("generated").mkdir()
    Path("generated/pyproject.toml").write_text(NARROW)

    run(*ARGUMENTS)
    narrow = Path("generated/kernels_passes.py").read_text()
    run("--target", "python", "-o", "other", "kernels.yaml")

    assert black("generated") == (0, "")
    assert len(Path("other/kernels_passes.py").read_text()) < len(narrow)


def test_a_file_that_sets_nothing_of_black_hides_none_that_does(run: Run) -> None:
    Path("pyproject.toml").write_text(NARROW)
    Path("generated").mkdir()
    Path("generated/pyproject.toml").write_text("[tool.ruff]\nline-length = 100")

    assert run(*ARGUMENTS) == (0, "")
    assert black(".") == (0, "")


def test_settings_outside_the_repository_do_not_count(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ("--target", "python", "-o", "inner", "long.yaml")
    run(*command)
    Path("inner/.git").mkdir()
    Path("pyproject.toml").write_text(NARROW)
    Path("black").write_text(NARROW)  # where a user has settings for all projects
    monkeypatch.setenv("XDG_CONFIG_HOME", str(Path.cwd()))

    assert run("--check", *command) == (0, "")
    (Path("inner/.git")).rmdir()
    assert run("--check", *command)[0] == 1


def test_what_is_printed_has_no_project(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ("--target", "python", "-o", "-", "long.yaml")
    cli.main([*command])
    expected = capsys.readouterr().out
    Path("pyproject.toml").write_text(NARROW)

    cli.main([*command])

    assert capsys.readouterr().out == expected
    assert run("--target", "python", "long.yaml") == (0, "")
    assert Path("long_names_passes.py").read_text().count("\n") > expected.count("\n")


def test_new_writes_for_the_project_as_well(run: Run) -> None:
    Path("pyproject.toml").write_text(NARROW)
    name = "ConvertElementwiseOperationsToLinalgGenericOperations"

    assert run("new", name, "-o", "passes")[0] == 0
    assert black("passes") == (0, "")


def test_python_of_a_target_of_ones_own_is_laid_out(run: Run) -> None:
    Path("templates/table").mkdir(parents=True)
    Path("templates/table/table.py.j2").write_text(
        "TABLE = {{ group.passes | map(attribute='argument') | list }}\n"
    )
    Path("templates/table/table.txt.j2").write_text("'{{ group.name }}'\n")
    Path("a.yaml").write_text(SPEC)

    assert run("--template-dir", "templates", "--target", "table", "a.yaml")[0] == 0
    assert Path("a_table.py").read_text() == 'TABLE = ["count-ops"]\n'
    assert Path("a_table.txt").read_text() == "'A'\n"


def test_depfile_names_the_settings(run: Run) -> None:
    Path("pyproject.toml").write_text(NARROW)
    command = ("--depfile", "d", "-o", "generated", "long.yaml")

    run("--target", "python", *command)
    assert str(Path("pyproject.toml").resolve()) in Path("d").read_text()
    run("--target", "markdown", *command)
    assert "pyproject.toml" not in Path("d").read_text()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            "[tool.black]\nline-length =\n",
            ":2:14: error: invalid value\nline-length =\n             ^",
        ),
        (
            "[tool",
            (
                ":1:1: error: expected ']' at the end of a table declaration "
                "(at end of document)\n[tool\n^"
            ),
        ),
        ("x = '\udcff'", ": error: it is not UTF-8"),
    ],
)
def test_error_settings_that_are_no_toml(run: Run, settings: str, message: str) -> None:
    Path("pyproject.toml").write_bytes(settings.encode(errors="surrogateescape"))
    path = Path("pyproject.toml").resolve()

    assert run(*ARGUMENTS) == (1, f"{path}{message}\n")
    assert not Path("generated").exists()


@pytest.mark.parametrize(
    ("setting", "found"),
    [
        ("line-length = '100'", "'100', expected a whole number\n"),
        ("line-length = true", "True, expected a whole number\n"),
        ("preview = 1", "1, expected true or false\n"),
        ("target-version = 'py311'", "'py311', expected a list of texts\n"),
        ("target-version = ['py2']", "'py2', expected one of py33, py34, "),
    ],
)
def test_error_settings(run: Run, setting: str, found: str) -> None:
    Path("pyproject.toml").write_text(f"[tool.black]\n{setting}")
    path, key = Path("pyproject.toml").resolve(), setting.split(" ", maxsplit=1)[0]

    code, message = run(*ARGUMENTS)

    expected = f"{path}: error: '{key}' of [tool.black]: found {found}"
    assert (code, message[: len(expected)]) == (1, expected)
    assert not Path("generated").exists()


@pytest.mark.skipif(
    not Path("/proc/self/mem").is_file(), reason="needs a file that cannot be read"
)
def test_error_settings_that_cannot_be_read(run: Run) -> None:
    Path("pyproject.toml").symlink_to("/proc/self/mem")
    path = Path("pyproject.toml").absolute()

    assert run(*ARGUMENTS) == (1, f"{path}: error: input/output error\n")


def test_error_a_template_that_does_not_make_python(run: Run) -> None:
    Path("templates/table").mkdir(parents=True)
    Path("templates/table/table.py.j2").write_text("a = = {{ group.name }}\n")
    Path("a.yaml").write_text(SPEC)

    code, message = run("--template-dir=templates", "--target", "table", "a.yaml")

    assert code == 1
    assert message == (
        "a_table.py: error: the template made no valid Python: cannot parse: 1:4\n"
        "    a = = A\n"
        "       ^\n"
        "ParseError: bad input\n"
        "note: templates in templates override those of passgen\n"
    )
