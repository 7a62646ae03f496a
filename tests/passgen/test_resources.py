"""Templates and schemas are found in a checkout and in a wheel."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from passgen import resources

ROOT = Path(__file__).parents[2]


def test_a_checkout_has_them_beside_the_package() -> None:
    assert resources.templates() == ROOT / "templates"
    assert resources.schema() == ROOT / "schemas/pass-group.schema.json"
    assert resources.lint_page("a") == ROOT / "docs/lint/a.md"
    assert resources.agents_page() == ROOT / "docs/how-to/agents.md"


@pytest.mark.slow
@pytest.mark.process
def test_a_wheel_has_them_inside_and_generates(tmp_path: Path) -> None:
    build = [
        sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps",
        "--disable-pip-version-check", "--wheel-dir", str(tmp_path), str(ROOT),
    ]  # fmt: skip
    subprocess.run(build, check=True)
    (wheel,) = tmp_path.glob("mlir_passgen-*.whl")
    installed = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        archive.extractall(installed)

    for folder in ("templates", "schemas", "docs/lint"):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file():
                assert f"passgen/{path.relative_to(ROOT).as_posix()}" in names
    agents = "docs/how-to/agents.md"
    assert (installed / "passgen" / agents).read_bytes() == (ROOT / agents).read_bytes()
    (tmp_path / "a.yaml").write_text(
        "passes:\n  Cse: {argument: cse, summary: Merge equal operations}\n"
    )
    program = (
        "import sys; sys.path.insert(0, sys.argv.pop(1));"
        "from passgen import cli, resources;"
        "print(resources.templates()); sys.exit(cli.main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(installed), "a.yaml"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    found = installed.resolve() / "passgen" / "templates"
    assert done.stderr == ""
    assert done.stdout == f"{found}\na_passes.py\na_passes.md\n"
    assert "registerCse" in (tmp_path / "a_passes.py").read_text()


def test_error_incomplete_installation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "passgen"
    monkeypatch.setattr(resources, "PACKAGE", package)
    resources.templates.cache_clear()
    with pytest.raises(FileNotFoundError) as caught:
        resources.templates()

    assert str(caught.value) == (
        f"the folder 'templates' is neither in {package} nor beside it: "
        "the installation of passgen is incomplete"
    )
