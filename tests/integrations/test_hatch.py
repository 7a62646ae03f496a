"""The example for hatchling, built for real: what is packed, and what is refused."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tests.integrations.example_builds import example, needs, run


def wheel_of(folder: Path) -> Path:
    needs("hatchling")
    run("hatchling", "build", "-t", "wheel", at=folder)
    (wheel,) = (folder / "dist").glob("*.whl")
    return wheel


def refusal(folder: Path) -> str:
    """Return what is said when no wheel is built."""
    needs("hatchling")
    said = run("hatchling", "build", "-t", "wheel", at=folder, code=1)
    assert not list(folder.glob("dist/*"))
    return said


def test_hatchling(tmp_path: Path) -> None:
    folder = example("hatch", tmp_path)
    generated = folder / "src/demo_passes/generated/demo_passes.py"

    wheel = wheel_of(folder)
    first = wheel.read_bytes()
    names = zipfile.ZipFile(wheel).namelist()
    assert "demo_passes/generated/demo_passes.py" in names
    before = generated.stat().st_mtime_ns

    assert wheel_of(folder).read_bytes() == first
    assert generated.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        (
            'spec = ["specs/*.yaml"]',
            (
                "found 'spec', expected one of dependencies, enable-by-default, "
                "output, require-runtime-dependencies, require-runtime-features, "
                "specs, targets, template-dir; did you mean 'specs'?"
            ),
        ),
        ("", "found no 'specs', expected a list of paths or patterns"),
        (
            'specs = "specs/*.yaml"',
            "'specs': found 'specs/*.yaml', expected a list of texts",
        ),
        ("specs = [1]", "'specs': found [1], expected a list of texts"),
        ('specs = ["spec/*.yaml"]', "'specs': 'spec/*.yaml' matches no file"),
        (
            'specs = ["/a.yaml"]',
            "'specs': found '/a.yaml', expected a path below the project",
        ),
        ('specs = [""]', "'specs': found '', expected a path"),
        ("output = 1", "'output': found 1, expected a path"),
        (
            'output = "../gen"',
            "'output': found '../gen', expected a path below the project",
        ),
        ("template-dir = true", "'template-dir': found True, expected a path"),
        ('targets = "python"', "'targets': found 'python', expected a list of texts"),
    ],
)
def test_error_in_the_table_of_the_hook(
    tmp_path: Path, setting: str, message: str
) -> None:
    folder = hatch_example(tmp_path, setting)

    assert refusal(folder) == f"tool.hatch.build.hooks.passgen: {message}\n"


def test_error_in_a_spec_stops_the_build_of_a_wheel(tmp_path: Path) -> None:
    folder = hatch_example(tmp_path, 'specs = ["specs/*.yaml"]')
    (folder / "specs/passes.yaml").write_text("passes: [")

    assert refusal(folder) == (
        "specs/passes.yaml:1:9: error: '[' is never closed\n"
        "passes: [\n"
        "        ^\n"
        "tool.hatch.build.hooks.passgen: passgen failed, for the reasons above\n"
    )


def hatch_example(tmp_path: Path, setting: str) -> Path:
    """Return a copy of the example whose hook has `setting`, and specs in any case."""
    folder = example("hatch", tmp_path)
    project = folder / "pyproject.toml"
    table = "[tool.hatch.build.hooks.passgen]\n"
    before, _, _ = project.read_text("utf-8").partition(table)
    has_specs = "spec" in setting or not setting
    specs = "" if has_specs else 'specs = ["specs/*.yaml"]\n'
    project.write_text(f"{before}{table}{specs}{setting}\n")
    return folder


def test_hatchling_packs_outputs_with_any_name(tmp_path: Path) -> None:
    folder = hatch_example(tmp_path, 'output = "src/demo_passes/a [1] #!"')
    (folder / ".gitignore").write_text("a */\n")

    names = zipfile.ZipFile(wheel_of(folder)).namelist()
    assert "demo_passes/a [1] #!/demo_passes.py" in names
