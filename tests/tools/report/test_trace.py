"""Traces in Chrome's JSON format: the passes of a record as slices."""

from __future__ import annotations

import gzip
import json
import sqlite3
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from passgen_runtime import OpPassManager
from passgen_runtime.passes.canonicalize import Canonicalizer
from passgen_runtime.passes.cse import CSE
from passgen_tools.opt import main as passgen_opt
from passgen_tools.record import RecordError, record, record_dumps
from passgen_tools.report import main, write_trace
from tests.recording import Running, Session
from tests.tools.report.recorded_runs import (
    DRIVER,
    FUNCTIONS,
    failed,
    recorded,
)
from tests.tools.report.test_report_from_log import LOG


def trace(path: Path) -> list[dict[str, Any]]:
    """Return the events of a record."""
    file = path.with_suffix(".json")
    write_trace(path, file)
    events: list[dict[str, Any]] = json.loads(file.read_text("utf-8"))["traceEvents"]
    return events


def slices(path: Path) -> list[dict[str, Any]]:
    """Return the slices of a record by time, which must be nested in each track."""
    found = [event for event in trace(path) if event["ph"] == "X"]
    found.sort(key=lambda event: (event["ts"], -event["dur"]))
    ends: defaultdict[tuple[int, int], list[float]] = defaultdict(list)
    for event in found:
        stack = ends[event["pid"], event["tid"]]
        end = round(event["ts"] + event["dur"], 1)
        while stack and stack[-1] <= event["ts"]:
            stack.pop()
        assert not stack or end <= stack[-1], event
        stack.append(end)
    return found


def names_in_tracks(path: Path) -> dict[str, list[str]]:
    """Return the names of all slices in each track."""
    events = trace(path)
    tracks = {
        (event["pid"], event["tid"]): event["args"]["name"]
        for event in events
        if event["name"] == "thread_name"
    }
    names: defaultdict[str, list[str]] = defaultdict(list)
    for event in slices(path):
        names[tracks[event["pid"], event["tid"]]].append(event["name"])
    return dict(names)


def change(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)


def test_each_pass_is_a_slice_in_that_of_its_pipeline(tmp_path: Path) -> None:
    names = names_in_tracks(recorded(tmp_path / "run.db"))

    on_function = ["'func.func' Pipeline", "cse", "canonicalize", "plant"]
    outermost = ["'builtin.module' Pipeline", *on_function * 3, "symbol-dce"]
    assert names == {"thread 0": outermost}


def test_a_slice_says_what_ran_where_and_whether_it_changed_anything(
    tmp_path: Path,
) -> None:
    events = slices(recorded(tmp_path / "run.db"))
    pipeline = next(each for each in events if each["args"]["operation"] == "@g")
    canonicalize = next(each for each in events if each["name"] == "canonicalize")
    args = canonicalize["args"]

    assert pipeline["args"] == {
        "place": "builtin.module/func.func[0]",
        "operation": "@g",
    }
    assert args.pop("options").startswith("{max-iterations=10 ")
    assert args == {
        "argument": "canonicalize",
        "place": "builtin.module/func.func[0]/canonicalize[1]",
        "operation": "@f",
        "changed": False,
    }
    cse = next(event["args"] for event in events if event["name"] == "cse")
    assert (cse["changed"], cse["options"]) == (True, "")


def test_a_pass_that_runs_a_pipeline_is_around_it(tmp_path: Path) -> None:
    session = Session(FUNCTIONS)

    def run_inside(running: Running) -> None:
        inner = OpPassManager("func.func")
        inner.add_pass(CSE())
        running.run_pipeline(inner, running.operation)

    functions = session.manager.nest("func.func")
    functions.add_pass(session.step("outer", run_inside, argument="outer"))
    with record(session.manager, tmp_path / "run.db"):
        session.run()
    names = names_in_tracks(tmp_path / "run.db")["thread 0"]

    assert names[1:5] == [
        "'func.func' Pipeline",
        "outer",
        "'func.func' Pipeline",
        "cse",
    ]


def test_workers_have_tracks_with_their_pipelines(tmp_path: Path) -> None:
    path = recorded(tmp_path / "run.db")
    change(
        path,
        """UPDATE execution SET thread = -(operation_id % 2) - 1
           WHERE operation_id != (SELECT operation_id FROM run)""",
    )
    names = names_in_tracks(path)

    on_function = ["'func.func' Pipeline", "cse", "canonicalize", "plant"]
    assert sorted(names) == ["thread 0", "worker 1", "worker 2"]
    assert names["thread 0"] == ["'builtin.module' Pipeline", "symbol-dce"]
    assert sorted(names["worker 1"] + names["worker 2"]) == sorted(on_function * 3)


def test_clocks_of_workers_may_differ(tmp_path: Path) -> None:
    path = recorded(tmp_path / "run.db")
    change(path, "UPDATE execution SET thread = -1, begin_s = begin_s - id * 1e-4")

    assert len(slices(path)) == 13


def test_a_killed_run_has_the_passes_that_were_running(tmp_path: Path) -> None:
    path = recorded(tmp_path / "run.db")
    change(
        path,
        """UPDATE run SET status = 'running', wall_time_s = NULL;
           UPDATE execution SET status = 'running', end_s = NULL, after_id = NULL
           WHERE id IN (3, 5);
           DELETE FROM statistic;
           DELETE FROM diagnostic;
           DELETE FROM execution WHERE id > 5""",
    )
    events = slices(path)

    passes = [event for event in events if event["cat"] == "pass"]
    assert [event["args"].get("status") for event in passes] == [*[None] * 4, "running"]
    # The third one has ended: another one follows it.
    assert passes[2]["ts"] + passes[2]["dur"] == pytest.approx(passes[3]["ts"], abs=0.3)


def test_a_failed_pass_is_marked(tmp_path: Path) -> None:
    events = slices(failed(tmp_path / "run.db"))

    assert [
        event["args"]["operation"] for event in events if "status" in event["args"]
    ] == ["@g"]


def test_a_skipped_pass_is_marked(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    session = Session("func.func @f() { return }")
    functions = session.manager.nest("func.func")
    for pass_ in (Canonicalizer(), CSE(), Canonicalizer()):
        functions.add_pass(pass_)
    with record(session.manager, path):
        session.run()
    passes = [each for each in slices(path) if each["cat"] == "pass"]
    found = [(each["name"], each["args"].get("status")) for each in passes]
    assert found == [
        ("canonicalize", None),
        ("cse", None),
        ("canonicalize", "skipped"),
    ]
    assert not any(each["args"]["changed"] for each in passes)


def test_a_run_begins_where_the_one_before_it_ended(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    session = Session(FUNCTIONS)
    session.manager.add_pass(CSE())
    with record(session.manager, path):
        session.run()
        session.run()
    first, second = (event for event in slices(path) if event["name"] == "cse")

    # Readers know a thread by its number alone.
    assert len({first["pid"], second["pid"]}) == len({first["tid"], second["tid"]}) == 2
    assert second["ts"] >= first["ts"] + first["dur"]


def test_a_compressed_trace_is_the_same(tmp_path: Path) -> None:
    path = recorded(tmp_path / "run.db")
    assert main([str(path), f"--trace={tmp_path / 'run.json.gz'}"]) == 0

    compressed = gzip.decompress((tmp_path / "run.json.gz").read_bytes())
    assert json.loads(compressed)["traceEvents"] == trace(path)


def test_the_driver_writes_a_trace_with_and_without_a_record(tmp_path: Path) -> None:
    source = tmp_path / "in.mlir"
    source.write_text(FUNCTIONS, encoding="utf-8")
    name, *flags = DRIVER
    line = [str(source), "-o", str(tmp_path / "out"), *flags, "--cse"]
    for more in ([], [f"--record={tmp_path / 'run.db'}"]):
        trace = tmp_path / "run.json"
        assert passgen_opt([*line, f"--trace={trace}", *more], name=name) == 0
        events = json.loads(trace.read_text("utf-8"))["traceEvents"]
        assert "cse" in [event["name"] for event in events]
        trace.unlink()


@pytest.mark.parametrize("program", [main, passgen_opt])
def test_a_trace_has_a_name_of_its_format(
    program: Any,  # noqa: ANN401 - one of two
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    try:
        code = program([str(recorded(tmp_path / "run.db")), "--trace=run.pb"])
    except SystemExit as exit_:
        code = exit_.code

    assert code != 0
    said = capsys.readouterr().err
    assert "--trace: expected a name that ends in .json or .json.gz" in said


def test_a_log_has_no_times(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    record_dumps(LOG.encode().splitlines(keepends=True), path)

    with pytest.raises(RecordError, match="has no times: it is the record of a log"):
        write_trace(path, tmp_path / "log.json")
    assert not (tmp_path / "log.json").exists()


def test_a_trace_that_cannot_be_written_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = recorded(tmp_path / "run.db")
    (tmp_path / "folder.json").mkdir()

    assert main([str(path), f"--trace={tmp_path / 'folder.json'}"]) == 1
    assert "cannot write the trace" in capsys.readouterr().err
