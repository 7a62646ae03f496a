"""One dispatcher on each executor: the same replies, and the same items lost."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from passgen_tools.workers import ExecutorError, ProcessPool, parse_executor
from passgen_tools.workers.dispatcher import Dispatcher
from tests.requirements import missing
from tests.tools.workers.batches import expected, run
from tests.tools.workers.processes import all_have_ended, children

NUM_WORKERS = 2
MakeExecutor = Callable[[], Executor]


@contextmanager
def _processes() -> Iterator[MakeExecutor]:
    yield partial(ProcessPool, NUM_WORKERS)


@contextmanager
def _standard_library() -> Iterator[MakeExecutor]:
    context = multiprocessing.get_context("spawn")
    yield lambda: ProcessPoolExecutor(NUM_WORKERS, context)


@contextmanager
def _loky() -> Iterator[MakeExecutor]:
    loky = _required("loky")
    yield lambda: loky.ProcessPoolExecutor(NUM_WORKERS)


@contextmanager
def _dask() -> Iterator[MakeExecutor]:
    distributed = _required("distributed")
    dask = import_module("dask")
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.LocalCluster(
            n_workers=NUM_WORKERS,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
        ) as cluster,
    ):
        yield parse_executor(f"dask:{cluster.scheduler_address}")


@contextmanager
def _ray() -> Iterator[MakeExecutor]:
    ray = _required("ray")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_AUTH_MODE", "disabled")
        # It is started once, and then each executor is a guest.
        starter = parse_executor("ray:local")()
        yield parse_executor("ray:local")
        starter.shutdown()
        assert not ray.is_initialized()


def _required(module: str) -> Any:  # noqa: ANN401 - it may be missing
    try:
        return import_module(module)
    except ImportError:
        missing(f"{module} is not installed", "EXECUTORS")


ENGINES = {
    "processes": _processes,
    "standard library": _standard_library,
    "loky": _loky,
    "dask": _dask,
    "ray": _ray,
}


_MARKS = {
    "processes": [pytest.mark.process, pytest.mark.slow],
    "standard library": [pytest.mark.process, pytest.mark.slow],
}


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(name, marks=_MARKS.get(name, pytest.mark.executors))
        for name in ENGINES
    ],
)
def make_executor(request: pytest.FixtureRequest) -> Iterator[MakeExecutor]:
    modules = os.pathsep.join([*map(str, _ROOTS), os.environ.get("PYTHONPATH", "")])
    before = children()  # such as a browser for other tests
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", modules)
        with ENGINES[request.param]() as make:
            yield make
    started = set(children(but="resource_tracker")) - set(before)
    assert all_have_ended(sorted(started))


_ROOTS = [Path(__file__).parents[3], Path(__file__).parents[3] / "runtime"]


def test_replies_come_in_order(make_executor: MakeExecutor) -> None:
    data = [str(number).encode() for number in range(40)]

    with closing(Dispatcher(make_executor)) as dispatcher:
        assert dispatcher.num_workers == NUM_WORKERS
        done, lost = run(dispatcher, data, 3)

    assert (done, lost) == (expected(data), [])


def test_only_items_that_end_their_worker_are_lost(make_executor: MakeExecutor) -> None:
    data = [b"a", b"kill SIGKILL", b"b", b"lack-memory"]

    with closing(Dispatcher(make_executor, max_retries=0)) as dispatcher:
        done, lost = run(dispatcher, data, 1)

    assert [(each.index, each.attempts) for each in lost] == [(1, 1), (3, 1)]
    assert lost[0].loss.kind in {"signal", "worker"}
    assert lost[1].loss.kind == "memory"
    assert done == expected(data, [1, 3])


def test_item_over_the_time_limit_is_lost(make_executor: MakeExecutor) -> None:
    with closing(Dispatcher(make_executor, timeout_s=1, max_retries=0)) as dispatcher:
        done, lost = run(dispatcher, [b"spin"], 1)

    assert [(each.index, each.loss.kind) for each in lost] == [(0, "timeout")]
    assert done == {}


def test_error_of_the_entry_fails_the_run(make_executor: MakeExecutor) -> None:
    with (
        closing(Dispatcher(make_executor)) as dispatcher,
        pytest.raises(ExecutorError, match="on item 1: ValueError: no such thing"),
    ):
        run(dispatcher, [b"a", b"raise no such thing"], 1)
