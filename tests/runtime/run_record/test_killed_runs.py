"""Records and reports of runs whose process was killed."""

from __future__ import annotations

import base64
import json
import re
import signal
import sqlite3
import subprocess
import sys
import zlib
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from passgen_runtime.run_record import RunRecord

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(sys.platform != "linux", reason="signals are Linux's"),
]

DRIVER = """\
import os, signal, sys
from passgen_runtime import OperationPass, PassOptions, PassRegistry
from passgen_runtime.opt import console_main
from passgen_runtime.passes import register_all_passes

class Deadly(OperationPass[PassOptions]):
    argument = "deadly"
    anchor = "func.func"

    def run_on_operation(self) -> None:
        if self.operation.sym_name.data == "b":
            {death}

registry = PassRegistry()
register_all_passes(registry)
registry.register_pass(Deadly)
console_main(registry=registry)
"""
PIPELINE = "-p=builtin.module(func.func(cse,deadly))"
FUNCTIONS = """\
func.func @a() { return }
func.func @b() { return }
"""


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


CRASH = "signal.raise_signal(signal.SIGSEGV)"
KILL = "os.kill(os.getpid(), signal.SIGKILL)"
KILL_PARENT = "os.kill(os.getppid(), signal.SIGKILL); signal.pause()"


def run_until(death: str, *flags: str, text: str = FUNCTIONS) -> int:
    """Run the driver on `text`, in which `@b` leads to `death`; return its exit code."""
    Path("driver.py").write_text(DRIVER.format(death=death), encoding="utf-8")
    Path("in.mlir").write_text(text, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "driver.py", "in.mlir", PIPELINE, *flags],
        capture_output=True,
        check=False,
        timeout=60,
    ).returncode


def summary(record: RunRecord) -> list[tuple[int, str, str, str]]:
    return [
        (each.run_id, each.text, each.operation, each.status)
        for each in record.executions
    ]


def data_in(page: str) -> dict[str, Any]:
    found = re.search(r'id="data">([\w+/=]*)</script>', page)
    assert found is not None
    data: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(found[1])))
    return data


OF_B = [
    (1, "cse", "@a", "succeeded"),
    (1, "deadly", "@a", "succeeded"),
    (1, "cse", "@b", "succeeded"),
    (1, "deadly", "@b", "running"),
]


@pytest.mark.parametrize(
    ("flags", "death"),
    [((), KILL), (("--contain",), KILL_PARENT)],
    ids=["driver", "parent of a contained run"],
)
def test_the_record_of_a_killed_driver_ends_with_the_running_pass(
    flags: tuple[str, ...], death: str
) -> None:
    code = run_until(death, "--record=run.db", *flags)

    assert code == -signal.SIGKILL
    record = RunRecord("run.db")
    assert summary(record) == OF_B
    assert "func.func @b" in record.ir(record.running[0].before_id or 0)


def statuses(data: dict[str, Any]) -> list[str]:
    """Return the status of each execution of a report."""
    unsuccessful = dict(data["unsuccessful"])
    executions = range(len(data["executions"]["pass"]))
    return [unsuccessful.get(each, "succeeded") for each in executions]


@pytest.mark.parametrize(("death", "name"), [(CRASH, "SIGSEGV"), (KILL, "SIGKILL")])
def test_the_parent_of_a_contained_run_writes_the_report(death: str, name: str) -> None:
    code = run_until(death, "--contain", "--record=run.db", "--report=run.html")

    assert code == 1
    assert summary(RunRecord("run.db")) == OF_B
    data = data_in(Path("run.html").read_text(encoding="utf-8"))
    (run,) = data["runs"]
    assert run["status"] == "failed"
    assert f"the process was ended by {name} while pass 'deadly' ran" in run["error"]
    assert statuses(data) == [each[3] for each in OF_B]


def test_the_stack_of_a_crash_is_a_part_of_the_record() -> None:
    run_until(CRASH, "--contain", "--record=run.db")

    with closing(sqlite3.connect("run.db")) as connection:
        ((error,),) = connection.execute("SELECT error FROM run").fetchall()
    assert re.search(r"driver\.py:\d+, in run_on_operation", error)


def test_the_parts_after_a_crash_are_in_the_same_report() -> None:
    parts = "func.func @b() { return }\n// -----\nfunc.func @c() { return }\n"
    run_until(CRASH, "--contain", "--report=run.html", "--split-input-file", text=parts)

    data = data_in(Path("run.html").read_text(encoding="utf-8"))
    assert [each["status"] for each in data["runs"]] == ["failed", "succeeded"]
    assert statuses(data) == ["succeeded", "running", "succeeded", "succeeded"]
    left = sorted(path.name for path in Path.cwd().iterdir())
    assert left == ["driver.py", "in.mlir", "run.html"]


def test_a_record_of_an_earlier_run_is_not_shown_for_one_that_never_began() -> None:
    run_until(KILL, "--record=run.db")
    code = run_until(KILL, "--record=run.db", "--report=run.html", text="no IR")

    assert code == 1
    assert RunRecord("run.db").executions == ()
    assert not Path("run.html").exists()
