"""Specs, sources, and what `passgen drift` says: a folder a rule under `drift/`.

A folder named by a rule shows that rule alone; those that begin with `_` show how
rules go together. `report.txt` is what is printed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from passgen import cli, findings
from passgen.finding_rules import DRIFT_RULES
from passgen.findings import Report, find_drift, read_input, reports
from passgen.probing import questions

pytestmark = pytest.mark.process

FOLDER = Path(__file__).parents[1] / "drift"
CASES = sorted(path.name for path in FOLDER.iterdir())
SPEC = """\
passes:
  Unroll: {argument: unroll, summary: Unroll, constructor: "%s:Unroll"}
"""


@pytest.fixture
def report(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Report]:
    def drift_of(case: str) -> Report:
        monkeypatch.chdir(FOLDER / case)
        group = read_input("spec.yaml")
        found = find_drift([group], [Path()])
        return findings.report("drift", DRIFT_RULES, found, [group])

    return drift_of


@pytest.mark.parametrize("case", CASES)
def test_what_is_said(
    case: str, report: Callable[[str], Report], golden: Callable[[Path, str], None]
) -> None:
    found = report(case)

    golden(FOLDER / case / "report.txt", reports.text(found))
    if not case.startswith("_"):
        assert {each.rule.name for each in found.findings} == {case}


def test_every_folder_is_a_rules_or_shows_how_they_go_together() -> None:
    assert {each for each in CASES if not each.startswith("_")} == set(DRIFT_RULES)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("a.yaml").write_text(SPEC % "unroll")
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_constructors_are_left_alone_where_asked() -> None:
    Path("unroll.py").write_text("from pathlib import Path\nPath('seen').touch()\n")

    assert cli.main(["drift", "--no-imports", "a.yaml"]) == 0
    assert not Path("seen").exists()

    assert cli.main(["drift", "a.yaml"]) == 1
    assert Path("seen").exists()


@pytest.mark.usefixtures("folder")
def test_modules_of_the_sources_do_not_replace_the_standard_library() -> None:
    for name in ("json", "os", "inspect", "sphinx", "unroll"):
        text = f"open('{name}.seen', 'w')\nclass Unroll: ...\n"
        Path(f"{name}.py").write_text(text)
    Path("unroll.py").write_text("import inspect, sphinx\n" + text)

    cli.main(["drift", "a.yaml"])
    assert sorted(map(str, Path().glob("*.seen"))) == ["sphinx.seen", "unroll.seen"]


@pytest.mark.usefixtures("folder")
def test_modules_are_looked_for_in_the_sources_alone() -> None:
    Path("src").mkdir()
    Path("src/unroll.py").write_text(
        "class UnrollPassBase: ...\n\n\nclass Unroll(UnrollPassBase): ...\n"
    )
    Path("unroll.py").write_text("raise RuntimeError\n")
    Path("json.py").write_text("raise RuntimeError\n")

    assert cli.main(["drift", "--source", "src", "a.yaml"]) == 0


def run_three(capsys: pytest.CaptureFixture[str]) -> list[tuple[str, str]]:
    """Return what is found of passes `a`, `b` and `c`, which modules `a` to `c` have."""
    passes = "".join(
        f"  Unroll{name.upper()}: {{argument: {name}, summary: Unroll, "
        f"constructor: '{module}:Unroll'}}\n"
        for name, module in (("a", "first"), ("b", "package.sub"), ("c", "last"))
    )
    Path("a.yaml").write_text(f"passes:\n{passes}")
    assert cli.main(["drift", "--format", "json", "a.yaml"]) == 1
    found = json.loads(capsys.readouterr().out)["findings"]
    return [
        (each["name"], each["message"].partition(" cannot be used: ")[2])
        for each in found
        if each["rule"] == "broken-constructor"
    ]


@pytest.fixture
def modules(folder: Path) -> Path:
    """The modules of `run_three`, without the classes that the passes need."""
    Path("package").mkdir()
    for name in ("first", "package/__init__", "package/sub", "last"):
        Path(f"{name}.py").write_text("Unroll = 1\n")
    return folder


@pytest.mark.usefixtures("modules")
@pytest.mark.parametrize(
    ("module", "code", "reason"),
    [
        ("package.sub", "import os; os._exit(0)", "ended the process with exit code 0"),
        ("package", "import os; os._exit(3)", "ended the process with exit code 3"),
        ("package.sub", "import os; os.abort()", "ended the process by SIGABRT"),
        ("package", "while True: pass", "takes over 3 s"),
        (
            "package.sub",
            "import os, time; os.closerange(1, 256); time.sleep(60)",
            "takes over 3 s",
        ),
    ],
)
def test_a_module_that_does_not_come_back_is_named_and_the_others_are_imported(
    module: str,
    code: str,
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(questions, "_PATIENCE_S", 3)
    files = {"package": "package/__init__.py", "package.sub": "package/sub.py"}
    Path(files[module]).write_text(code)

    assert run_three(capsys) == [
        ("a", "it is not a class"),
        ("b", f"importing '{module}' {reason}"),
        ("c", "it is not a class"),
    ]


@pytest.mark.usefixtures("modules")
@pytest.mark.parametrize(
    "code",
    [
        "print('[]')\n",
        "import os\nos.write(1, b'[]')\n",
        "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\n",
    ],
)
def test_what_modules_print_and_leave_behind_is_no_answer(
    code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("package/sub.py").write_text(f"{code}Unroll = 1\n")

    assert run_three(capsys) == [(name, "it is not a class") for name in "abc"]


@pytest.mark.usefixtures("modules")
def test_a_module_that_interrupts_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    Path("package/sub.py").write_text("raise KeyboardInterrupt\n")

    assert run_three(capsys)[1] == ("b", "KeyboardInterrupt")


@pytest.mark.usefixtures("folder")
def test_a_module_that_ends_the_process_is_tried_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("unroll.py").write_text(
        "import os\nopen('log', 'a').write('tried')\nos._exit(1)\n"
    )
    more = "  Jam: {argument: jam, summary: Jam, constructor: 'unroll:Jam'}\n"
    Path("a.yaml").write_text(SPEC % "unroll" + more)

    assert cli.main(["drift", "a.yaml"]) == 1
    assert Path("log").read_text() == "tried"
    assert capsys.readouterr().out.endswith("2 errors\n")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("python", ["/no/python", "false", "echo"])
def test_error_the_importing_process_cannot_begin(
    python: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "executable", python)

    assert cli.main(["drift", "a.yaml"]) == 1
    assert capsys.readouterr().err == (
        "passgen drift: error: the process that imports and parses ended early\n"
        "note: --no-imports skips this check\n"
    )


@pytest.mark.usefixtures("folder")
def test_error_a_source_is_no_python(capsys: pytest.CaptureFixture[str]) -> None:
    Path("unroll.py").write_text("class Unroll(UnrollPassBase)\n    pass\n")

    assert cli.main(["drift", "--no-imports", "a.yaml"]) == 1
    assert capsys.readouterr().err == (
        "unroll.py:1:29: error: found invalid Python: expected ':'\n"
        "class Unroll(UnrollPassBase)\n"
        "                            ^\n"
    )


@pytest.mark.usefixtures("folder")
def test_several_roots_and_hidden_folders(capfd: pytest.CaptureFixture[str]) -> None:
    for name in ("src", "plugins", "plugins/.old"):
        Path(name).mkdir()
    Path("a.yaml").write_text(SPEC.replace('"%s:Unroll"', "unroll:Unroll"))
    Path("src/unroll.py").write_text("from base import Unroll as Unroll\n")
    Path("plugins/base.py").write_text(
        "class UnrollPassBase: ...\n\n\nclass Unroll(UnrollPassBase): ...\n"
    )
    Path("plugins/.old/broken.py").write_text("class Unroll(UnrollPassBase\n")
    roots = ["--source", "src", "--source", "plugins"]

    assert cli.main(["drift", *roots, "--format", "json", "a.yaml"]) == 0
    assert json.loads(capfd.readouterr().out)["findings"] == []


PATTERN = """\
ir: %s
passes:
  Fuse:
    argument: fuse
    summary: Fuse
    anchor: func.func
    patterns:
      - name: fuse
        before: |
          %%0 = %s
        after: |
          %%0 = %s
"""


@pytest.mark.parametrize(
    "library", ["xdsl", pytest.param("mlir", marks=pytest.mark.bindings)]
)
@pytest.mark.parametrize(
    ("before", "after", "place"),
    [
        ("arith.muli %x, %y : i32", "arith.muli %y, %z : i32", "12:31"),
        ("arith.mulli %x, %y : i32", "arith.muli %y, %x : i32", "10:16"),
        ("arith.muli %x, %y : i32", "arith.muli %y, %x : i64", "12:27"),
    ],
    ids=["a free value", "a misspelt operation", "two types of a value"],
)
@pytest.mark.usefixtures("folder")
def test_a_broken_pattern_has_one_place_on_each_ir(
    library: str,
    before: str,
    after: str,
    place: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("a.yaml").write_text(PATTERN % (library, before, after))

    assert cli.main(["drift", "a.yaml"]) == 1
    printed = capsys.readouterr().out
    assert f"a.yaml:{place}: error: pattern 'fuse' of pass 'fuse' cannot" in printed
    assert printed.count("[broken-pattern]") == 1
    assert "nests it" not in printed


@pytest.mark.usefixtures("folder")
def test_an_error_in_a_folded_pattern_is_at_the_beginning_of_the_text(
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = "arith.constant 1 : i32\n          %1 = arith.mulli %0, %0 : i32"
    text = PATTERN % ("xdsl", before, "arith.constant 1 : i32")
    Path("a.yaml").write_text(text.replace("|", ">"))

    assert cli.main(["drift", "a.yaml"]) == 1
    assert "a.yaml:10:11: error: pattern 'fuse'" in capsys.readouterr().out


@pytest.mark.usefixtures("folder")
def test_a_plugin_that_cannot_be_used_is_an_error_of_each_pattern(
    capsys: pytest.CaptureFixture[str],
) -> None:
    right = "arith.muli %x, %y : i32"
    Path("a.yaml").write_text(PATTERN % ("xdsl", right, right))

    assert cli.main(["drift", "a.yaml", "--load-pass-plugin=missing_plugin"]) == 1
    assert "PluginError: 'missing_plugin' is no installed" in capsys.readouterr().out


@pytest.mark.usefixtures("folder")
def test_without_ir_one_library_must_accept_a_pattern(
    capsys: pytest.CaptureFixture[str],
) -> None:
    right, wrong = "arith.muli %x, %y : i32", "arith.mulli %x, %y : i32"
    for before, code in ((right, 0), (wrong, 1)):
        text = PATTERN % ("xdsl", before, right)
        Path("a.yaml").write_text(text.replace("ir: xdsl\n", ""))
        assert cli.main(["drift", "a.yaml"]) == code
    assert "a.yaml:9:16: error: pattern 'fuse' of pass" in capsys.readouterr().out


@pytest.mark.usefixtures("folder")
def test_a_pattern_that_ends_the_process_is_named_and_the_others_are_parsed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("ending.py").write_text(
        "import os\n"
        "from xdsl.ir import Dialect\n"
        "def register(builder):\n"
        "    builder.register_dialect('mine', lambda: os._exit(3))\n"
    )
    right = "arith.muli %x, %y : i32"
    text = PATTERN % ("xdsl", '"mine.op"() : () -> i32', right)
    second = text.partition("      - name")[2].replace("fuse", "good", 1)
    Path("a.yaml").write_text(
        f"{text}      - name{second}".replace(
            '"mine.op"() : () -> i32', '"mine.op"() : () -> i32', 1
        )
    )

    assert cli.main(["drift", "a.yaml", "--load-pass-plugin=ending:register"]) == 1
    assert "parsing it ended the process with exit code 3" in capsys.readouterr().out


@pytest.mark.usefixtures("folder")
def test_a_plugin_of_the_sources_registers_dialects_of_patterns() -> None:
    Path("my_plugin.py").write_text(
        "from xdsl.dialects.builtin import IndexType\n"
        "from xdsl.ir import Dialect\n"
        "from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def\n"
        "@irdl_op_definition\n"
        "class Twice(IRDLOperation):\n"
        "    name = 'mine.twice'\n"
        "    given = operand_def(IndexType)\n"
        "    result = result_def(IndexType)\n"
        "def register(builder):\n"
        "    builder.register_dialect('mine', lambda: Dialect('mine', [Twice]))\n"
    )
    before = '"mine.twice"(%x) : (index) -> index'
    Path("a.yaml").write_text(PATTERN % ("xdsl", before, "arith.addi %x, %x : index"))

    assert cli.main(["drift", "a.yaml"]) == 1
    assert cli.main(["drift", "a.yaml", "--load-pass-plugin=my_plugin:register"]) == 0
