"""Run records: what is written while passes run, and what is read from the file."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from passgen_runtime import (
    OpPassManager,
    PassFailure,
    parse_pass_manager,
    statistic,
)
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.passes import shipped_registry
from passgen_runtime.passes.canonicalize import Canonicalizer
from passgen_runtime.passes.cse import CSE
from passgen_runtime.passes.symbol_dce import SymbolDCE
from passgen_runtime.runners import Threads
from passgen_tools.record import (
    Execution,
    RecordedSteps,
    RecordError,
    RunRecord,
    enable_recording,
    record,
)
from passgen_tools.report import report_data
from tests.recording import FUNCTIONS, Running, Session, every_level
from tests.tools.report.recorded_runs import FUNCTIONS as TWICE
from tests.tools.report.recorded_runs import recorded


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.db"


def cleaned_up(path: Path, *, threads: bool = False) -> RunRecord:
    """Return the record of three passes over `TWICE`."""
    session = Session(TWICE)
    functions = session.manager.nest("func.func")
    functions.add_pass(CSE())
    functions.add_pass(Canonicalizer())
    session.manager.add_pass(SymbolDCE())
    if threads:
        session.manager.runner = Threads(max_workers=4, policy=every_level)
    with record(session.manager, path):
        session.run()
    return RunRecord(path)


def summary(execution: Execution) -> tuple[str, str, bool]:
    return execution.path, execution.operation, execution.has_changed


def test_a_skipped_pass_has_this_status_and_the_statistic_of_it(path: Path) -> None:
    session = Session("func.func @f() { return }\nfunc.func @g() { return }")
    functions = session.manager.nest("func.func")
    for _ in range(2):
        functions.add_pass(Canonicalizer())
    with record(session.manager, path):
        session.run()
    found = RunRecord(path)
    nested = "builtin.module/func.func[0]"
    assert [summary(each) for each in found.executions] == [
        (f"{nested}/canonicalize[0]", "@f", False),
        (f"{nested}/canonicalize[1]", "@f", False),
        (f"{nested}/canonicalize[0]", "@g", False),
        (f"{nested}/canonicalize[1]", "@g", False),
    ]
    statuses = ["succeeded", "skipped"] * 2
    assert [each.status for each in found.executions] == statuses
    assert RecordedSteps(found).completed == 2
    assert found.statistics == {
        f"{nested}/canonicalize[1]": {"skipped-unchanged": 2},
    }


def test_executions_come_in_order_with_the_place_of_their_pass(path: Path) -> None:
    nested = "builtin.module/func.func[0]"

    assert [summary(each) for each in cleaned_up(path).executions] == [
        (f"{nested}/cse[0]", "@f", True),
        (f"{nested}/canonicalize[1]", "@f", False),
        (f"{nested}/cse[0]", "@unused", False),
        (f"{nested}/canonicalize[1]", "@unused", False),
        (f"{nested}/cse[0]", "@g", False),
        (f"{nested}/canonicalize[1]", "@g", False),
        ("builtin.module/symbol-dce[1]", "builtin.module", True),
    ]


def test_threads_write_what_one_thread_writes(tmp_path: Path) -> None:
    one = cleaned_up(tmp_path / "one.db")
    many = cleaned_up(tmp_path / "many.db", threads=True)

    assert [*map(summary, many.executions)] == [*map(summary, one.executions)]
    assert many.statistics == one.statistics
    texts = [
        [(run.ir(each.before_id), run.ir(each.after_id or 0)) for each in run.changed]
        for run in (one, many)
    ]
    assert texts[0] == texts[1]


def test_statistics_are_those_of_all_runs(path: Path) -> None:
    session = Session(TWICE)
    session.manager.nest("func.func").add_pass(CSE())
    with record(session.manager, path):
        for _ in range(2):
            session.module = session.context.parse(TWICE, "input.mlir")
            session.run()

    run = RunRecord(path)

    assert [*run.statistics] == [*run.timing]
    assert run.statistics["builtin.module/func.func[0]/cse[0]"] == {
        "num-cse'd": 4,
        "num-dce'd": 0,
    }


def test_the_ir_of_a_module_holds_that_of_its_functions(path: Path) -> None:
    run = cleaned_up(path)

    before, after = (run.ir(ir_id or 0) for ir_id in ids_of(run.changed[-1]))
    assert before == """\
builtin.module {
  func.func @f(%x: i32) -> i32 {
    %0 = arith.addi %x, %x : i32
    %1 = arith.muli %0, %0 : i32
    func.return %1 : i32
  }
  func.func private @unused() -> ()
  func.func @g() {
    func.return
  }
}"""
    assert after == before.replace("  func.func private @unused() -> ()\n", "")


def ids_of(execution: Execution) -> tuple[int | None, int | None]:
    return execution.before_id, execution.after_id


def test_operations_inside_one_without_symbol_have_their_path(path: Path) -> None:
    session = Session("module { module { func.func @f() { return } } }")

    def plant(running: Running) -> None:
        (function,) = running.context.children(running.operation)
        function.attributes["planted"] = StringAttr("yes")

    nested = session.manager.nest("builtin.module")
    nested.add_pass(session.step("plant", plant))
    with record(session.manager, path):
        session.run()

    (change,) = RunRecord(path).introduced("planted")
    assert change.execution.operation == "builtin.module[0]"
    assert change.operation == "builtin.module[0]/@f"


@irdl_attr_definition
class RawAttr(Data[str]):
    """An attribute that prints any text as it is."""

    name = "test.raw"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> str:
        raise NotImplementedError

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(self.data)


def test_surrogates_in_ir_and_messages_are_recorded(path: Path) -> None:
    session = Session(FUNCTIONS)

    def spoil(running: Running) -> None:
        running.operation.attributes["spoilt"] = RawAttr("\ud800\udcff")
        running.emit_remark("spoilt \udcff")

    def rename(running: Running) -> None:
        symbol = running.operation.sym_name.data
        running.operation.sym_name = StringAttr(f"{symbol}\ud800")

    functions = session.manager.nest("func.func")
    functions.add_pass(session.step("spoil", spoil))
    functions.add_pass(session.step("rename", rename))
    functions.add_pass(CSE())
    with record(session.manager, path):
        session.run()

    run = RunRecord(path)
    assert "\ud800\udcff" in run.ir(run.executions[0].after_id)
    assert [each.operation for each in run.introduced("\ud800\udcff")] == ["@a", "@b"]
    assert run.executions[2].operation == "@a\\ud800"  # SQLite has no surrogates
    assert [each.message for each in run.diagnostics] == ["spoilt \\udcff"] * 2
    assert any("\ud800\udcff" in each["text"] for each in report_data(path)["ir"])


def test_each_text_is_stored_once(path: Path) -> None:
    cleaned_up(path)
    with closing(sqlite3.connect(path)) as connection:
        # The module before and after, three functions, and @f after cse.
        assert connection.execute("SELECT count(*) FROM ir").fetchall() == [(7,)]


def test_statistics_are_those_of_the_passes(path: Path) -> None:
    statistics = cleaned_up(path).statistics

    assert (
        statistics["builtin.module/func.func[0]/cse[0]"]["num-cse'd"] == 2
    )  # as MLIR counts
    assert statistics["builtin.module/symbol-dce[1]"] == {"num-dce'd": 1}


def test_times_are_those_of_all_operations(path: Path) -> None:
    run = cleaned_up(path)

    assert list(run.timing) == [
        "builtin.module/func.func[0]/cse[0]",
        "builtin.module/func.func[0]/canonicalize[1]",
        "builtin.module/symbol-dce[1]",
    ]
    assert all(time_s > 0 for time_s in run.timing.values())


def test_history_names_the_pass_and_the_function(path: Path) -> None:
    run = cleaned_up(path)

    (introduced,) = run.introduced("arith.muli %0, %0")
    assert introduced.operation == "@f"
    assert introduced.execution.text == "cse"
    (removed,) = run.removed("@unused")
    assert removed.operation == "@unused"
    assert removed.execution.text == "symbol-dce"
    assert run.introduced("func.return") == []


def test_a_record_is_of_all_runs(path: Path) -> None:
    session = Session(FUNCTIONS)
    session.manager.nest("func.func").add_pass(CSE())
    with record(session.manager, path):
        session.run()
        session.run()

    assert [each.run_id for each in RunRecord(path).executions] == [1, 1, 2, 2]


def test_dynamic_pipelines_stand_below_their_pass(path: Path) -> None:
    session = Session(FUNCTIONS)
    pipeline = OpPassManager("func.func")
    pipeline.add_pass(CSE())

    def run_on_functions(running: Running) -> None:
        for function in session.context.children(running.operation):
            assert running.run_pipeline(pipeline, function)

    session.manager.add_pass(session.step("outer", run_on_functions))
    with record(session.manager, path):
        session.run()

    assert [each.path for each in RunRecord(path).executions] == [
        "builtin.module/outer[0]",
        *["builtin.module/outer[0]/func.func/cse[0]"] * 2,
    ]


def test_diagnostics_belong_to_the_pass_that_reports_them(path: Path) -> None:
    session = Session(FUNCTIONS)

    def report(running: Running) -> None:
        running.emit_remark("seen")

    session.manager.nest("func.func").add_pass(session.step("report", report))
    with record(session.manager, path):
        session.run()

    run = RunRecord(path)
    functions = {each.id: each.operation for each in run.executions}
    assert [
        (each.severity, each.message, functions[each.execution_id or 0])
        for each in run.diagnostics
    ] == [("remark", "seen", f"@{name}") for name in "ab"]
    assert len(session.diagnostics) == 2
    assert session.context.diagnostic_handler == session._keep  # noqa: SLF001


def test_a_failure_is_recorded_with_its_stack(path: Path) -> None:
    session = Session(FUNCTIONS)

    def fail(_: Running) -> None:
        message = "no such loop"
        raise ValueError(message)

    session.manager.nest("func.func").add_pass(session.step("fail", fail))
    with pytest.raises(PassFailure), record(session.manager, path):
        session.run()

    with closing(sqlite3.connect(path)) as connection:
        (row,) = connection.execute("SELECT status, error FROM run").fetchall()
    assert row[0] == "failed"
    assert "ValueError: no such loop" in row[1]
    assert {each.status for each in RunRecord(path).executions} == {"failed"}


def test_of_threads_that_were_killed_the_last_pass_of_each_was_running(
    path: Path,
) -> None:
    whole = RunRecord(recorded(path)).executions
    with closing(sqlite3.connect(path)) as connection, connection:
        # The ends of passes in threads are written when those before have ended.
        connection.executescript("""
            DELETE FROM statistic; DELETE FROM diagnostic;
            DELETE FROM execution WHERE id = 10;
            UPDATE run SET status = 'running', after_id = NULL;
            UPDATE execution SET status = 'running', position = NULL, end_s = NULL,
                after_id = NULL, thread = operation_id % 2;
        """)
    run = RunRecord(path)

    assert [(each.operation, each.text) for each in run.running] == [
        ("@unused", "plant"),
        ("@g", "plant"),
    ]
    ended = [each for each in run.executions if each.status == "succeeded"]
    assert [each.id for each in ended] == [1, 2, 3, 4, 5, 7, 8]
    for each in ended:
        is_last = each.text == "plant"  # of the operation: none shows the IR after it
        assert each.after_id == (None if is_last else whole[each.id - 1].after_id)
    assert [each.operation for each in run.changed] == ["@f"]
    data = report_data(path)
    assert data["unsuccessful"] == [(5, "running"), (8, "running")]
    assert data["executions"]["after"].count(None) == 3


# Files that are no records.


def test_no_other_file_is_replaced(tmp_path: Path) -> None:
    source = tmp_path / "input.mlir"
    source.write_text(FUNCTIONS, encoding="utf-8")

    with pytest.raises(RecordError, match="is no record, and is not replaced by one"):
        enable_recording(Session().manager, source)
    assert source.read_text(encoding="utf-8") == FUNCTIONS


def test_no_database_of_another_program_is_replaced(tmp_path: Path) -> None:
    database = tmp_path / "mine.db"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE run (id)")
    data = database.read_bytes()

    with pytest.raises(RecordError, match="is no record, and is not replaced by one"):
        enable_recording(Session().manager, database)
    assert database.read_bytes() == data


def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    missing = tmp_path / "missing" / "run.db"

    with pytest.raises(RecordError, match="cannot write the record"):
        enable_recording(Session().manager, missing)


def test_a_record_of_another_version_is_refused(path: Path) -> None:
    cleaned_up(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")

    with pytest.raises(RecordError, match=r"is of version 99: .* record the run again"):
        RunRecord(path)


def test_a_record_of_the_version_before_is_read(path: Path) -> None:
    cleaned_up(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 3")

    assert len(RunRecord(path).executions) == 7


@pytest.mark.parametrize("data", [b"", b"func.func @f()\n", b"SQLite format 3\0 no"])
def test_what_is_no_record_is_refused(path: Path, data: bytes) -> None:
    path.write_bytes(data)

    with pytest.raises(RecordError, match=r"no record|file is not a database"):
        RunRecord(path)


def test_a_missing_record_is_refused(path: Path) -> None:
    with pytest.raises(RecordError, match="no such file"):
        RunRecord(path)
    assert not path.exists()


def test_a_run_goes_on_when_its_record_cannot_be_written(path: Path) -> None:
    session = Session(FUNCTIONS)
    session.manager.nest("func.func").add_pass(session.step("a"))
    recording = enable_recording(session.manager, path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE execution")

    assert len(session.run()) == 2
    assert recording.is_closed
    (warning,) = session.diagnostics
    assert "warning: the run is no longer recorded" in warning


LARGEST = statistic("largest", "The largest number seen", "maximum")


def test_a_count_beyond_the_integers_of_sqlite_ends_the_record_alone(
    path: Path,
) -> None:
    session = Session(FUNCTIONS)
    session.manager.add_pass(
        session.step("count", lambda pass_: pass_.seen.update_max(2**70), seen=LARGEST)
    )
    enable_recording(session.manager, path)

    session.run()

    (warning,) = session.diagnostics
    assert f"no longer recorded: cannot write '{path}': Python int too" in warning


def test_applications_of_patterns_are_statistics(path: Path) -> None:
    context = XDSLContext()
    manager = parse_pass_manager(
        "builtin.module(arith-strength-reduction)", context, shipped_registry()
    )
    module = context.parse(
        "func.func @f(%x: i32) -> i32 { %c = arith.constant 2 : i32\n"
        "%0 = arith.muli %x, %c : i32\nfunc.return %0 : i32 }",
        "input.mlir",
    )

    with record(manager, path):
        manager.run(module)

    place = "builtin.module/arith-strength-reduction[0]"
    assert RunRecord(path).statistics == {
        place: {"divToShift": 0, "mulToAdd": 1, "mulToShift": 0}
    }
    assert report_data(path)["uncounted"] == [(0, "divToShift"), (0, "mulToShift")]


def test_a_record_is_refused_to_a_second_run(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with record(Session(FUNCTIONS).manager, path):
        for appends in (False, True):
            with pytest.raises(RecordError, match="another run writes the record"):
                record(Session(FUNCTIONS).manager, path, appends=appends)

    record(Session(FUNCTIONS).manager, path).close()


def test_a_record_is_written_through_a_link(tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    link.symlink_to("new.db")

    record(Session(FUNCTIONS).manager, link).close()

    assert link.is_symlink()
    assert not RunRecord(tmp_path / "new.db").runs


def test_a_run_that_ends_before_its_first_pass_is_recorded(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with (
        pytest.raises(ValueError, match="no way"),
        record(Session(FUNCTIONS).manager, path),
    ):
        raise ValueError("no way")

    (run,) = RunRecord(path).runs
    assert run.status == "failed"
    assert "ValueError: no way" in str(run.error)


def test_operations_that_share_a_symbol_have_texts_of_their_own(path: Path) -> None:
    text = "func.func @f() { return }\nfunc.func @g(%x: i1) { return }"
    session = Session(text, verify_each=False)

    def rename(running: Running) -> None:
        for function in running.operation.body.ops:
            function.properties["sym_name"] = StringAttr("f")

    session.manager.add_pass(session.step("rename", rename))
    with record(session.manager, path):
        session.run()
    run = RunRecord(path)
    (execution,) = run.changed

    assert run.ir(execution.after_id).count("func.func @f(") == 2
