"""`passgen new`: what it writes passes all checks and runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from passgen import cli, naming, resources
from passgen.commands import new_arguments
from tests.mlir_bindings_needed import require_bindings
from tests.passgen.commands.new_passes import commands, run


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


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
    Path("unroll_loops_impl.py").write_text(
        Path("unroll_loops_impl.py").read_text().replace("+= 1", "+= 2")
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


@pytest.mark.process
@pytest.mark.parametrize(
    ("argument", "anchor"),
    [("record", "func.func"), ("timing", "any"), ("o", "builtin.module")],
)
def test_a_pass_called_like_a_flag_is_named_and_its_test_succeeds(
    capsys: pytest.CaptureFixture[str], argument: str, anchor: str
) -> None:
    assert cli.main(["new", argument.title(), "--anchor", anchor]) == 0

    note = (
        f"{argument}.yaml: note: pass '{argument}' has the name of a flag of drivers: "
        "they run it in --pass-pipeline\n"
    )
    assert capsys.readouterr().err.startswith(note)
    code, text = run_tests()
    assert code == 0, text


@pytest.mark.bindings
def test_pass_on_mlir_s_ir_has_a_test_too() -> None:
    require_bindings("mlir")
    assert cli.main(["new", "UnrollLoops", "--ir=mlir"]) == 0

    assert "--ir=mlir" in Path("tests/unroll-loops.mlir").read_text()
    code, text = run_tests()
    assert code == 0, text


@pytest.mark.process
@pytest.mark.parametrize("anchor", ["builtin.module", "any", "scf.for"])
def test_anchor_and_options_are_in_the_spec_and_the_test_succeeds(anchor: str) -> None:
    options = ("--option", "tileSize:uint32", "--option", "run-fast:bool")
    assert cli.main(["new", "TileLoops", "--anchor", anchor, *options]) == 0

    text = Path("tile_loops.yaml").read_text()
    assert f"    anchor: {anchor}\n" in text
    for name, type_ in (("tileSize", "uint32"), ("runFast", "bool")):
        assert f"- name: {name}\n        type: {type_}\n" in text
    assert cli.main(["lint", "--fail-on", "note", "tile_loops.yaml"]) == 0
    code, output = run_tests()
    assert code == 0, output


def test_an_option_whose_name_suggests_a_file_declares_its_access() -> None:
    options = "--option tableFile:string --option toFile:bool --option size:uint32"
    assert cli.main(["new", "TileLoops", *options.split()]) == 0

    text = Path("tile_loops.yaml").read_text()
    assert "description: Table file.\n        outsideAccess: true\n" in text
    assert text.count("outsideAccess") == 1
    assert cli.main(["lint", "--fail-on", "note", "tile_loops.yaml"]) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--anchor", "func"),
            "--anchor: found 'func', expected an operation with its ",
        ),
        (("--option", "size"), "--option: found 'size', expected NAME:TYPE, such as "),
        (
            ("--option", "Size:int32"),
            "--option: found 'Size:int32', expected NAME:TYPE",
        ),
        (("--option", "size:uin32"), "; did you mean 'uint32'?"),
        (("--option", "a-b:bool", "--option", "aB:bool"), "--option: found 'aB' twice"),
        (("--dialect", "Clock"), "--dialect: found 'Clock', expected MODULE:NAME, "),
        (("--ir=mlir", "--dialect", "a:B"), "--dialect is for xDSL's dialects"),
    ],
)
def test_error_anchor_or_option(
    arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["new", "TileLoops", *arguments]) == 2
    assert message in capsys.readouterr().err
    assert not list(Path().iterdir())


@pytest.mark.process
@pytest.mark.usefixtures("made")
def test_its_driver_registers_pipelines_once_the_spec_has_some() -> None:
    with Path("loops.yaml").open("a") as spec:
        spec.write(
            "pipelines: {All: {argument: all-loops, summary: Run all passes, "
            "elements: [{nest: func.func, elements: [unroll-loops]}]}}\n"
        )
    assert cli.main(["loops.yaml"]) == 0

    code, text = run("python", "loops_opt.py", "tests/unroll-loops.mlir", "--all-loops")

    assert (code, text.splitlines()[0]) == (0, "builtin.module {")


def test_the_driver_for_mlir_s_ir_has_its_own_name() -> None:
    assert cli.main(["new", "UnrollLoops", "--ir=mlir"]) == 0

    text = Path("unroll_loops_opt.py").read_text()
    assert '["--ir=mlir", *sys.argv[1:]], name="unroll-loops-opt")' in text


def test_editors_find_the_schema_of_the_spec_without_a_network(folder: Path) -> None:
    assert cli.main(["new", "UnrollLoops", "-o", "loops"]) == 0
    assert cli.main(["new", "CountOps"]) == 0
    assert cli.main(["new", "FuseLoops", "-o", "more"]) == 0

    for spec in ("loops/unroll_loops.yaml", "more/fuse_loops.yaml"):
        first = Path(spec).read_text().splitlines()[0]
        schema = first.removeprefix("# yaml-language-server: $schema=")
        found = (folder / spec).parent / schema
        assert found.read_bytes() == resources.schema().read_bytes()
    assert not Path("more/.passgen").exists()


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
        "fuse_loops_impl.py\n"
        "tests/fuse-loops.mlir\n"
    )
    text = spec.read_text()
    assert text.index("UnrollLoopsPass:") < text.index("  FuseLoops:\n    summary:")
    assert text.endswith(f"looked at.\n{end}")
    assert cli.main(["--check", "loops.yaml"]) == 0
    code, output = run_tests()
    assert code == 0, output
    assert "2 passed" in output


def test_settings_of_pytest_in_another_file_stay_as_they_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("tox.ini").write_text("[pytest]\n")

    assert cli.main(["new", "UnrollLoops"]) == 0

    out, err = capsys.readouterr()
    assert "pytest.ini" not in out
    assert Path("tox.ini").read_text() == "[pytest]\n"
    settings = Path("tox.ini").resolve()
    assert err.startswith(
        f"{settings}: note: for the test, pytest needs these settings\n"
        "    pythonpath = .\n"
        "    mlir_tests = tests/**/*.mlir\n"
        "    mlir_tools = unroll-loops-opt = unroll_loops_opt:main\n"
        "next:\n"
    )


@pytest.mark.process
def test_inside_a_project_a_folder_has_its_own_settings(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("pyproject.toml").write_text("[tool.pytest.ini_options]\n")

    assert cli.main(["new", "UnrollLoops", "-o", "loops"]) == 0

    assert "settings" not in capsys.readouterr().err
    code, text = run_tests("loops")
    assert (code, "1 passed" in text) == (0, True), text


def test_settings_that_name_the_driver_are_enough() -> None:
    settings = "[pytest]\nmlir_tools = unroll-loops-opt = unroll_loops_opt:main\n"
    Path("pytest.ini").write_text(settings)

    assert cli.main(["new", "UnrollLoops", "-o", "loops"]) == 0

    assert not Path("loops/pytest.ini").exists()


@pytest.mark.process
def test_it_says_what_to_do_next(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["new", "UnrollLoops", "-o", "my loops"]) == 0

    err = capsys.readouterr().err
    assert err == (
        "next:\n"
        "    cd 'my loops'\n"
        "    pytest\n"
        "    python unroll_loops_opt.py tests/unroll-loops.mlir --unroll-loops\n"
        "then edit:\n"
        "    unroll_loops_impl.py     implements `unroll-loops`\n"
        "    tests/unroll-loops.mlir  tests it\n"
        "    unroll_loops.yaml        "
        "declares it; `passgen unroll_loops.yaml` renews what is generated\n"
    )
    code, text = run("bash", "-c", commands(err))
    assert code == 0, text


DIALECT = """\
from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation, irdl_op_definition


@irdl_op_definition
class TickOp(IRDLOperation):
    name = "clock.tick"
    assembly_format = "attr-dict"


Clock = Dialect("clock", [TickOp])
"""


@pytest.mark.process
@pytest.mark.parametrize(
    "driver",
    [["clocks_opt.py"], ["-m", "passgen_tools.opt", "--load-pass-plugin=clocks_opt"]],
)
def test_its_driver_registers_a_dialect_and_is_a_plugin(driver: list[str]) -> None:
    Path("my_dialect.py").write_text(DIALECT)
    Path("a.mlir").write_text("clock.tick\n")
    dialect = "--group=Clocks", "--dialect", "my_dialect:Clock"
    assert cli.main(["new", "CountTicks", "--anchor", "any", *dialect]) == 0

    code, text = run("python", *driver, "a.mlir", "--count-ticks")

    assert (code, text) == (0, "builtin.module {\n  clock.tick\n}\n")
    code, text = run_tests()
    assert code == 0, text


@pytest.mark.process
@pytest.mark.usefixtures("made")
def test_its_driver_is_a_plugin_without_a_dialect_as_well() -> None:
    [driver] = (path.stem for path in Path().glob("*_opt.py"))
    Path("a.mlir").write_text("builtin.module {}\n")

    code, text = run(
        "python", "-m", "passgen_tools.opt", f"--load-pass-plugin={driver}", "a.mlir"
    )

    assert (code, text) == (0, "builtin.module {\n}\n")


@pytest.mark.process
@pytest.mark.parametrize("output", ["ticks", "src/mycomp/ticks"])
def test_the_commands_find_a_dialect_beside_another_folder(
    output: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("my_dialect.py").write_text(DIALECT)
    Path("pyproject.toml").touch()
    dialect = "--dialect", "my_dialect:Clock"
    assert cli.main(["new", "CountTicks", *dialect, "-o", output]) == 0

    err = capsys.readouterr().err
    assert err.startswith("next:\n")
    code, text = run("bash", "-c", commands(err))
    assert code == 0, text


def test_a_dialect_that_is_not_found_is_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    dialect = "--dialect", "no_dialect:Clock"
    assert cli.main(["new", "CountTicks", *dialect, "-o", "ticks"]) == 0

    assert capsys.readouterr().err.startswith(
        "ticks/count_ticks_opt.py: note: it imports 'no_dialect', which is not in ticks"
    )


@pytest.mark.usefixtures("made")
def test_error_dialect_for_a_driver_that_is_there(
    capsys: pytest.CaptureFixture[str],
) -> None:
    dialect = "--dialect", "my_dialect:Clock"
    assert cli.main(["new", "FuseLoops", "--group", "Loops", *dialect]) == 1
    assert "loops_opt.py: error: it exists already" in capsys.readouterr().err


def test_lit_has_its_settings_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["new", "UnrollLoops", "--lit"]) == 0

    assert capsys.readouterr().out.endswith(
        "pytest.ini\ntests/lit.cfg.py\nAGENTS.md\n.passgen/pass-group.schema.json\n"
    )
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
        pytest.param(
            ("mypy", "--strict", "--config-file=", "--no-error-summary", "."),
            marks=pytest.mark.slow,
        ),
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
    files = [path for path in Path().rglob("*.*") if path.is_file()]
    before = {path: path.read_text() for path in files}
    for path in list(before):
        if path.suffix == ".md":
            path.unlink()

    Path("loops.yaml").unlink()

    assert cli.main(["new", "UnrollLoopsPass", "--group", "Loops"]) == 1
    said = capsys.readouterr().err
    assert said.startswith(
        "loops_passes.py: error: it exists already, and only new files are written\n"
        "unroll_loops_impl.py: error: "
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
    assert naming.pass_argument(name) == argument
    assert new_arguments.default_summary(name) == summary


def test_the_line_ends_of_a_spec_are_kept(folder: Path) -> None:
    assert cli.main(["new", "FuseLoops", "--group", "Loops"]) == 0
    spec = folder / "loops.yaml"
    assert cli.main(["new", "TileLoops", "--group", "Loops"]) == 0
    lines = spec.read_bytes()
    spec.write_bytes(lines.replace(b"\n", b"\r\n"))

    assert cli.main(["new", "JamLoops", "--group", "Loops"]) == 0
    found = spec.read_bytes()
    assert b"JamLoops" in found
    assert found.count(b"\n") == found.count(b"\r\n")


def test_the_diff_of_a_check_names_line_ends(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["new", "FuseLoops"]) == 0
    spec = folder / "fuse_loops.yaml"
    spec.write_bytes(spec.read_bytes().replace(b"\n", b"\r\n"))
    capsys.readouterr()

    assert cli.main(["format", "--check", spec.name]) == 1
    diff = capsys.readouterr().out
    assert diff.startswith("\\ Lines end in CRLF, expected LF\n---")
