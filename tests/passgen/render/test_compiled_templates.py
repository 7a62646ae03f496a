"""Templates that Jinja compiled, which a wheel has, and those that are used."""

from __future__ import annotations

import shutil
from pathlib import Path

import jinja2
import pytest

from passgen import resources
from passgen.diagnostics import RenderError
from passgen.generation import Options, generate
from passgen.render import compile_templates, render
from passgen.targets import TARGETS

GOLDEN = Path(__file__).parents[1] / "golden"
FEATURES = sorted(path.parent.name for path in GOLDEN.glob("*/spec.yaml"))
PAGE = "python/_form.py.j2"


@pytest.fixture(scope="module")
def compiled_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all templates, compiled."""
    folder = tmp_path_factory.mktemp("compiled")
    compile_templates(folder)
    return folder


@pytest.fixture
def compiled(compiled_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The compiled templates, which are those of the installation."""
    monkeypatch.setattr(resources, "compiled_templates", lambda: compiled_folder)
    return compiled_folder


@pytest.fixture
def without_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Templates whose sources are gone, so that only compiled ones can be filled."""
    monkeypatch.setattr(resources, "templates", lambda: tmp_path)


@pytest.mark.usefixtures("compiled", "without_sources")
@pytest.mark.parametrize("feature", FEATURES)
def test_compiled_templates_write_what_their_sources_write(
    feature: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = GOLDEN / feature
    monkeypatch.chdir(folder)

    targets = (feature,) if feature in TARGETS else ()
    generated = generate(["spec.yaml"], Options(targets))

    for file in generated.files:
        assert file.text == (folder / file.path).read_text("utf-8")


@pytest.mark.parametrize("target", TARGETS)
def test_a_template_of_each_target_is_compiled(
    target: str,
    compiled_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spec = tmp_path / "spec.yaml"
    spec.write_text("passes: {A: {argument: a, summary: A}}")
    expected = generate([str(spec)], Options((target,)))
    monkeypatch.setattr(resources, "compiled_templates", lambda: compiled_folder)
    monkeypatch.setattr(resources, "templates", lambda: tmp_path)

    assert generate([str(spec)], Options((target,))).files == expected.files


def test_an_error_has_the_place_in_the_source(
    compiled: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def message() -> str:
        with pytest.raises(RenderError) as caught:
            render("markdown/_line.md.j2", {"line": 1})
        return str(caught.value)

    with_compiled = message()
    monkeypatch.setattr(resources, "compiled_templates", lambda: tmp_path)

    assert with_compiled == message()
    assert "_line.md.j2:" in with_compiled
    assert compiled.is_dir()


@pytest.mark.usefixtures("without_sources")
def test_templates_that_another_jinja_compiled_are_not_used(
    compiled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    version = jinja2.__version__
    shutil.copytree(compiled / f"jinja-{version}", other / f"jinja-{version}.1")
    monkeypatch.setattr(resources, "compiled_templates", lambda: other)

    with pytest.raises(RenderError, match="there is no such template"):
        render(PAGE, {})


@pytest.mark.usefixtures("compiled", "without_sources")
def test_a_folder_of_templates_is_used_with_the_sources(tmp_path: Path) -> None:
    with pytest.raises(RenderError, match="there is no such template"):
        render(PAGE, {}, tmp_path)
