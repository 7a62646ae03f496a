"""Damaged records: what is read from them, or why nothing is."""

from __future__ import annotations

import json
import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from passgen_runtime.extensions.record import RecordError, RunRecord, end_killed_run
from passgen_runtime.extensions.report import main, report_data
from tests.runtime.extensions.report.recorded_runs import recorded

NUM_DAMAGES = 200


def damaged(data: bytes, random_: random.Random) -> bytes:
    """Return `data` cut, or with some bytes in a row or apart replaced."""
    kind = random_.randrange(4)
    place = random_.randrange(len(data))
    if kind == 0:
        return data[:place]
    changed = bytearray(data)
    size = random_.choice((1, 8, 200))
    if kind == 1:
        changed[place : place + size] = random_.randbytes(size)
    else:
        for _ in range(size):
            changed[random_.randrange(len(data))] ^= 1 << random_.randrange(8)
    return bytes(changed)


def read_all(path: Path) -> None:
    """Read all that a record offers."""
    run = RunRecord(path)
    for plain in (run.timing, run.statistics, run.diagnostics, run.running):
        repr(plain)
    for each in run.executions:
        run.ir(each.before_id)
    run.introduced("planted")
    run.removed("arith.addi")


def read_data(path: Path) -> None:
    json.dumps(report_data(path))


def test_a_damaged_record_is_read_or_refused(tmp_path: Path) -> None:
    data = recorded(tmp_path / "run.db").read_bytes()
    random_ = random.Random(0)  # noqa: S311 - of test data
    path = tmp_path / "damaged.db"
    messages = set()
    for number in range(NUM_DAMAGES):
        path.write_bytes(damaged(data, random_))
        try:
            (read_all if number % 2 else read_data)(path)
        except RecordError as error:
            messages.add(str(error).split("'")[2])

    assert any(each.startswith(" is damaged: ") for each in messages)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE ir SET text = x'00'",
        "UPDATE ir SET text = 1",
        "UPDATE pass SET text = x'ff'",
        "UPDATE ir_child SET child_id = ir_id",
        "UPDATE run SET settings = '{'",
        "UPDATE run SET settings = 'null'",
        "UPDATE run SET settings = replace(hex(zeroblob(50000)), '0', '[')",
        """UPDATE run SET versions = '{"a": NaN}'""",
        "UPDATE run SET wall_time_s = 9e999",
        "UPDATE run SET status = 'odd'",
        "UPDATE ir SET num_operations = -1",
        "UPDATE execution SET end_s = 9e999",
        "UPDATE execution SET before_id = 99",
    ],
)
def test_the_program_says_that_a_record_is_damaged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], damage: str
) -> None:
    path = recorded(tmp_path / "run.db")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(damage)

    assert main([str(path), "--json"]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"passgen-report: error: '{path}' is damaged: ")


def test_two_runs_are_compared_though_an_operation_is_not_known(
    tmp_path: Path,
) -> None:
    path = recorded(tmp_path / "run.db")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE run SET operation_id = NULL")

    assert report_data(path, path)["comparison"]["firstDivergence"] is None


@pytest.mark.parametrize("begin", [0, 2000])
def test_the_end_of_a_killed_run_is_not_written_to_a_damaged_record(
    tmp_path: Path, begin: int
) -> None:
    path = recorded(tmp_path / "run.db")
    data = path.read_bytes()[:begin]
    path.write_bytes(data + b"\xff" * 20_000 if begin else b"func.func")

    with pytest.raises(RecordError, match=rf"{path}"):
        end_killed_run(path, "killed")


def test_the_end_of_a_killed_run_is_not_written_to_another_database(
    tmp_path: Path,
) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE other (id)")

    with pytest.raises(RecordError, match=r"cannot write the record .* no such table"):
        end_killed_run(path, "killed")


def test_a_record_that_is_whole_is_read(tmp_path: Path) -> None:
    path = recorded(tmp_path / "run.db")

    read_all(path)
    read_data(path)
