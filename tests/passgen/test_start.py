"""What a call of `passgen`, and `import passgen`, import."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import passgen

LIBRARIES = {"black", "jinja2", "jsonschema", "markdown_it", "yaml"}
CALL = """\
import sys
from passgen.cli import main
code = main(sys.argv[1:])
print(*sys.modules, file=sys.stderr)
sys.exit(code)
"""


def imported_by(program: str, *arguments: str) -> set[str]:
    """Return the modules that a new process imports, in which `program` runs."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.process
@pytest.mark.parametrize(
    "arguments",
    [
        ["--version"],
        ["--help"],
        ["--schema"],
        ["--cmake-dir"],
        ["--completion=bash"],
        ["--complete=passgen li"],
        ["--complete=passgen --target="],
        ["--unknown"],
        [],
    ],
    ids=" ".join,
)
def test_an_answer_without_a_spec_imports_no_library_and_no_model(
    arguments: list[str],
) -> None:
    modules = imported_by(CALL, *arguments)

    assert "passgen.commands.outcome" in modules
    assert not LIBRARIES & modules
    assert not {"passgen.generation", "passgen.model"} & modules


@pytest.mark.process
def test_a_valid_spec_is_checked_without_jsonschema(tmp_path: Path) -> None:
    spec = tmp_path / "spec.yaml"
    spec.write_text("passes: {A: {argument: a, summary: A}}")

    modules = imported_by(CALL, "--list-outputs", str(spec))

    assert "passgen.generation" in modules
    assert "jsonschema" not in modules


@pytest.mark.process
def test_importing_the_package_imports_no_library() -> None:
    modules = imported_by("import sys, passgen; print(*sys.modules, file=sys.stderr)")

    assert not LIBRARIES & modules


@pytest.mark.parametrize("name", passgen.__all__)
def test_each_name_of_the_package_is_imported_when_it_is_used(name: str) -> None:
    found = getattr(passgen, name)

    assert found.__name__ == name


def test_another_name_of_the_package_is_an_error() -> None:
    with pytest.raises(AttributeError, match="'passgen' has no attribute 'Generate'"):
        getattr(passgen, "Generate")  # noqa: B009 - mypy knows that there is none
