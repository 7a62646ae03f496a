"""Reports: the data, the page around it, and the program that makes them."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from passgen_tools.opt import main as passgen_opt
from passgen_tools.report import html_page, main, report_data
from tests.passgen_test_opt.registry import REGISTRY
from tests.tools.report.recorded_runs import (
    DRIVER,
    FUNCTIONS,
    HOSTILE,
    changes,
    data_in,
    recorded,
    recorded_by_driver,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return recorded(tmp_path / "run.db")


def test_rows_refer_to_one_another_by_place(path: Path) -> None:
    data = report_data(path)

    executions = data["executions"]
    changed = [
        (
            data["passes"][executions["pass"][place]]["path"],
            data["operations"][executions["operation"][place]]["path"],
        )
        for place in changes(data)
    ]
    assert changed == [
        ("builtin.module/func.func[0]/cse[0]", "@f"),
        ("builtin.module/func.func[0]/plant[2]", "@g"),
        ("builtin.module/symbol-dce[1]", "builtin.module"),
    ]
    assert ("num-dce'd", 1) in [row[1:] for row in data["statistics"]]
    (diagnostic,) = data["diagnostics"]
    place = diagnostic["execution"]
    assert data["passes"][executions["pass"][place]]["argument"] == "plant"
    assert data["operations"][executions["operation"][place]]["path"] == "@g"


def test_texts_stand_after_those_inside_and_once(path: Path) -> None:
    data = report_data(path)

    for place, each in enumerate(data["ir"]):
        assert all(child < place for _, child in each["children"])
    (run,) = data["runs"]
    assert run["operation"] == "builtin.module"
    names = [name for name, _ in data["ir"][run["before"]]["children"]]
    assert names == ["@f", "@unused", "@g"]
    assert run["after"] == data["executions"]["after"][-1]


def test_equal_runs_give_equal_pages_without_times(tmp_path: Path) -> None:
    pages = [
        html_page(report_data(recorded(tmp_path / name), with_times=False), "run")
        for name in ("a.db", "b.db")
    ]

    assert pages[0] == pages[1]


def test_no_text_of_the_run_becomes_a_part_of_the_page(path: Path) -> None:
    page = html_page(report_data(path), HOSTILE)

    assert page.count("<script") == 2
    assert "<img" not in page
    assert "alert(1)</script>" not in page
    assert any("alert(1)" in each["text"] for each in data_in(page)["ir"])


def test_the_policy_allows_the_page_its_own_script_and_style_only(path: Path) -> None:
    page = html_page(report_data(path), "run")

    match = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert match is not None
    rules = dict(rule.split(" ", 1) for rule in match[1].split("; "))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"].startswith("'sha256-")
    assert not re.search(r"""(?:src|href)=|url\(|https?:""", page)


def test_the_program_writes_a_page(path: Path, tmp_path: Path) -> None:
    page = tmp_path / "run.html"

    assert main([str(path), "-o", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert "<title>run.db</title>" in text
    shown, data = data_in(text), json.loads(json.dumps(report_data(path)))
    # The page has begins in another form; test_page_views.py reads them.
    del shown["executions"]["beginS"], data["executions"]["beginS"]
    assert shown == data


def test_the_program_writes_json(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(path), "--json", "--report-times=false"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["version"], data["hasTimes"]) == (1, False)


def test_the_driver_writes_a_page(tmp_path: Path) -> None:
    source, page = tmp_path / "in.mlir", tmp_path / "run.html"
    source.write_text(FUNCTIONS, encoding="utf-8")
    output = tmp_path / "out.mlir"

    assert (
        passgen_opt([str(source), "--cse", f"--report={page}", "-o", str(output)]) == 0
    )
    data = data_in(page.read_text(encoding="utf-8"))
    assert [each["argument"] for each in data["passes"]] == ["cse"]
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "in.mlir",
        "out.mlir",
        "run.html",
    ]


def test_a_run_of_a_driver_has_the_flags_that_each_pass_needs(tmp_path: Path) -> None:
    assert recorded_by_driver(tmp_path / "run.db").is_file()

    (run,) = report_data(tmp_path / "run.db")["runs"]
    assert run["settings"]["command"] == DRIVER


def test_the_driver_reports_a_failed_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, page = tmp_path / "in.mlir", tmp_path / "run.html"
    source.write_text("func.func @f() { return }", encoding="utf-8")
    pipeline = "--pass-pipeline=builtin.module(func.func(test-pass-failure))"

    code = passgen_opt([str(source), pipeline, f"--report={page}"], registry=REGISTRY)

    assert code == 1
    assert "reproducer" not in capsys.readouterr().out
    (run,) = data_in(page.read_text(encoding="utf-8"))["runs"]
    assert run["status"] == "failed"
    assert run["error"].startswith("pass 'test-pass-failure' failed on 'func.func'")


@pytest.mark.parametrize(
    ("flags", "code"),
    [
        (["--pass-pipeline=builtin.module(bad)"], 1),
        (["--cse", "--no-such-flag"], 2),
        (["--cse", "-o", "missing/out.mlir"], 1),
    ],
)
def test_the_driver_does_not_report_the_record_of_an_earlier_run(
    tmp_path: Path, flags: list[str], code: int
) -> None:
    record, page = tmp_path / "run.db", tmp_path / "run.html"
    recorded_by_driver(record)
    before = record.read_bytes()
    files = [str(record.with_suffix(".mlir")), f"--record={record}"]

    assert passgen_opt([*files, f"--report={page}", *flags]) == code
    assert not page.exists()
    assert record.read_bytes() == before


def test_the_driver_reports_its_own_run_in_the_record_of_an_earlier_one(
    tmp_path: Path,
) -> None:
    record, page = tmp_path / "run.db", tmp_path / "run.html"
    recorded_by_driver(record)
    files = [str(record.with_suffix(".mlir")), f"--record={record}", "-o", os.devnull]

    assert passgen_opt([*files, "--canonicalize", f"--report={page}"]) == 0
    (pass_,) = data_in(page.read_text(encoding="utf-8"))["passes"]
    assert pass_["argument"] == "canonicalize"


@pytest.mark.parametrize(
    "files",
    [
        ["{record}", "-o", "{record}"],
        ["{record}", "-o", "{link}"],
        ["{record}", "{other}", "-o", "{other}"],
        ["--from-log", "{log}", "-o", "{log}"],
        ["--from-log", "{log}", "--record", "{log}"],
        ["--from-log", "{log}", "--record", "{new}", "-o", "{new}"],
        ["--from-log", "{dumps}", "-o", "{dump}"],
    ],
)
def test_the_program_overwrites_no_file_that_it_reads(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], files: list[str]
) -> None:
    names = {each: tmp_path / each for each in ("other", "log", "new", "link", "dumps")}
    names |= {"record": path, "dump": names["dumps"] / "0.mlir"}
    names["dumps"].mkdir()
    names["link"].symlink_to(path)
    for each in ("other", "log", "dump"):
        names[each].write_bytes(path.read_bytes())
    before = path.read_bytes()

    assert main([each.format(**names) for each in files]) == 1
    assert "would overwrite" in capsys.readouterr().err
    assert not names["new"].exists()
    assert all(names[each].read_bytes() == before for each in ("record", "other"))
    assert all(names[each].read_bytes() == before for each in ("log", "dump"))


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--report={source}"], "the report '{source}' would overwrite the input"),
        (["--report={link}"], "the report '{link}' would overwrite the input"),
        (["--record={source}"], "the record '{source}' would overwrite the input"),
        (
            ["--report={new}", "--record={new}"],
            "the record '{new}' would overwrite the report",
        ),
        (["--report={new}", "-o", "{new}"], "would overwrite the output"),
    ],
)
def test_the_driver_overwrites_no_file_of_the_same_call(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    flags: list[str],
    message: str,
) -> None:
    names = {each: tmp_path / each for each in ("source", "link", "new")}
    names["source"].write_text(FUNCTIONS, encoding="utf-8")
    names["link"].symlink_to(names["source"])

    asked = [each.format(**names) for each in flags]
    assert passgen_opt([str(names["source"]), "--cse", *asked]) == 1
    assert message.format(**names) in capsys.readouterr().err
    assert names["source"].read_text(encoding="utf-8") == FUNCTIONS
    assert not names["new"].exists()


def test_the_output_may_replace_the_input_and_devices_take_all(tmp_path: Path) -> None:
    source = tmp_path / "in.mlir"
    source.write_text(FUNCTIONS, encoding="utf-8")

    assert passgen_opt([str(source), "--cse", "-o", str(source)]) == 0
    assert source.read_text(encoding="utf-8") != FUNCTIONS
    null = os.devnull
    assert passgen_opt([str(source), "--cse", "-o", null, f"--report={null}"]) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["."], "cannot read the record '.': it is a folder"),
        (["missing.db"], "cannot read the record 'missing.db': no such file"),
        (["{source}"], "cannot read the record"),
        (["{record}", "-o", "missing/run.html"], "cannot write 'missing/run.html'"),
    ],
)
def test_errors_say_which_file_and_why(
    path: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    source = tmp_path / "in.mlir"
    source.write_text(FUNCTIONS, encoding="utf-8")
    names = {"{source}": str(source), "{record}": str(path)}

    assert main([names.get(each, each) for each in arguments]) == 1
    assert f"passgen-report: error: {message}" in capsys.readouterr().err
