"""`passgen import`: its arguments, its messages, its exit codes."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from passgen import cli
from passgen.diagnostics import SpecError
from passgen.source import SourceFile
from passgen.tablegen import tool
from passgen.tablegen.dump import read_records

OPTION = {
    "!anonymous": True,
    "!locs": ["Passes.td:4"],
    "!name": "anonymous_0",
    "!superclasses": ["Option"],
    "additionalOptFlags": "",
    "argument": "count",
    "cppName": "count",
    "defaultValue": "1",
    "description": "How many.",
    "type": "unsigned",
}
PASS = {
    "!anonymous": False,
    "!locs": ["Passes.td:3"],
    "!name": "CountOps",
    "!superclasses": ["PassBase", "Pass"],
    "argument": "count-ops",
    "baseClass": "::mlir::OperationPass<>",
    "constructor": "",
    "dependentDialects": [],
    "description": "",
    "options": [{"def": "anonymous_0", "kind": "def", "printable": "anonymous_0"}],
    "statistics": [],
    "summary": "Count operations",
}


def dump(**fields: object) -> str:
    data = {
        "!instanceof": {"PassBase": ["CountOps"], "Option": ["anonymous_0"]},
        "CountOps": {**PASS, **fields},
        "anonymous_0": OPTION,
    }
    return json.dumps(data)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*argv: str) -> int:
    return cli.main(["import", *argv])


def refused(text: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Return what is said of the dump `text`, of which no spec is made."""
    Path("p.json").write_text(text)
    assert run("p.json", "-o", "p.yaml") == 1
    assert not Path("p.yaml").exists()
    return capsys.readouterr().err


@pytest.mark.parametrize(
    "value",
    [
        [["a"]],
        {"kind": "dag", "printable": "(ops 1:$x)"},
        {"def": "other", "kind": "def", "printable": "other"},
        [{"def": "anonymous_0", "kind": "def", "printable": "anonymous_0"}],
        ["a", 1],
    ],
    ids=["lists", "dag", "record", "options", "mixed"],
)
def test_a_field_that_mlir_tblgen_ignores_is_left_out_with_one_warning(
    value: object, capsys: pytest.CaptureFixture[str]
) -> None:
    data = json.loads(dump(extra=value))
    data["Again"] = {**data["CountOps"], "!name": "Again", "argument": "again"}
    data["!instanceof"]["PassBase"].append("Again")
    Path("p.json").write_text(json.dumps(data))

    assert run("p.json", "-o", "p.yaml") == 0
    assert "extra" not in Path("p.yaml").read_text()
    assert capsys.readouterr().err == (
        "Passes.td:3:1: warning: field 'extra', which record 'CountOps' has, is left "
        "out: mlir-tblgen does not read it\n"
        "note: a spec holds text, an integer, or a list of one of them\n"
    )


MAKE_ONE = "note: make one with: llvm-tblgen --dump-json -I DIR Passes.td\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{" * 100_000, f"found no JSON dump of llvm-tblgen\n{MAKE_ONE}"),
        ("[" * 100_000, "found values that are nested too deeply to be read\n"),
    ],
)
def test_what_is_no_dump_is_refused(
    text: str, problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    place, _, message = refused(text, capsys).partition(" error: ")
    assert place.startswith("p.json:1:")
    assert message == problem


def test_a_cut_dump_is_told_from_what_is_none() -> None:
    text = dump(summary="\N{PARTY POPPER}")
    for end in range(1, len(text)):
        with pytest.raises(SpecError, match="ends before it is complete"):
            read_records(text[:end], SourceFile("p.json", ""))


DAMAGES = {
    ("!instanceof",): (None, "'!instanceof' of the dump is null, expected a mapping"),
    ("!instanceof", "PassBase"): (
        "CountOps",
        (
            "'PassBase' of '!instanceof' of the dump is \"CountOps\", expected a list of "
            "texts"
        ),
    ),
    ("!instanceof", "Option"): (
        ["a"],
        "record 'a' of the dump is listed as 'Option', and is not there",
    ),
    ("!instanceof", "Statistic"): (
        ["anonymous_0"],
        "record 'anonymous_0' of the dump is listed as 'Statistic', and is none",
    ),
    ("CountOps", "a b"): (
        "",
        (
            "a field of record 'CountOps' of the dump is \"a b\", expected an "
            "identifier"
        ),
    ),
    ("CountOps",): (None, "record 'CountOps' of the dump is null, expected a mapping"),
    ("CountOps", "!locs"): (
        [7],
        "'!locs' of record 'CountOps' of the dump is [7], expected a list of texts",
    ),
    ("CountOps", "!superclasses"): (
        None,
        (
            "'!superclasses' of record 'CountOps' of the dump is null, expected a list of "
            "texts"
        ),
    ),
    ("anonymous_0", "!locs"): (
        ["Passes.td"],
        (
            "'!locs' of record 'anonymous_0' of the dump is [\"Passes.td\"], expected a "
            "file and its line"
        ),
    ),
    ("anonymous_0", "!anonymous"): (
        "x" * 80,
        (
            "'!anonymous' of record 'anonymous_0' of the dump is "
            f"\"{'x' * 59}..., expected true or false"
        ),
    ),
    ("\ud800",): (
        PASS,
        'the name of a record of the dump is "\\ud800", expected text',
    ),
}


@pytest.mark.parametrize("path", DAMAGES, ids="-".join)
def test_a_damaged_dump_is_refused(
    path: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    value, message = DAMAGES[path]
    data = json.loads(dump())
    inner = data
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    said = refused(json.dumps(data), capsys)
    assert said == f"p.json:1:1: error: {message}\n{MAKE_ONE}"


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"options": [{"def": "none"}]}, "'options'"),
        ({"options": [{"kind": "var"}, 7]}, "'options'"),
        ({"options": {"def": "anonymous_0"}}, "'options'"),
        ({"dependentDialects": ["a", 1]}, "'dependentDialects'"),
        ({"dependentDialects": ["\ud800"]}, "'dependentDialects'"),
        ({"summary": "\udfff"}, "'summary'"),
    ],
)
def test_what_no_field_of_a_pass_holds_is_refused(
    fields: dict[str, object], what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert refused(dump(**fields), capsys) == (
        f"Passes.td:3:1: error: field {what} of record 'CountOps' has a value that a "
        "spec cannot say\n"
        "note: fields hold text, an integer, or a list of one of them\n"
    )


def test_a_pass_with_a_wrong_option_is_left_out_with_a_warning(
    capsys: pytest.CaptureFixture[str],
) -> None:
    data = json.loads(dump())
    wrong = {**OPTION, "!name": "anonymous_1", "defaultValue": None, "type": ["int"]}
    uses_it = [{"def": "anonymous_1", "kind": "def", "printable": "anonymous_1"}]
    for name, place in (("Wrong", "Passes.td:6"), ("WrongToo", "Passes.td:7")):
        data[name] = {**PASS, "!name": name, "!locs": [place], "options": uses_it}
    data["anonymous_1"] = {**wrong, "!locs": ["Passes.td:5"]}
    data["!instanceof"]["PassBase"] = ["Wrong", "CountOps", "WrongToo"]
    data["!instanceof"]["Option"] = ["anonymous_0", "anonymous_1"]
    Path("p.json").write_text(json.dumps(data))

    assert run("p.json", "-o", "p.yaml") == 0
    written = Path("p.yaml").read_text("utf-8")
    assert "CountOps:" in written
    assert "Wrong" not in written
    note = "note: fields hold text, an integer, or a list of one of them\n"
    unset = "field 'defaultValue' of record 'anonymous_1' has no value"
    listed = "field 'type' of record 'anonymous_1' has a value that a spec cannot say"
    assert capsys.readouterr().err == "".join(
        f"Passes.td:5:1: warning: pass '{name}' is left out: {reason}\n{note}"
        for name in ("Wrong", "WrongToo")
        for reason in (listed, unset)
    )
    # A comparison would take the pass for one that was removed.
    assert cli.main(["diff", "p.json", "p.yaml"]) == 1
    refusal = capsys.readouterr().err
    assert refusal.startswith(f"Passes.td:5:1: error: {listed}\n")
    assert refusal.count(": error: ") == 2


def test_names_that_cpp_does_not_take_are_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = dump().replace("CountOps", "Count-Ops")
    text = text.replace('"cppName": "count"', '"cppName": ""')
    assert refused(text, capsys) == (
        "Passes.td:3:1: error: the name of a pass is 'Count-Ops', expected letters, "
        "digits and underscores\n"
        "Passes.td:4:1: error: field 'cppName' of record 'anonymous_0' is '', expected "
        "letters, digits and underscores\n"
    )


def fail_with(message: str) -> None:
    """Make `./tool` a program that only prints `message`, a text of the shell."""
    Path("p.td").write_text("def")
    Path("tool").write_text(f'#!/bin/sh\necho "{message}" >&2\nexit 1\n')
    Path("tool").chmod(0o755)


@pytest.mark.process
def test_messages_of_llvm_tblgen_are_shown_as_they_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    fail_with("$4: error: $1 $2 $3")

    assert run("p.td", "-I", "a", "-I", "b", "--llvm-tblgen", "./tool") == 1
    assert capsys.readouterr().err == "-Ib: error: --dump-json p.td -Ia\n"


@pytest.mark.process
def test_a_missing_include_is_told_how_to_be_found(
    capsys: pytest.CaptureFixture[str],
) -> None:
    message = "p.td:1:9: error: could not find include file 'a.td'"
    fail_with(message)

    assert run("p.td", "--llvm-tblgen", "./tool") == 1
    assert capsys.readouterr().err == (
        f"{message}\nnote: 'passgen import -I DIR' names the folder with such files\n"
    )


@pytest.mark.process
@pytest.mark.parametrize("name", ["secret", "x:1:1: error: y"])
def test_nothing_of_a_file_elsewhere_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    folder = tmp_path / "folder"
    folder.mkdir()
    os.chdir(folder)
    secret = Path(name)
    secret.symlink_to(elsewhere / "secret")
    message = f"{secret}:1:1: error: Undefined: 's3cret'\nkey:1:2: error: s3cret\n^\n"
    fail_with(f"Included from p.td:1:\n{message}p.td:1:1: error: wrong\nwhole\n^")

    assert run("p.td", "--llvm-tblgen", "./tool") == 1
    assert capsys.readouterr().err == (
        f"Included from p.td:1:\n{secret}:1:1: error: the file is no TableGen\n"
        "p.td:1:1: error: wrong\nwhole\n^\n"
    )


@pytest.mark.process
def test_a_tool_that_waits_is_ended(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool, "_MAX_TIME_S", 1)
    Path("p.td").write_text("def")
    Path("tool").write_text("#!/bin/sh\nexec sleep 60\n")
    Path("tool").chmod(0o755)

    assert run("p.td", "--llvm-tblgen", "./tool") == 1
    assert capsys.readouterr().err == (
        "p.td: error: llvm-tblgen was ended by signal 9: it may take 1 s and 2048 MiB, "
        "and print 256 MiB\n"
    )


@pytest.mark.process
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is bounded")
def test_a_file_that_takes_too_much_memory_is_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("p.td").write_text("def")
    Path("tool").write_text(
        f"#!{sys.executable}\nimport time\ntime.sleep(0.5)\n"
        "try:\n    x = bytearray(3 * 2**30)\n"
        "except MemoryError:\n    import os; os.abort()\n"
    )
    Path("tool").chmod(0o755)

    assert run("p.td", "--llvm-tblgen", "./tool") == 1
    assert capsys.readouterr().err == (
        "p.td: error: llvm-tblgen was ended by signal 6: it may take 120 s and 2048 "
        "MiB, and print 256 MiB\n"
    )


def test_a_file_of_nuls_is_refused_before_the_tool_warns_of_each(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("p.td").write_bytes(b"\0" * 5000)

    assert run("p.td") == 1
    assert capsys.readouterr().err == "p.td: error: it has NULs, and is no TableGen\n"


@pytest.mark.process
def test_what_the_tool_says_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    Path("p.td").write_text("def")
    Path("tool").write_text("#!/bin/sh\nyes | head -c 10000000 >&2; exit 1\n")
    Path("tool").chmod(0o755)

    assert run("p.td", "--llvm-tblgen", "./tool") == 1
    assert len(capsys.readouterr().err) == 2**16


@pytest.mark.process
def test_a_tool_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    Path("p.td").write_text("def")

    assert run("p.td", "--llvm-tblgen", f".{os.sep}none") == 1
    assert capsys.readouterr().err.endswith("none: error: No such file or directory\n")


@pytest.mark.parametrize("output", [["-o", "1.yaml"], []])
def test_what_is_written_is_checked(
    output: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "1.json").write_text(dump(), "utf-8")

    assert cli.main(["import", "1.json", *output]) == 1
    streams = capsys.readouterr()
    assert streams.err.startswith("1.yaml:2:1: error: name of the group: found '1'")
    written = Path("1.yaml").read_text("utf-8") if output else streams.out
    assert "summary: Count operations" in written  # to be corrected


def test_a_file_without_rewrites_is_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("p.json").write_text(dump())

    assert run("--patterns", "p.json", "-o", "p.yaml") == 1
    assert not Path("p.yaml").exists()
    assert capsys.readouterr().err == (
        "p.json:1:1: error: found no record of class 'Pattern'\n"
        "note: a rewrite is declared as: def MyRewrite : Pat<(...), (...)>\n"
    )


def test_a_rewrite_that_a_dump_damages_is_left_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rewrite = {
        "!anonymous": False,
        "!locs": ["Rewrites.td:3"],
        "!name": "Swap",
        "!superclasses": ["Pattern"],
        "sourcePattern": {"kind": "dag", "args": [["x"]]},
    }
    Path("p.json").write_text(
        json.dumps({"!instanceof": {"Pattern": ["Swap"]}, "Swap": rewrite})
    )

    assert run("--patterns", "p.json", "-o", "p.yaml") == 1
    assert not Path("p.yaml").exists()
    assert capsys.readouterr().err == (
        "Rewrites.td:3:1: warning: rewrite 'Swap' is left out: it has an argument that "
        "is no pair: `['x']`\nnote: 0 of 1 rewrites were imported\n"
    )


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("--patterns", "--xdsl", "m"), "--patterns needs FILE"),
        (("p.td", "--native-code", "c.yaml"), "--native-code is for --patterns"),
    ],
)
def test_arguments_of_rewrites_need_a_file_of_them(
    argv: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*argv) == 2
    assert message in capsys.readouterr().err
