"""The session of a playground, and the folder that it is written to."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from passgen_runtime import PassManager
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_tools.opt.platform import why_no_threads
from passgen_tools.opt.playground import (
    PlaygroundError,
    Session,
    write_playground,
)
from passgen_tools.record import record
from passgen_tools.report import html_page, report_data

IR = """\
func.func @twice(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %x, %x : i32
  %2 = arith.muli %0, %1 : i32
  func.return %2 : i32
}
"""
PIPELINE = "builtin.module(func.func(cse, affine-loop-unroll{unroll-factor=2}))"
AT_UNROLL = PIPELINE.index("unroll")
PYODIDE_FILES = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "pyodide-lock.json",
    "python_stdlib.zip",
)


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.chdir(tmp_path)
    return Session()


@pytest.fixture
def pyodide(tmp_path: Path) -> Path:
    return pyodide_in(tmp_path / "npm")


@pytest.fixture(scope="module")
def playground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a playground without plug-ins, which only opens texts."""
    folder = tmp_path_factory.mktemp("playground")
    write_playground(folder / "out", pyodide_in(folder / "npm"), first='{"ir": "<>"}')
    return folder / "out"


def pyodide_in(folder: Path) -> Path:
    folder.mkdir()
    for name in PYODIDE_FILES:
        (folder / name).write_text(name, encoding="utf-8")
    (folder / "package.json").write_text('{"version": "314.0.7"}', encoding="utf-8")
    return folder


def run(session: Session, ir: str, pipeline: str) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(session.run(ir, pipeline))
    return result


def test_a_run_gives_the_ir_and_the_difference_of_each_pass(session: Session) -> None:
    result = run(session, IR, "builtin.module(func.func(cse, canonicalize))")
    cse, canonicalize = result["passes"]

    assert result["code"] == 0
    assert "arith.muli %0, %0" in result["output"]
    assert (cse["text"], cse["operation"], cse["status"]) == (
        "cse",
        "@twice",
        "succeeded",
    )
    assert "-  %old_1 = arith.addi %x, %x : i32\n" in cse["diff"]
    assert canonicalize["diff"] == ""


def test_a_run_gives_statistics_times_and_the_report(session: Session) -> None:
    result = run(session, IR, "builtin.module(cse)")

    assert "num-cse'd - Operations replaced" in result["reports"]
    assert "Execution time report" in result["reports"]
    assert "<title>input.mlir</title>" in session.report()


def test_a_run_keeps_nothing_of_the_one_before(session: Session) -> None:
    run(session, IR, "builtin.module(cse)")
    result = run(session, IR, "")

    assert (result["passes"], result["reports"].count("CSE")) == ([], 0)


def test_errors_are_those_of_the_terminal_with_their_lines(session: Session) -> None:
    result = run(session, IR.replace("muli", "muly"), "builtin.module(cse)")

    assert (result["code"], result["passes"]) == (1, [])
    assert result["messages"].startswith("input.mlir:4:")
    assert result["places"][0]["line"] == 4
    assert result["places"][0]["severity"] == "error"


def test_a_wrong_pipeline_is_explained_as_in_the_terminal(session: Session) -> None:
    result = run(session, IR, "builtin.module(csee)")

    assert result["code"] == 1
    assert "did you mean 'cse'" in result["messages"]


def test_ir_that_is_no_utf_8_is_refused_as_in_the_terminal(session: Session) -> None:
    result = run(session, "func.func @f()\ud800", "builtin.module(cse)")

    assert result["messages"].startswith("input.mlir:1: error: the input is not UTF-8")


def test_the_pipeline_is_completed_up_to_the_cursor(session: Session) -> None:
    text = PIPELINE.replace("{", "'{")
    found = json.loads(session.assist(text, PIPELINE.index("-unroll") - 4))

    assert found["fragment"] == "affine-"
    assert found["candidates"] == [
        "affine-loop-invariant-code-motion",
        "affine-loop-normalize",
        "affine-loop-unroll",
        "affine-optimize",
    ]


def test_options_are_completed_behind_a_brace(session: Session) -> None:
    found = json.loads(
        session.assist("builtin.module(func.func(affine-loop-unroll{cl", 46)
    )

    assert found["candidates"] == ["cleanup-unroll"]


def test_the_pass_at_the_cursor_has_a_form_and_help(session: Session) -> None:
    described = json.loads(session.assist(PIPELINE, AT_UNROLL))["pass"]
    options = {option["argument"]: option for option in described["options"]}

    assert described["name"] == "affine-loop-unroll"
    assert described["help"].startswith("affine-loop-unroll: Repeat the bodies")
    assert options["unroll-factor"]["value"] == "2"
    assert options["unroll-factor"]["type"] == "int64"
    assert options["cleanup-unroll"]["choices"] == ["true", "false"]
    assert options["cleanup-unroll"]["default"] == "default: false"
    assert options["cleanup-unroll"]["value"] is None


def test_an_anchor_and_an_unknown_pass_have_no_form(session: Session) -> None:
    assert json.loads(session.assist(PIPELINE, 3))["pass"] is None
    assert json.loads(session.assist("builtin.module(csee)", 17))["pass"] is None


@pytest.mark.parametrize(
    ("argument", "value", "element"),
    [
        ("unroll-factor", "8", "affine-loop-unroll{unroll-factor=8}"),
        ("unroll-factor", "", "affine-loop-unroll"),
        (
            "cleanup-unroll",
            "true",
            "affine-loop-unroll{unroll-factor=2 cleanup-unroll=true}",
        ),
        ("no-such-option", "1", "affine-loop-unroll{unroll-factor=2}"),
    ],
)
def test_the_form_writes_into_the_pipeline(
    session: Session, argument: str, value: str, element: str
) -> None:
    changed = session.set_option(PIPELINE, AT_UNROLL, argument, value)

    assert changed == f"builtin.module(func.func(cse, {element}))"


def test_a_list_in_the_form_is_braced(session: Session) -> None:
    text = "builtin.module(symbol-privatize)"
    changed = session.set_option(text, 20, "exclude", "main,f")

    assert changed == "builtin.module(symbol-privatize{exclude={main,f}})"


def test_a_playground_holds_pyodide_the_page_and_the_packages(
    tmp_path: Path, pyodide: Path
) -> None:
    lacks = write_playground(tmp_path / "out", pyodide, ["tests.toy_compiler.plugin"])
    page = (tmp_path / "out/index.html").read_text(encoding="utf-8")
    with ZipFile(tmp_path / "out/packages.zip") as archive:
        names = set(archive.namelist())

    assert lacks == []
    assert (tmp_path / "out/pyodide/pyodide.asm.wasm").read_text() == "pyodide.asm.wasm"
    assert "[&quot;tests.toy_compiler.plugin&quot;]" in page
    assert {
        "passgen_tools/opt/playground/session.py",
        "passgen_rules/suggestions.py",
        "xdsl/ir/core.py",
        "immutabledict/__init__.py",
        "typing_extensions.py",
        "tests/toy_compiler/generated/toy_compiler_passes.py",
    } <= names
    assert not [name for name in names if "__pycache__" in name or "toy_forw" in name]


def test_packages_with_native_code_are_named(
    tmp_path: Path, pyodide: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "fast_passes"
    package.mkdir()
    (package / "__init__.py").write_text("def register(builder): pass\n", "utf-8")
    (package / "kernel.so").write_bytes(b"")
    monkeypatch.syspath_prepend(tmp_path)
    lacks = write_playground(tmp_path / "out", pyodide, ["fast_passes:register"])

    assert lacks == ["fast_passes has native code, which no browser runs"]


def test_what_a_plugin_of_one_file_imports_is_there_or_named(
    tmp_path: Path, pyodide: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    native = tmp_path / "fast_kernels"
    native.mkdir()
    (native / "__init__.py").write_text("import fast_kernels.tables\n", "utf-8")
    (native / "tables.py").write_text("", "utf-8")
    (native / "kernel.so").write_bytes(b"")
    (tmp_path / "beside_passes.py").write_text("", "utf-8")
    (tmp_path / "beside.py").write_text(
        "import beside_passes, fast_kernels\ndef register(builder): pass\n", "utf-8"
    )
    monkeypatch.syspath_prepend(tmp_path)
    lacks = write_playground(tmp_path / "out", pyodide, ["beside:register"])
    with ZipFile(tmp_path / "out/packages.zip") as archive:
        names = set(archive.namelist())

    assert lacks == ["fast_kernels has native code, which no browser runs"]
    assert {"beside.py", "beside_passes.py"} <= names


def test_modules_that_passes_need_are_packed_or_refused(
    tmp_path: Path, pyodide: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "late_kernels.py").write_text("", "utf-8")
    (tmp_path / "late.py").write_text("import late_kernels\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    write_playground(tmp_path / "out", pyodide, modules=["late"])
    with ZipFile(tmp_path / "out/packages.zip") as archive:
        assert {"late.py", "late_kernels.py"} <= set(archive.namelist())

    with pytest.raises(PlaygroundError, match="module 'no_such', which a pass needs"):
        write_playground(tmp_path / "other", pyodide, modules=["late", "no_such"])
    assert not (tmp_path / "other").exists()


def test_the_page_has_the_texts_to_open_with(playground: Path) -> None:
    page = (playground / "index.html").read_text("utf-8")
    assert ' data-first="{&quot;ir&quot;: &quot;&lt;&gt;&quot;}">' in page


def test_equal_packages_make_an_equal_archive(
    playground: Path, tmp_path: Path, pyodide: Path
) -> None:
    write_playground(tmp_path / "out", pyodide)
    first, second = (
        (folder / "packages.zip").read_bytes()
        for folder in (playground, tmp_path / "out")
    )

    assert first == second


def test_another_version_of_pyodide_is_refused(tmp_path: Path, pyodide: Path) -> None:
    (pyodide / "package.json").write_text('{"version": "1.0"}', encoding="utf-8")

    with pytest.raises(PlaygroundError, match=r"has pyodide 1\.0, not 314") as raised:
        write_playground(tmp_path / "out", pyodide)
    assert "npm install pyodide@314.0.7" in str(raised.value)
    assert not (tmp_path / "out").exists()


def test_a_folder_without_pyodide_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PlaygroundError, match="is not the folder of the npm package"):
        write_playground(tmp_path / "out", tmp_path / "nothing")


def test_the_policy_of_the_page_allows_its_folder_and_the_report_alone(
    playground: Path, tmp_path: Path
) -> None:
    page = (playground / "index.html").read_text(encoding="utf-8")
    policy = page.partition('Policy" content="')[2].partition('"')[0]
    directives = dict(
        directive.strip().split(" ", 1)
        for directive in policy.replace("&#x27;", "'").split(";")
    )
    with record(manager := PassManager(XDSLContext()), tmp_path / "run.db"):
        manager.run(manager.context.parse("builtin.module {}", "empty.mlir"))
    report = html_page(report_data(tmp_path / "run.db"), "run.db")
    script, style = re.findall(r"'sha256-[^']+'", report)

    assert directives.pop("script-src") == f"'self' 'wasm-unsafe-eval' {script}"
    assert directives.pop("style-src") == f"'self' {style}"
    assert directives == {
        "default-src": "'none'",
        "connect-src": "'self'",
        "worker-src": "'self'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }


@pytest.mark.parametrize(
    ("platform", "lack"),
    [
        ("linux", None),
        ("emscripten", "Python in a browser has neither threads nor processes"),
        ("wasi", "Python in WebAssembly has neither threads nor processes"),
    ],
)
def test_platforms_without_threads_are_known(platform: str, lack: str | None) -> None:
    assert why_no_threads(platform) == lack
