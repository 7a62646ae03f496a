"""Reports of the IR dumps that other tools print."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from passgen_tools.record import RunRecord
from passgen_tools.report import main

if TYPE_CHECKING:
    from playwright.sync_api import Page

LOG = """\
in.mlir:1:1: warning: before all passes
// -----// IR Dump After A (a) //----- //
func.func @f() {
  %0 = test.first
  return
}

// -----// IR Dump After B (b) //----- //
func.func @f() {
  return
}

in.mlir:2:3: error: '</script><script>alert(1)</script>'
// -----// IR Dump After C Failed (c) //----- //
func.func @f() {
  test.last
  return
}

"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "opt.log"
    path.write_text(LOG, encoding="utf-8")
    return path


def data_of(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(capsys.readouterr().out)
    return data


def test_a_log_becomes_a_page(log: Path, tmp_path: Path) -> None:
    page = tmp_path / "run.html"

    assert main(["--from-log", str(log), "-o", str(page)]) == 0
    assert "<title>opt.log</title>" in page.read_text(encoding="utf-8")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["opt.log", "run.html"]


def test_its_data_has_no_times_and_no_ir_that_is_not_known(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--from-log", str(log), "--json"]) == 0

    data = data_of(capsys)
    executions = data["executions"]
    assert data["hasTimes"] is False
    assert executions["before"] == [None, *executions["after"][:-1]]
    assert [each["path"] for each in data["passes"]] == [
        "builtin.module/func.func[0]/a[0]",
        "builtin.module/func.func[0]/b[1]",
        "builtin.module/func.func[0]/c[2]",
    ]


def test_standard_input_is_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(LOG.encode()))
    monkeypatch.setattr("sys.stdin", stdin)

    assert main(["--from-log", "-", "--json"]) == 0
    assert len(data_of(capsys)["passes"]) == 3


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_log_is_what_a_shell_makes_of_it(
    log: Path, capsys: pytest.CaptureFixture[str], encoding: str, line_end: str
) -> None:
    _, _, text = LOG.partition("\n")  # it begins with a dump
    log.write_bytes(text.replace("\n", line_end).encode(encoding))

    assert main(["--from-log", str(log), "--json"]) == 0
    data = data_of(capsys)
    assert [each["argument"] for each in data["passes"]] == ["a", "b", "c"]
    assert [each["message"] for each in data["diagnostics"]] == [
        "'</script><script>alert(1)</script>'"
    ]
    assert not any("\r" in each["text"] for each in data["ir"])


def test_the_record_can_be_kept(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = tmp_path / "run.db"

    assert main(["--from-log", str(log), "--record", str(record)]) == 0
    assert [each.text for each in RunRecord(record).changed] == ["b", "c"]
    assert capsys.readouterr().out == ""
    assert main([str(record), "--json"]) == 0
    assert data_of(capsys)["hasTimes"] is False


def test_a_log_that_was_cut_off_is_read_with_a_warning(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log.write_text(LOG[: LOG.index("test.last")], encoding="utf-8")

    assert main(["--from-log", str(log), "--json"]) == 0
    captured = capsys.readouterr()
    assert len(json.loads(captured.out)["passes"]) == 2
    assert captured.err == (
        f"passgen-report: warning: '{log}' ends within a dump, which is left out\n"
    )


def test_a_log_without_dumps_is_an_error(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log.write_text("module {\n}\n", encoding="utf-8")
    page = tmp_path / "run.html"

    assert main(["--from-log", str(log), "-o", str(page)]) == 1
    assert capsys.readouterr().err == (
        f"passgen-report: error: no IR dump in '{log}';"
        " run the tool with --mlir-print-ir-after-all\n"
    )
    assert not page.exists()


@pytest.mark.parametrize("arguments", [[], ["run.db", "--from-log", "opt.log"]])
def test_a_report_is_of_records_or_of_a_log(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)

    assert ended.value.code == 2
    assert "expected one or two records, or a log" in capsys.readouterr().err


@pytest.mark.browser
def test_the_page_says_what_the_log_does_not(
    page: Page, log: Path, tmp_path: Path
) -> None:
    file = tmp_path / "run.html"
    main(["--from-log", str(log), "-o", str(file)])
    page.goto(file.as_uri())
    page.wait_for_selector("body[data-ready]")

    assert "passes that printed none are missing" in page.inner_text("#run-line")
    failure = page.inner_text("#failure")
    assert "warning: before all passes" in failure
    assert "c failed on @f" in failure
    rows = page.locator("#passes .row.pass").all_inner_texts()
    assert "1 not known" in rows[0]
    assert page.inner_text("#detail h2") == "c on @f"
    assert page.locator("#passes .time").count() == 0
    page.check("#all")
    page.click("#passes .row.pass >> nth=0")
    page.click("#passes .row.operation >> nth=0")
    assert "The IR before the pass is not in the log" in page.inner_text("#detail")
    assert "test.first" in page.inner_text("#detail .ir")
    page.click("#passes .row.operation >> nth=1")
    assert "error: '</script>" in page.inner_text("#detail .message")
