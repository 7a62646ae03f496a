"""Damaged records: what is read from them, or why nothing is."""

from __future__ import annotations

import json
import random
import sqlite3
import struct
import zlib
from contextlib import closing
from pathlib import Path

import pytest

from passgen_tools.record import (
    RecordError,
    RunRecord,
    begin_record,
    end_killed_run,
    record_file,
    run_record,
)
from passgen_tools.record.record_check import connect
from passgen_tools.report import main, report_data
from tests.tools.report.recorded_runs import recorded

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
        "UPDATE execution SET begin_s = -1e308, end_s = 1e308",
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


ENDLESS_VIEW = """
    DROP TABLE statistic;
    CREATE VIEW statistic AS WITH RECURSIVE counted(n) AS (
        SELECT 1 UNION ALL SELECT n + 1 FROM counted
    ) SELECT n AS execution_id, 'name' AS name, n AS value FROM counted;
"""
OTHER_COLUMNS = """
    DROP TABLE statistic;
    CREATE TABLE statistic (
        execution_id INTEGER NOT NULL, name TEXT NOT NULL,
        value INTEGER NOT NULL AS (length(zeroblob(2000000000))),
        PRIMARY KEY (execution_id, name)
    );
"""
SEARCHED_TABLE = """
    DROP TABLE statistic;
    CREATE VIRTUAL TABLE statistic USING fts5(execution_id, name, value);
"""


ANOTHER_CHECK = """
    DROP TABLE statistic;
    CREATE TABLE statistic (
        execution_id INTEGER NOT NULL REFERENCES execution, name TEXT NOT NULL,
        value INTEGER NOT NULL CHECK (instr(zeroblob(60000000), name) = 0),
        PRIMARY KEY (execution_id, name)
    );
"""
TRIGGER = "CREATE TRIGGER t DELETE ON run BEGIN DELETE FROM pass; END;"


@pytest.mark.parametrize(
    "script", [ENDLESS_VIEW, OTHER_COLUMNS, SEARCHED_TABLE, ANOTHER_CHECK, TRIGGER]
)
def test_the_tables_of_a_record_are_those_that_the_runtime_makes(
    tmp_path: Path, script: str
) -> None:
    path = recorded(tmp_path / "run.db")
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)

    with pytest.raises(RecordError, match="is no record of passgen"):
        RunRecord(path)


def journal_that_names(victim: Path) -> bytes:
    """Return a rollback journal for which SQLite removes `victim`."""
    magic = bytes.fromhex("d9d505f920a163d7")
    header = magic + struct.pack(">IIIII", 0, 0, 1, 512, 4096)
    name = bytes(victim)
    record = struct.pack(">I", 0x40000000 // 4096 + 1) + name
    check = struct.pack(">II", len(name), sum(name))
    return header.ljust(512, b"\0") + record + check + magic


def test_a_journal_beside_a_record_is_not_rolled_back(tmp_path: Path) -> None:
    path = recorded(tmp_path / "run.db")
    victim = tmp_path / "victim.txt"
    victim.write_text("kept")
    journal = tmp_path / "run.db-journal"
    journal.write_bytes(journal_that_names(victim))

    with pytest.raises(RecordError, match=r"run\.db-journal' is beside the record"):
        RunRecord(path)

    assert victim.exists()
    assert journal.exists()


def test_the_empty_end_of_a_sparse_file_is_no_part_of_a_record(tmp_path: Path) -> None:
    path = recorded(tmp_path / "run.db")
    executions = RunRecord(path).executions
    with path.open("rb+") as file:
        file.truncate(2**31)

    assert RunRecord(path).executions == executions


def test_a_query_that_does_not_end_is_interrupted(tmp_path: Path) -> None:
    path = recorded(tmp_path / "run.db")
    endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n FROM c) SELECT n "

    with pytest.raises(RecordError, match="interrupted"), connect(path) as connection:
        connection.execute(endless + "FROM c WHERE n > 1").fetchall()


def test_the_text_of_a_record_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = recorded(tmp_path / "run.db")
    bomb = zlib.compress(bytes(10**6))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE ir SET text = ?", (bomb,))
    monkeypatch.setattr(run_record, "_MAX_TEXT_BYTES", 10**5)

    for read in (read_all, read_data):
        with pytest.raises(RecordError, match="more text than a record may have"):
            read(path)


def test_ir_whose_parts_double_is_refused(tmp_path: Path) -> None:
    path = recorded(tmp_path / "run.db")
    with closing(sqlite3.connect(path)) as connection, connection:
        ((last,),) = connection.execute("SELECT max(id) FROM ir")
        for row_id in range(last + 1, last + 100):
            row = (row_id, str(row_id).encode(), zlib.compress(b"module"))
            connection.execute("INSERT INTO ir VALUES (?, ?, ?, 1)", row)
            for place, name in enumerate(("@a", "@b")):
                child = (row_id, place, row_id - 1, name)
                connection.execute("INSERT INTO ir_child VALUES (?, ?, ?, ?)", child)

    for read in (read_all, read_data):
        with pytest.raises(RecordError, match="a text of its IR is without end"):
            read(path)


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

    with pytest.raises(RecordError, match=r"other\.db' is no record"):
        end_killed_run(path, "killed")


def test_a_record_that_cannot_be_begun_leaves_the_earlier_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = recorded(tmp_path / "run.db")
    data = path.read_bytes()

    def fill_the_disk(connection: sqlite3.Connection) -> None:
        connection.execute("CREATE TABLE run (id)")
        message = "disk full"
        raise sqlite3.OperationalError(message)

    monkeypatch.setattr(record_file, "make_tables", fill_the_disk)
    record_file._empty_record.cache_clear()  # noqa: SLF001 - as if nothing was recorded

    with pytest.raises(RecordError, match=r"cannot write the record .*: disk full"):
        begin_record(path)
    assert path.read_bytes() == data
    assert list(tmp_path.iterdir()) == [path]


def test_a_record_that_is_whole_is_read(tmp_path: Path) -> None:
    path = recorded(tmp_path / "run.db")

    read_all(path)
    read_data(path)
