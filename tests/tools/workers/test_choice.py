from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial

import pytest

from passgen_tools.workers import ExecutorError, bounded_jobs, parse_executor
from passgen_tools.workers.choice import num_cores, number_of_workers
from passgen_tools.workers.clusters import DaskExecutor, RayExecutor


@pytest.mark.parametrize(
    ("text", "kind", "address"),
    [
        ("dask:tcp://127.0.0.1:8786", DaskExecutor, "tcp://127.0.0.1:8786"),
        ("ray:local", RayExecutor, "local"),
    ],
)
def test_name_says_engine_and_address(
    text: str, kind: type[Executor], address: str
) -> None:
    made = parse_executor(text)

    assert isinstance(made, partial)
    assert (made.func, made.args) == (kind, (address,))


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("dsk:host:8786", "did you mean 'dask:host:8786'?"),
        ("Ray", "did you mean 'ray:'?"),
        ("dask:", "such as dask:tcp://HOST:8786"),
        ("ray", "such as ray:HOST:6379, or ray:local"),
    ],
)
def test_name_that_is_wrong_gets_what_is_near(text: str, note: str) -> None:
    with pytest.raises(ExecutorError) as raised:
        parse_executor(text)

    expected = f"expected dask:ADDRESS or ray:ADDRESS, found '{text}'\nnote: {note}"
    assert str(raised.value) == expected


def test_name_like_nothing_gets_no_note() -> None:
    with pytest.raises(ExecutorError) as raised:
        parse_executor("slurm")

    assert "note" not in str(raised.value)


@pytest.mark.parametrize(
    ("make", "module", "extra"),
    [(DaskExecutor, "distributed", "dask"), (RayExecutor, "ray", "ray")],
)
def test_engine_that_is_not_installed_says_how_to_install_it(
    make: Callable[[str], Executor],
    module: str,
    extra: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, module, None)

    with pytest.raises(ExecutorError) as raised:
        make("address")

    first, _, note = str(raised.value).partition("\n")
    assert first.startswith(f"the package '{module}' cannot be imported: ")
    assert note == f"note: pip install 'mlir-passgen-tools[{extra}]'"


@pytest.mark.parametrize(
    ("variable", "requested", "expected"),
    [(None, 8, 8), ("", 8, 8), ("4", 8, 4), ("4", 2, 2), ("1", 8, 1)],
)
def test_jobs_are_bounded_by_the_environment(
    variable: str | None,
    requested: int,
    expected: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("PASSGEN_JOBS", raising=False)
    if variable is not None:
        monkeypatch.setenv("PASSGEN_JOBS", variable)

    assert bounded_jobs(requested) == expected


@pytest.mark.parametrize("variable", ["0", "-1", "many", "1.5"])
def test_bound_that_is_no_number_is_an_error(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PASSGEN_JOBS", variable)

    with pytest.raises(ExecutorError, match=f"must be 1 or more, and is '{variable}'"):
        bounded_jobs(4)


def test_executors_say_how_many_workers_they_have() -> None:
    class Silent(Executor):
        """Says nothing about its workers."""

    with ThreadPoolExecutor(3) as pool:
        assert number_of_workers(pool) == 3
    assert number_of_workers(Silent()) == num_cores() >= 1
