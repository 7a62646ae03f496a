"""`passgen new` in a package: names of modules, tests and settings of the project."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from passgen import cli
from tests.passgen.commands.new_passes import commands, run

PROJECT = """\
# Ours.
[project]
name = "mycomp"  # on no index
version = "1.0"
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def new(*arguments: str) -> None:
    assert cli.main(["new", *arguments]) == 0


@pytest.fixture
def project() -> Path:
    path = Path("pyproject.toml")
    path.write_text(PROJECT)
    return path


@pytest.mark.usefixtures("project")
def test_below_src_modules_have_the_name_of_the_package(
    capsys: pytest.CaptureFixture[str],
) -> None:
    new("CountOps", "-o", "src/mycomp/passes")

    out, err = capsys.readouterr()
    assert out.splitlines() == [
        "src/mycomp/passes/count_ops.yaml",
        "src/mycomp/passes/count_ops_passes.py",
        "src/mycomp/passes/count_ops_passes.md",
        "src/mycomp/passes/count_ops_impl.py",
        "tests/count-ops.mlir",
        "src/mycomp/passes/count_ops_opt.py",
        "src/mycomp/__init__.py",
        "src/mycomp/passes/__init__.py",
        "AGENTS.md",
        ".passgen/pass-group.schema.json",
        "pyproject.toml",
    ]
    run_it = "PYTHONPATH=src python -m mycomp.passes.count_ops_opt"
    assert f"    {run_it} tests/count-ops.mlir --count-ops\n" in err
    spec, implementation = (
        Path(f"src/mycomp/passes/count_ops{end}").read_text()
        for end in (".yaml", "_impl.py")
    )
    assert "$schema=../../../.passgen/pass-group.schema.json\n" in spec
    assert "constructor: mycomp.passes.count_ops_impl:CountOps\n" in spec
    imported = "from mycomp.passes.count_ops_passes import CountOpsPassBase\n"
    assert imported in implementation


@pytest.mark.process
@pytest.mark.usefixtures("project")
def test_what_it_prints_and_writes_for_agents_can_be_run(
    capsys: pytest.CaptureFixture[str],
) -> None:
    new("CountOps", "-o", "src/mycomp/passes")
    new("FuseOps", "--group", "CountOps", "-o", "src/mycomp/passes")
    new("Other", "-o", "src/mycomp/others")

    code, text = run("bash", "-c", commands(capsys.readouterr().err))
    assert code == 0, text
    assert "3 passed" in text
    _, _, block = Path("AGENTS.md").read_text().partition("```sh\n")
    code, text = run("bash", "-ec", block.partition("```")[0])
    assert code == 0, text
    renew = ["-o", "src/mycomp/passes", "src/mycomp/passes/count_ops.yaml"]
    assert cli.main(["--check", *renew]) == 0


@pytest.mark.process
def test_a_folder_with_an_init_file_is_a_package_without_a_project(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("mycomp").mkdir()
    Path("mycomp/__init__.py").touch()

    new("CountOps", "-o", "mycomp/passes")

    out, err = capsys.readouterr()
    assert {"pytest.ini", "tests/count-ops.mlir"} < set(out.splitlines())
    assert "    python -m mycomp.passes.count_ops_opt tests/" in err
    code, text = run("bash", "-c", commands(err))
    assert code == 0, text


@pytest.mark.process
def test_from_inside_of_the_package_the_commands_lead_to_the_project(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    package = project.parent / "src/mycomp"
    package.mkdir(parents=True)
    monkeypatch.chdir(package)

    new("CountOps")

    out, err = capsys.readouterr()
    assert "../../tests/count-ops.mlir" in out
    assert not Path("__init__.py").exists()  # the folder was there
    code, text = run("bash", "-c", commands(err))
    assert code == 0, text


@pytest.mark.process
@pytest.mark.usefixtures("project")
def test_lit_finds_the_driver_of_a_package() -> None:
    new("CountOps", "--lit", "-o", "src/mycomp")

    code, text = run("lit", "tests")
    assert code == 0, text


@pytest.mark.parametrize(
    ("name", "meant"), [("my-comp", "my_comp"), ("class", "class_")]
)
@pytest.mark.usefixtures("project")
def test_error_a_package_with_a_name_that_python_cannot_import(
    name: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["new", "CountOps", "-o", f"src/{name}"]) == 1
    assert capsys.readouterr().err == (
        f"src/{name}: error: found the folder '{name}' in a package, expected a name "
        f"that Python can import, such as '{meant}'\n"
    )
    assert not Path("src").exists()


TOOL = '"count-ops-opt = mycomp.count_ops_opt:main"'
TESTS = 'mlir_tests = ["tests/**/*.mlir"]\n'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            "",
            "\n[tool.pytest.ini_options]\n"
            f'pythonpath = ["src"]\n{TESTS}mlir_tools = [{TOOL}]\n',
            id="no settings",
        ),
        pytest.param(
            "[tool.pytest.ini_options]\nxfail_strict = true\n\n# Next.\n[tool.ruff]\n",
            "[tool.pytest.ini_options]\nxfail_strict = true\n"
            f'pythonpath = ["src"]\n{TESTS}mlir_tools = [{TOOL}]\n'
            "\n# Next.\n[tool.ruff]\n",
            id="other settings, and another table",
        ),
        pytest.param(
            f"[tool.pytest]\npythonpath = ['src']\n{TESTS}mlir_tools = []",
            f"[tool.pytest]\npythonpath = ['src']\n{TESTS}mlir_tools = [{TOOL}]",
            id="pytest's own table",
        ),
        pytest.param(
            f"[tool.pytest.ini_options]\n{TESTS}"
            "mlir_tools = [\n  'a]b = c:main'\n]\npythonpath = [ '.', 'src' ] # [x]\n",
            f"[tool.pytest.ini_options]\n{TESTS}mlir_tools = [\n  'a]b = c:main',\n"
            f"  {TOOL},\n]\npythonpath = [ '.', 'src' ] # [x]\n",
            id="a list on several lines",
        ),
        pytest.param(
            "[tool.pytest.ini_options]\n"
            f"{TESTS}pythonpath = [ 'lib' ] # ours\nmlir_tools = [\n    {TOOL},\n]\n",
            "[tool.pytest.ini_options]\n"
            f"{TESTS}pythonpath = [ 'lib', \"src\" ] # ours\n"
            f"mlir_tools = [\n    {TOOL},\n]\n",
            id="a list on one line",
        ),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_settings_that_are_missing_are_added_and_all_else_stays(
    before: str, after: str, end: str, project: Path
) -> None:
    project.write_bytes((PROJECT + before).replace("\n", end).encode())

    new("CountOps", "-o", "src/mycomp")

    found = project.read_bytes().decode()
    if "count_ops_opt:main" in before:  # a project that names the driver has all
        after = before
    assert found == (PROJECT + after).replace("\n", end)
    tomllib.loads(found)


@pytest.mark.parametrize(
    "settings",
    [
        "[tool.pytest.ini_options]\npythonpath = 'src'\n",
        "[tool]\npytest.ini_options.xfail_strict = true\n",
        "[tool.pytest.ini_options]\nmlir_tools = [\n    'a = b:main' # last\n]\n",
        "tool = 3\n",
        "tool.pytest = 3\n",
        "[tool.pytest]\nini_options = 3\n",
    ],
    ids=[
        "a text",
        "no table",
        "a comment after the last element",
        "tool is a number",
        "pytest is a number",
        "ini_options is a number",
    ],
)
def test_settings_that_cannot_be_added_are_printed(
    settings: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project.write_text(settings)

    new("CountOps", "-o", "src/mycomp")

    assert project.read_text() == settings
    assert capsys.readouterr().err.startswith(
        f"{project.resolve()}: note: for the test, pytest needs these settings\n"
        '    pythonpath = ["src"]\n'
    )


def test_error_a_project_that_is_no_toml(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project.write_text("[project\n")

    assert cli.main(["new", "CountOps", "-o", "src/mycomp"]) == 1
    assert "pyproject.toml:1:9: error: expected ']'" in capsys.readouterr().err
    assert not Path("src").exists()


def test_notes_for_agents_that_are_there_stay(project: Path) -> None:
    notes = project.with_name("AGENTS.md")
    notes.write_text("mine")

    new("CountOps", "-o", "src/mycomp")

    assert notes.read_text() == "mine"
