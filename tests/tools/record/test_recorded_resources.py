"""Records of IR with resources: they keep each content once, and give it back."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import zlib
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from passgen_tools import bisect
from passgen_tools.bisect import first_difference
from passgen_tools.opt import main
from passgen_tools.record import RecordedSteps, RecordError, RunRecord, record_dumps

SOURCE = """\
func.func @f() -> tensor<2xi32> {
  %0 = arith.constant dense_resource<weights> : tensor<2xi32>
  %1 = arith.constant dense_resource<weights> : tensor<2xi32>
  return %1 : tensor<2xi32>
}
func.func @g() -> tensor<2xi32> {
  %0 = arith.constant dense_resource<biases> : tensor<2xi32>
  return %0 : tensor<2xi32>
}
{-#
  dialect_resources: {
    builtin: {
      weights: "0x040000000100000002000000",
      biases: "0x040000000300000004000000"
    }
  },
  external_resources: {
    compiler: {
      target: "gpu",
      is_fast: true
    }
  }
#-}
"""
CONTENTS = ("0x040000000100000002000000", "0x040000000300000004000000")
OTHER_WEIGHTS = SOURCE.replace("0100000002000000", "0100000009000000")
PIPELINE = "--pass-pipeline=builtin.module(func.func(cse,canonicalize),symbol-dce)"


class Drivers(NamedTuple):
    """Runs the driver on IR of one library."""

    flag: str
    capsys: pytest.CaptureFixture[str]

    def run(self, *flags: str, code: int = 0) -> str:
        """Return the output of the driver; its errors if it is to fail."""
        assert main([self.flag, *flags]) == code
        captured = self.capsys.readouterr()
        return captured.err if code else captured.out


@pytest.fixture(params=["xdsl", pytest.param("mlir", marks=pytest.mark.bindings)])
def drivers(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Drivers:
    monkeypatch.chdir(tmp_path)
    Path("input.mlir").write_text(SOURCE)
    Path("other.mlir").write_text(OTHER_WEIGHTS)
    return Drivers(f"--ir={request.param}", capsys)


def recorded(drivers: Drivers, name: str = "input", *flags: str) -> str:
    """Write the record of a run; return the output of the run."""
    return drivers.run(f"{name}.mlir", PIPELINE, f"--record={name}.db", *flags)


def execute(statement: str, path: str = "input.db") -> None:
    """Change a record."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(statement)


def test_a_run_that_goes_on_from_any_step_has_the_resources(drivers: Drivers) -> None:
    whole = recorded(drivers)

    assert all(content.upper()[2:] in whole.upper() for content in CONTENTS)
    for step in ("0", "cse", "canonicalize", "symbol-dce"):
        assert drivers.run(f"--start-from=input.db:{step}") == whole


def test_a_run_that_is_resumed_has_the_resources(drivers: Drivers) -> None:
    whole = recorded(drivers)
    execute("UPDATE execution SET status = 'failed' WHERE id > 2")

    resumed = drivers.run("input.mlir", PIPELINE, "--resume=input.db")
    # MLIR renames resources that are parsed again in one context.
    assert re.sub(r"(weights|biases)_1", r"\1", resumed) == whole


def test_a_record_keeps_each_content_once(drivers: Drivers) -> None:
    recorded(drivers)

    with closing(sqlite3.connect("input.db")) as connection:
        query = "SELECT count(*), count(DISTINCT digest) FROM resource"
        assert connection.execute(query).fetchall() == [(4, 4)]


def test_a_record_with_hashes_is_compared_and_not_resumed(drivers: Drivers) -> None:
    recorded(drivers, "input", "--record-resource-hashes")
    recorded(drivers, "other", "--record-resource-hashes")

    for flags in (["--start-from=input.db:cse"], ["input.mlir", "--resume=input.db"]):
        pipeline = [PIPELINE] if "input.mlir" in flags else []
        error = drivers.run(*flags, *pipeline, code=1)
        assert "only the hash of the resource 'biases'" in error
        assert "--record-resource-hashes" in error
    assert first_difference("input.db", "other.db") is not None


def test_runs_that_differ_in_a_resource_only_differ(drivers: Drivers) -> None:
    recorded(drivers)
    recorded(drivers, "other")

    difference = first_difference("input.db", "other.db")
    assert difference is not None
    assert (difference.old, difference.new) == (None, None)
    assert difference.old_text != difference.new_text


def test_runs_that_differ_in_an_external_resource_only_differ(
    drivers: Drivers,
) -> None:
    Path("other.mlir").write_text(SOURCE.replace('"gpu"', '"cpu"'))
    recorded(drivers)
    recorded(drivers, "other")

    difference = first_difference("input.db", "other.db")
    assert difference is not None
    assert "external resource 'target' of 'compiler'" in difference.new_text
    assert difference.old_text != difference.new_text


def test_the_check_of_a_bisection_gets_the_resources(drivers: Drivers) -> None:
    recorded(drivers)
    texts: list[str] = []

    def is_bad(text: str) -> bool:
        texts.append(text)
        return text.count("arith.constant") < 3

    culprit = bisect.bisect("input.db", is_bad)

    assert culprit.step.argument == "cse"
    for text in texts:
        assert all(content.upper()[2:] in text.upper() for content in CONTENTS)
        assert 'target: "gpu"' in text
        Path("checked.mlir").write_text(text)
        drivers.run("checked.mlir")


def older_version(path: str = "input.db") -> None:
    """Make a record one of the version that kept no resources."""
    execute(
        "DROP TABLE ir_resource; DROP TABLE external_resource; DROP TABLE resource;"
        "PRAGMA user_version = 2",
        path,
    )


def test_a_resource_that_an_older_record_lacks_is_named(drivers: Drivers) -> None:
    recorded(drivers)
    older_version()
    steps = RecordedSteps(RunRecord("input.db"))

    lacks = "lacks the resource 'weights'"
    assert lacks in drivers.run("--start-from=input.db:cse", code=1)
    with pytest.raises(RecordError, match=lacks):
        bisect.bisect("input.db", lambda text: "muli" in text)
    assert "arith.constant" in steps.record.shown_ir(steps.after_id)


def test_an_older_record_without_resources_is_read(drivers: Drivers) -> None:
    Path("input.mlir").write_text("func.func @f() { return }")
    whole = recorded(drivers)
    older_version()

    assert drivers.run("--start-from=input.db:cse") == whole


def test_a_log_of_whole_modules_keeps_their_resources(drivers: Drivers) -> None:
    flags = ("--mlir-print-ir-before-all", "--mlir-print-ir-after-all")
    assert main([drivers.flag, "input.mlir", "--symbol-dce", "--cse", *flags]) == 0
    Path("run.log").write_text(drivers.capsys.readouterr().err)

    record_dumps(Path("run.log"), Path("log.db"))

    steps = RecordedSteps(RunRecord("log.db"))
    text = steps.text(steps.states_after(1))
    assert all(content.upper()[2:] in text.upper() for content in CONTENTS)


def test_a_log_of_functions_lacks_their_resources(drivers: Drivers) -> None:
    flags = ("--mlir-print-ir-before-all", "--mlir-print-ir-after-all")
    assert main([drivers.flag, "input.mlir", PIPELINE, *flags]) == 0
    dumps = drivers.capsys.readouterr().err.partition("// -----// IR Dump Before Sym")
    Path("run.log").write_text(dumps[0])
    record_dumps(Path("run.log"), Path("log.db"))
    record = RunRecord("log.db")

    with pytest.raises(RecordError, match="lacks the resource 'weights'"):
        record.ir(record.executions[0].before_id)


def test_a_content_that_is_no_literal_is_damage(drivers: Drivers) -> None:
    recorded(drivers)
    literal = '"0x00" } }, external_resources: { mlir_reproducer: { pipeline: "a"'
    content = zlib.compress(literal.encode()).hex()
    execute(f"UPDATE resource SET content = x'{content}'")  # noqa: S608 - digits

    error = drivers.run("--start-from=input.db:cse", code=1)
    assert "damaged: the content of a resource is no literal" in error


@pytest.mark.process
@pytest.mark.slow
def test_the_command_that_reduces_a_reproducer_keeps_the_resources(
    drivers: Drivers,
) -> None:
    recorded(drivers)
    Path("check.sh").write_text(
        'grep -qi 0100000002000000 "$1" &&'
        ' test $(grep -c "resource<weights" "$1") -ge 2\n'
    )
    check = ["--", "sh", "check.sh", "{}"]

    assert bisect.main(["input.db", "--reproducer=bad.mlir", *check]) == 0
    report = drivers.capsys.readouterr().out
    assert "not confirmed" not in report
    *_, command = report.strip().splitlines()
    reduced = subprocess.run(
        ["sh", "-c", command], capture_output=True, text=True, check=False
    )
    assert reduced.returncode == 0, reduced.stderr
    assert "0100000002000000" in Path("bad.reduced.mlir").read_text()


@pytest.mark.process
def test_workers_send_the_resources(drivers: Drivers) -> None:
    whole = recorded(drivers)
    recorded(drivers, "input", "--jobs=2", "--jobs-always", "--record=jobs.db")

    assert first_difference("input.db", "jobs.db") is None
    for step in ("cse", "canonicalize", "symbol-dce"):
        assert drivers.run(f"--start-from=jobs.db:{step}") == whole


def test_local_scope_has_no_resources(drivers: Drivers) -> None:
    assert "{-#" not in drivers.run("input.mlir", "--mlir-print-local-scope")


def test_hashes_of_resources_need_a_record(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    source = tmp_path / "input.mlir"
    source.write_text(SOURCE)

    assert main([str(source), "--cse", "--record-resource-hashes"]) != 0
    message = "for the --record-resource-hashes option: it needs --record"
    assert message in capsys.readouterr().err


def test_two_records_without_runs_are_not_compared(tmp_path: Path) -> None:
    source = tmp_path / "bad.mlir"
    source.write_text("module {")
    records = [tmp_path / name for name in ("old.db", "new.db")]
    for path in records:
        assert main([str(source), "--cse", f"--record={path}"]) == 1

    with pytest.raises(RecordError, match="has no run"):
        first_difference(*records)
