"""Compiled templates say what Jinja says, and spare its import."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import jinja2
import pytest

from passgen import (
    compiled_templates,
    jinja_templates,
    loader,
    resources,
    template_compiler,
)
from passgen.frontend import read
from passgen.targets import TARGETS
from passgen.targets.origin import origin

ROOT = Path(__file__).parents[2]
SPECS = [
    *sorted((ROOT / "specs").glob("*.yaml")),
    *sorted((ROOT / "tests/passgen/golden").glob("*/spec.yaml")),
]
FOLDERS = sorted(path.name for path in resources.templates().iterdir())
CALL = """\
import sys
from passgen import cli
code = cli.main(sys.argv[1:])
print(code, *sorted(set(sys.modules) & SLOW))
"""
SLOW = {
    "asyncio",
    "dataclasses",
    "difflib",
    "hashlib",
    "inspect",
    "jinja2",
    "jsonschema",
}
"""Libraries that take long to import, each as long as a good part of a small run."""


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "path", SPECS, ids=lambda path: f"{path.parent.name}/{path.stem}"
)
def test_the_text_is_the_one_that_jinja_renders(path: Path, target: str) -> None:
    group = read(loader.decode(str(path), path.read_bytes()))
    template = TARGETS[target].template
    values = TARGETS[target].values(group, origin("a.yaml", None))

    text = compiled_templates.render(template, values, ())

    assert text is not None
    assert text == jinja_templates.render(template, values, None, ())


@pytest.mark.parametrize("folder", FOLDERS)
def test_each_folder_compiles(folder: str) -> None:
    paths = sorted((resources.templates() / folder).glob("*.j2"))
    trees = {path.name: jinja_templates.parse(path) for path in paths}
    names: dict[str, object] = {"find": lambda name: name}

    exec(template_compiler.module_text(trees), names)  # noqa: S102 - that is the test

    assert list(names["TEMPLATES"]) == [path.name for path in paths]  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("{% set a = 1 %}", "line 1: Assign"),
        ("\n{{ a }}", "line 2: Name"),
        ("{% if a == b %}{% endif %}", "line 1: Compare"),
        ("{{ a | join(d='') }}", "line 1: Filter"),
        ("{% for a, b in c %}{% endfor %}", "line 1: For"),
        ("{% for a in b if a %}{% endfor %}", "line 1: For"),
        ("{% if a %}{% elif b %}{% endif %}", "line 1: If"),
        ("{% include a %}", "line 1: Include"),
        ('{% include "a" ignore missing %}', "line 1: Include"),
    ],
)
def test_what_cannot_be_compiled_is_said(text: str, what: str) -> None:
    tree = jinja2.Environment(autoescape=True).parse(text)

    with pytest.raises(template_compiler.CannotCompileError) as caught:
        template_compiler.module_text({"a": tree})
    assert str(caught.value) == what


def test_a_name_of_a_loop_hides_one_outside_until_the_loop_ends() -> None:
    text = "{{ a | f }}{% for a in b %}{% for a in a %}{{ a | f }}{% endfor %}"
    text += "{{ a | f }}{% endfor %}{{ a | f }}"
    tree = jinja2.Environment(autoescape=True).parse(text)
    names: dict[str, object] = {"find": lambda _: "<{}>".format}
    exec(template_compiler.module_text({"a": tree}), names)  # noqa: S102 - as above
    parts: list[str] = []

    names["TEMPLATES"]["a"](parts.append, {"a": 1, "b": ["xy", "z"]})  # type: ignore[index]

    assert "".join(parts) == "<1><x><y><xy><z><z><1>"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PASSGEN_CACHE_DIR", "cache")
    Path("a.yaml").write_text("passes:\n  A: {argument: a, summary: Do it}\n")
    return Path("cache")


def imports_jinja(*arguments: str) -> bool:
    return "jinja2" in slow_imports(*arguments)


def slow_imports(*arguments: str, before: str = "") -> list[str]:
    for stamp in Path("cache").glob("*.json"):
        stamp.unlink()
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"{before}\nSLOW = {SLOW}\n{CALL}",
            *arguments,
            "a.yaml",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path("a_passes.py").exists()
    *_, last = done.stdout.splitlines()
    code, *imported = last.split()
    assert code == "0"
    return imported


@pytest.mark.usefixtures("cache")
def test_the_first_run_compiles_and_the_next_does_not_import_jinja() -> None:
    assert imports_jinja()
    assert not imports_jinja()
    assert imports_jinja("--target=cpp")
    assert not imports_jinja("--target=cpp")


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize("target", TARGETS)
def test_a_small_run_imports_nothing_slow(target: str) -> None:
    slow_imports("--target=python", f"--target={target}")

    assert slow_imports("--target=python", f"--target={target}") == []


@pytest.mark.parametrize("damage", [b"", b"()", b"\xe9\x01\x00\x00\x00", b"\xff"])
def test_a_damaged_cache_is_made_again(cache: Path, damage: bytes) -> None:
    imports_jinja()
    for path in (cache / "templates").iterdir():
        path.write_bytes(damage)

    assert imports_jinja()
    assert not imports_jinja()


@pytest.mark.usefixtures("cache")
def test_code_of_another_user_is_not_run() -> None:
    imports_jinja()

    assert "jinja2" in slow_imports(before="import os; os.getuid = lambda: -1")
    assert not imports_jinja("--prefix=A")


def test_where_nothing_can_be_kept_jinja_is_imported_each_time(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PASSGEN_CACHE_DIR", "")

    assert imports_jinja()
    assert imports_jinja()
    assert not cache.exists()
