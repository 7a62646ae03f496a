"""Records and reports of runs whose process was killed."""

from __future__ import annotations

import re
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from passgen_tools.record import RunRecord
from tests.deadly_driver import deadly_driver
from tests.tools.report.recorded_runs import data_in

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(sys.platform != "linux", reason="signals are Linux's"),
]

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


def run_until(
    death: str, *flags: str, text: str = FUNCTIONS
) -> subprocess.CompletedProcess[str]:
    """Run the driver on `text`, in which `@b` leads to `death`."""
    Path("in.mlir").write_text(text, encoding="utf-8")
    return subprocess.run(
        [*deadly_driver(Path(), death), "in.mlir", PIPELINE, *flags],
        capture_output=True,
        check=False,
        text=True,
        timeout=60,
    )


def summary(record: RunRecord) -> list[tuple[int, str, str, str]]:
    return [
        (each.run_id, each.text, each.operation, each.status)
        for each in record.executions
    ]


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
    ended = run_until(death, "--record=run.db", *flags)

    assert ended.returncode == -signal.SIGKILL
    record = RunRecord("run.db")
    assert summary(record) == OF_B
    (running,) = record.running
    assert running.path == "builtin.module/func.func[0]/deadly[1]"
    assert "func.func @b" in record.ir(running.before_id)


def statuses(data: dict[str, Any]) -> list[str]:
    """Return the status of each execution of a report."""
    unsuccessful = dict(data["unsuccessful"])
    executions = range(len(data["executions"]["pass"]))
    return [unsuccessful.get(each, "succeeded") for each in executions]


@pytest.mark.parametrize(("death", "name"), [(CRASH, "SIGSEGV"), (KILL, "SIGKILL")])
def test_the_parent_of_a_contained_run_writes_the_report(death: str, name: str) -> None:
    ended = run_until(death, "--contain", "--record=run.db", "--report=run.html")

    assert ended.returncode == 1
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
    files = ("--record=run.db", "--report=run.html")
    ended = run_until(KILL, *files, text="no IR")

    assert ended.returncode == 1
    assert RunRecord("run.db").executions == ()
    assert not Path("run.html").exists()


@pytest.mark.parametrize(
    "files", [("--record=run.db",), ("--record=run.db", "--report=run.html")]
)
def test_a_crash_is_reported_also_where_its_record_is_damaged(
    files: tuple[str, ...],
) -> None:
    damage = "open('run.db', 'wb').write(b'no record')"
    ended = run_until(f"{damage}; {CRASH}", "--contain", *files)

    assert ended.returncode == 1
    assert "ended by SIGSEGV while pass 'deadly' ran" in ended.stderr
    assert "'run.db' is no record" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert not Path("run.html").exists()
