"""The executor that a user names, and the number of workers."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from functools import partial
from typing import Final

from passgen_rules.suggestions import nearest_name
from passgen_tools.processes import ExecutorError
from passgen_tools.workers.batch import JOBS_VARIABLE
from passgen_tools.workers.clusters import DaskExecutor, RayExecutor

_ENGINES: Final[Mapping[str, Callable[[str], Executor]]] = {
    "dask": DaskExecutor,
    "ray": RayExecutor,
}


def parse_executor(text: str) -> Callable[[], Executor]:
    """Return a function that connects to a cluster: `dask:ADDRESS`, `ray:ADDRESS`.

    Raises:
        ExecutorError: `text` names neither.
    """
    engine, colon, address = text.partition(":")
    if engine in _ENGINES and address:
        return partial(_ENGINES[engine], address)
    lines = [f"expected dask:ADDRESS or ray:ADDRESS, found '{text}'"]
    if engine in _ENGINES:
        example = {"dask": "tcp://HOST:8786", "ray": "HOST:6379, or ray:local"}[engine]
        lines.append(f"note: such as {engine}:{example}")
    elif (nearest := nearest_name(engine, _ENGINES)) is not None:
        lines.append(f"note: did you mean '{nearest}{colon or ':'}{address}'?")
    raise ExecutorError("\n".join(lines))


def bounded_jobs(requested: int) -> int:
    """Return `requested`, or the value of PASSGEN_JOBS if that is less.

    This environment variable is 1 in a worker: passes, and programs that they start,
    get no workers of their own.

    Raises:
        ExecutorError: the variable is not a positive number.
    """
    text = os.environ.get(JOBS_VARIABLE, "")
    if not text:
        return requested
    if not (text.isascii() and text.isdecimal()) or int(text) < 1:
        raise ExecutorError(
            f"the environment variable {JOBS_VARIABLE} must be 1 or more, "
            f"and is '{text}'"
        )
    return min(requested, int(text))


def num_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def number_of_workers(executor: Executor) -> int:
    """Return the number of tasks that an executor runs at a time, or of cores."""
    # The pools of `concurrent.futures` and loky have `_max_workers`.
    for name in ("num_workers", "_max_workers"):
        number = getattr(executor, name, None)
        if isinstance(number, int) and number > 0:
            return number
    return num_cores()
