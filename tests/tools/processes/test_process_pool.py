"""The pool of processes: how they begin, die and end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from passgen_tools.processes import WorkerLostError, process_pool
from passgen_tools.workers import ExecutorError, ProcessPool
from passgen_tools.workers.batch import run_batch
from passgen_tools.workers.dispatcher import BatchEvent, Dispatcher
from tests.tools.workers import entries
from tests.tools.workers.batches import expected, run
from tests.tools.workers.entries import JOBS
from tests.tools.workers.processes import (
    PATIENCE_S,
    all_have_ended,
    children,
)

pytestmark = [pytest.mark.process, pytest.mark.slow]


def test_lost_items_have_kind_signal_and_worker_of_the_loss() -> None:
    data = [b"a", b"kill SIGSEGV", b"kill SIGKILL", b"exit 3", b"spin", b"lack-memory"]
    events = list[BatchEvent]()

    with closing(
        Dispatcher(
            partial(ProcessPool, 2),
            timeout_s=0.5,
            max_retries=0,
            on_event=events.append,
        )
    ) as dispatcher:
        done, lost = run(dispatcher, data, 2)

    assert done == expected(data, range(1, 6))
    losses = [each.loss for each in lost]
    assert [(each.kind, each.signal, each.notes) for each in losses] == [
        ("signal", "SIGSEGV", ()),
        ("signal", "SIGKILL", ()),
        ("exit", "", ("its exit code was 3",)),
        ("timeout", "SIGALRM", ()),
        ("memory", "", ()),
    ]
    ends = {each.loss for each in events if len(each.items) == 1}
    assert set(losses) <= ends
    for loss in losses:
        host, _, process_id = loss.worker.partition(":")
        assert host
        assert process_id.isdecimal()


@pytest.fixture
def short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_pool, "_GRACE_S", 0.5)


@pytest.mark.usefixtures("short_grace")
def test_a_process_that_ignores_the_time_limit_is_killed() -> None:
    data = [b"a", b"spin-on", b"b", b"stop", b"c"]
    # The limit is short: no process is to import within it.
    pool = partial(ProcessPool, 2, preload=[run_batch.__module__, entries.__name__])

    with closing(Dispatcher(pool, timeout_s=0.2, max_retries=0)) as dispatcher:
        done, lost = run(dispatcher, data, 2)

    assert done == expected(data, (1, 3))
    losses = [(each.index, each.loss.kind, each.loss.signal) for each in lost]
    assert losses == [(1, "timeout", "SIGKILL"), (3, "timeout", "SIGKILL")]


@pytest.mark.usefixtures("short_grace")
def test_a_process_that_is_stopped_without_a_task_is_killed_with_the_next() -> None:
    with ProcessPool(1) as pool:
        os.kill(pool.submit(os.getpid).result(PATIENCE_S), signal.SIGSTOP)

        # More than a pipe holds.
        stopped = pool.submit_within(0.1, len, bytes(2**20))
        with pytest.raises(WorkerLostError, match="the time limit has passed"):
            stopped.result(PATIENCE_S)
        assert pool.submit_within(PATIENCE_S, pow, 2, 3).result(PATIENCE_S) == 8


def test_item_that_a_second_worker_can_do_is_done(tmp_path: Path) -> None:
    data = [b"a", f"kill-once {tmp_path / 'done'}".encode(), b"b"]

    with closing(Dispatcher(partial(ProcessPool, 2))) as dispatcher:
        done, lost = run(dispatcher, data, 3)

    assert (done, lost) == (expected(data), [])


def test_other_tasks_of_a_pool_that_loses_a_process_go_on() -> None:
    with ProcessPool(2) as pool:
        slow = pool.submit(time.sleep, 1)
        dead = pool.submit(os._exit, 7)
        with pytest.raises(WorkerLostError, match="has exited"):
            dead.result(PATIENCE_S)
        assert pool.submit(pow, 2, 3).result(PATIENCE_S) == 8
        slow.result(PATIENCE_S)


def test_process_that_dies_without_a_task_is_replaced() -> None:
    with ProcessPool(1) as pool:
        os.kill(pool.submit(os.getpid).result(PATIENCE_S), signal.SIGKILL)
        time.sleep(0.2)

        assert pool.submit(pow, 2, 3).result(PATIENCE_S) == 8


def test_death_is_noticed_though_a_forked_process_holds_the_pipes() -> None:
    with closing(Dispatcher(partial(ProcessPool, 1), max_retries=0)) as dispatcher:
        _, (lost,) = run(dispatcher, [b"fork-and-die"], 1)

    assert lost.loss.signal == "SIGKILL"


def test_a_process_that_a_task_has_forked_never_replies(tmp_path: Path) -> None:
    file = tmp_path / "process"
    data = [b"a", f"fork {file}".encode(), b"b", b"c", b"d", b"e"]

    with closing(Dispatcher(partial(ProcessPool, 1))) as dispatcher:
        assert run(dispatcher, data, 1) == (expected(data), [])

    assert all_have_ended([int(file.read_text())])


def test_a_function_that_forks_has_one_result() -> None:
    with ProcessPool(1) as pool:
        forked = [pool.submit(os.fork) for _ in range(4)]
        powers = [pool.submit(pow, 2, exponent) for exponent in range(20)]

        assert all(fork.result(PATIENCE_S) > 0 for fork in forked)
        assert [power.result(PATIENCE_S) for power in powers] == [
            2**exponent for exponent in range(20)
        ]


def test_the_last_note_of_a_process_outlives_it() -> None:
    data = [b"note-and-die here", b"kill SIGKILL", b"note-and-die " + b"x" * 9000]

    with closing(Dispatcher(partial(ProcessPool, 1), max_retries=0)) as dispatcher:
        _, lost = run(dispatcher, data, 3)

    notes = [each.loss.last_note for each in lost]
    assert notes[:2] == ["here", ""]
    assert set(notes[2]) == {"x"}


def test_exceptions_of_a_task_are_those_of_its_future() -> None:
    with ProcessPool(1) as pool:
        with pytest.raises(ZeroDivisionError):
            pool.submit(divmod, 1, 0).result(PATIENCE_S)
        assert pool.submit(pow, 2, 3).result(PATIENCE_S) == 8


def test_processes_that_cannot_start_are_an_error_and_no_item_is_blamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("import os; os._exit(5)\n")
    monkeypatch.syspath_prepend(tmp_path)

    with (
        closing(Dispatcher(partial(ProcessPool, 1, preload=["broken"]))) as dispatcher,
        pytest.raises(ExecutorError) as raised,
    ):
        run(dispatcher, [b"a"], 1)

    assert str(raised.value).partition("note: its exit code")[2] == " was 5"
    assert str(raised.value).startswith("a worker process cannot start\n")


def test_passes_print_to_standard_error_and_read_nothing(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with closing(Dispatcher(partial(ProcessPool, 1))) as dispatcher:
        run(dispatcher, [b"print hello", b"read"], 1)

    assert capfd.readouterr() == ("", "hello\n")


def test_passes_and_the_programs_that_they_start_get_no_workers() -> None:
    with closing(Dispatcher(partial(ProcessPool, 1))) as dispatcher:
        done, _ = run(dispatcher, [b"a"], 1, JOBS)

    assert done == {0: b"11\n"}


SCRIPT = """\
import signal
import sys
from contextlib import closing
from functools import partial

from passgen_tools.adaptors.encoded_ir import unpack_parts
from passgen_tools.workers import ProcessPool
from passgen_tools.workers.dispatcher import Dispatcher
from tests.tools.workers.batches import encoder

# Programs that a shell runs in the background ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)
print("main", flush=True)
with closing(Dispatcher(partial(ProcessPool, 2))) as dispatcher:
    print("made", flush=True)
    data = [each.encode() for each in sys.argv[1:]]
    batches = [range(index, index + 1) for index in range(len(data))]
    run = dispatcher.run(
        "tests.tools.workers.entries:doubled", b"", encoder(data), batches
    )
    for outcome in run:
        (reply,) = unpack_parts(outcome.reply)
        print(reply.decode(), outcome.worker.partition(":")[2], flush=True)
"""
"""A program without a guard around what its main module does."""


@pytest.fixture
def start(tmp_path: Path) -> Callable[..., subprocess.Popen[str]]:
    path = tmp_path / "program.py"
    path.write_text(SCRIPT)

    def started(*data: str) -> subprocess.Popen[str]:
        modules = os.pathsep.join(each for each in sys.path if each)
        return subprocess.Popen(
            [sys.executable, "-X", "dev", str(path), *data],
            env={**os.environ, "PYTHONPATH": modules, "TMPDIR": str(tmp_path / "tmp")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    (tmp_path / "tmp").mkdir()
    return started


def test_program_needs_no_guard_around_its_main_module(
    start: Callable[..., subprocess.Popen[str]],
) -> None:
    with start("a", "b") as program:
        out, err = program.communicate(timeout=PATIENCE_S)

    assert [line.split()[0] for line in out.splitlines()] == [
        "main",
        "made",
        "aa",
        "bb",
    ]
    assert (err, program.returncode) == ("", 0)


@pytest.mark.parametrize("deed", ["spin", "sleep 60"])
def test_workers_end_with_a_parent_that_is_killed(
    start: Callable[..., subprocess.Popen[str]], tmp_path: Path, deed: str
) -> None:
    with start("a", deed, deed) as program:
        workers = _workers_at_work(program)
        program.kill()

        assert len(workers) == 2
        assert all_have_ended(workers)
        assert program.stderr is not None
        assert not program.stderr.read()  # which workers had, too
    assert not list((tmp_path / "tmp").iterdir())


@pytest.mark.parametrize("to_all", [True, False])
def test_ctrl_c_ends_the_workers(
    start: Callable[..., subprocess.Popen[str]], tmp_path: Path, *, to_all: bool
) -> None:
    with start("a", "spin", "spin") as program:
        workers = _workers_at_work(program)
        # A terminal sends it to all processes.
        (os.killpg if to_all else os.kill)(program.pid, signal.SIGINT)
        _, err = program.communicate(timeout=PATIENCE_S)

        assert all_have_ended(workers)
    assert err.rstrip().endswith("KeyboardInterrupt")
    assert err.count("Traceback") == 1
    assert not list((tmp_path / "tmp").iterdir())


def test_pool_that_is_not_ended_does_not_outlive_its_program(tmp_path: Path) -> None:
    code = (
        "import os; from passgen_tools.workers import ProcessPool; "
        "pool = ProcessPool(1); print(pool.submit(os.getpid).result())"
    )
    output = subprocess.check_output([sys.executable, "-c", code], cwd=tmp_path)

    assert all_have_ended([int(output)])


def _workers_at_work(program: subprocess.Popen[str]) -> list[int]:
    """Return the workers of a program once it has its first reply."""
    assert program.stdout is not None
    while not program.stdout.readline().startswith("aa"):
        assert program.poll() is None
    return children(program.pid)
