"""Records with odd values in each column: a message, and never a traceback."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import settings

from passgen_tools import bisect, report
from passgen_tools.opt import main as opt
from tests.tools.report.recorded_runs import recorded

ODD_VALUES = {
    "huge": 1e308,
    "negative": -1e308,
    "infinite": 9e999,
    "maximum": 2**63 - 1,
    "minimum": -(2**63),
    "text": "x",
    "long index": f"func.func[{'9' * 6000}]/cse[{'9' * 6000}]",
    "odd index": "builtin.module/func.func[-1]/cse[\u0663]",
    "empty": "",
    "blob": b"\xff\x00" * 100,
    "null": None,
}


def columns(path: Path) -> Iterator[tuple[str, str]]:
    with closing(sqlite3.connect(path)) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type='table'")
        for (table,) in tables.fetchall():
            for row in connection.execute(f"PRAGMA table_info({table})"):
                yield table, row[1]


def change(path: Path, table: str, column: str, value: object) -> bool:
    """Put `value` into a column of a row; return whether SQLite takes it."""
    first = f"(SELECT {column} FROM {table} LIMIT 1)"  # noqa: S608 - a table of ours
    query = f"UPDATE {table} SET {column} = ? WHERE {column} IS {first}"  # noqa: S608 - as above
    with closing(sqlite3.connect(path)) as connection:
        try:
            connection.execute(query, (value,))
        except sqlite3.Error:
            return False
        connection.commit()
        return True


@pytest.mark.slow
@pytest.mark.parametrize("odd", ODD_VALUES)
def test_odd_values_are_read_or_refused(
    odd: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    good = recorded(tmp_path / "good.db")
    num_changed = 0
    # `make explore` takes every column; other runs one in four, another for each value.
    step = 100 // min(settings().max_examples, 100)
    first = list(ODD_VALUES).index(odd) % step
    for table, column in islice(columns(good), first, None, step):
        bad = tmp_path / "bad.db"
        shutil.copyfile(good, bad)
        if not change(bad, table, column, ODD_VALUES[odd]):
            continue
        num_changed += 1
        page, trace = str(tmp_path / "o.html"), tmp_path / "t.json"
        programs: list[tuple[Callable[[list[str]], int], list[str]]] = [
            (report.main, [str(bad), "-o", page]),
            (report.main, [str(good), str(bad), "-o", page]),
            (report.main, [str(good), str(bad), "--fail-on=new-errors"]),
            (report.main, [str(bad), f"--trace={trace}"]),
            (bisect.main, [str(good), str(bad)]),
            (opt, [f"--start-from={bad}:1", "-o", "/dev/null"]),
        ]
        for program, arguments in programs:
            try:
                code: object = program(arguments)
            except SystemExit as end:
                code = end.code
            errors = capfd.readouterr().err
            place = f"{arguments}: {table}.{column} = {odd}: {errors[-2000:]}"
            assert code in {0, 1, 2}, place
            assert "Traceback" not in errors, place
            assert "bug" not in errors, place
    assert num_changed
