"""Clusters as executors: Dask and Ray, imported when they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from importlib import import_module
from typing import Any, Final, ParamSpec, TypeVar

from passgen_runtime.extensions.processes import (
    ExecutorError,
    Loss,
    WorkerLostError,
    blame_of,
)

T = TypeVar("T")
P = ParamSpec("P")

_CONNECT_LIMIT_S: Final = 10

_RESTART_LIMIT_S: Final = 10
"""How long Dask may take to put a new worker in the place of a dead one."""

LOCAL_RAY: Final = "local"
"""The address of a Ray cluster that is started on this machine."""


class DaskExecutor(Executor):
    """The workers of a Dask cluster.

    A task whose worker has died is sent again by Dask itself, as often as its
    configuration `distributed.scheduler.allowed-failures` says.
    """

    def __init__(self, address: str) -> None:
        """Connect to the scheduler at an address such as `tcp://HOST:PORT`.

        Raises:
            ExecutorError: Dask is not installed, or nothing answers.
        """
        distributed = _imported("distributed", "dask")
        try:
            self._client = distributed.Client(
                address, timeout=_CONNECT_LIMIT_S, set_as_default=False
            )
        except (OSError, ValueError) as error:
            raise _no_cluster("Dask", address, error) from error
        # A task that is sent again is done again: its last outcome was a lost worker.
        self._executor: Executor = self._client.get_executor(pure=False)
        self._has_lost_worker = False
        self.num_workers: int = len(self._client.nthreads())

    def submit(
        self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
    ) -> Future[T]:
        """Let a worker call `fn`, which it imports.

        Raises:
            ExecutorError: the workers have died, and no other ones have come.
        """
        if self._has_lost_worker:
            self._await_workers()
        future = self._executor.submit(fn, *args, **kwargs)
        future.add_done_callback(self._note_loss)
        return future

    def _note_loss(self, future: Future[T]) -> None:
        if not future.cancelled() and blame_of(future.exception()) is not None:
            self._has_lost_worker = True

    def _await_workers(self) -> None:
        """Wait until dead workers are replaced: tasks may be sent to them until then.

        Raises:
            ExecutorError: there is none after some time.
        """
        self._has_lost_worker = False
        with suppress(TimeoutError):
            self._client.wait_for_workers(self.num_workers, _RESTART_LIMIT_S)
        if not self._client.nthreads():
            text = "the Dask cluster has lost all of its workers, and started no others"
            raise ExecutorError(text)

    def shutdown(
        self,
        wait: bool = True,  # noqa: FBT001, FBT002 - as the base class has it
        *,
        cancel_futures: bool = False,
    ) -> None:
        """Leave the cluster, which goes on."""
        self._executor.shutdown(wait=wait and not cancel_futures)
        self._client.close()


class RayExecutor(Executor):
    """The workers of a Ray cluster: each task is one of Ray's."""

    def __init__(self, address: str) -> None:
        """Connect to the cluster at an address, or start one on this machine.

        Args:
            address: `HOST:PORT`, `auto`, or `local`. Unused where the program has
                connected to a cluster already.

        Raises:
            ExecutorError: Ray is not installed, or nothing answers.
        """
        self._ray = _imported("ray", "ray")
        self._is_guest = self._ray.is_initialized()
        if not self._is_guest:
            local = {"include_dashboard": False} if address == LOCAL_RAY else {}
            try:
                self._ray.init(address=address, log_to_driver=False, **local)
            except (OSError, ValueError, RuntimeError) as error:
                raise _no_cluster("Ray", address, error) from error
        # Whoever sends batches sends them again: Ray would not halve them.
        self._call = self._ray.remote(num_cpus=1, max_retries=0)(_call)

    @property
    def num_workers(self) -> int:
        """How many tasks are worked on at a time."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def submit(
        self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
    ) -> Future[T]:
        """Let a worker call `fn`, which it imports."""
        reference = self._call.remote(fn, args, kwargs)
        future = Future[T]()

        def settle(answer: Future[T]) -> None:
            if not future.set_running_or_notify_cancel():
                return
            error = answer.exception()
            if error is None:
                future.set_result(answer.result())
            else:
                future.set_exception(self._translated(error))

        def cancel(cancelled: Future[T]) -> None:
            if cancelled.cancelled():
                self._ray.cancel(reference)

        future.add_done_callback(cancel)
        reference.future().add_done_callback(settle)
        return future

    def shutdown(
        self,
        wait: bool = True,  # noqa: FBT001, FBT002 - as the base class has it
        *,
        cancel_futures: bool = False,
    ) -> None:
        """Leave the cluster; one that was started here ends."""
        del wait, cancel_futures
        if not self._is_guest:
            self._ray.shutdown()

    def _translated(self, error: BaseException) -> BaseException:
        """Return a lost worker as the error that says so."""
        errors = self._ray.exceptions
        note = f"the executor says: {type(error).__name__}"
        if isinstance(error, errors.OutOfMemoryError):
            return WorkerLostError(Loss("memory", notes=(note,)))
        lost = (errors.WorkerCrashedError, errors.NodeDiedError)
        if isinstance(error, lost):
            return WorkerLostError(Loss("worker", notes=(note,)))
        return error


def _call(fn: Callable[..., T], args: tuple[Any, ...], kwargs: dict[str, Any]) -> T:
    return fn(*args, **kwargs)


def _imported(module: str, extra: str) -> Any:  # noqa: ANN401 - may be missing
    """Return a module of the cluster's package.

    Raises:
        ExecutorError: it is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise ExecutorError(
            f"the package '{module}' cannot be imported: {error}\n"
            f"note: pip install 'mlir-passgen-runtime[{extra}]'"
        ) from error


def _no_cluster(engine: str, address: str, error: BaseException) -> ExecutorError:
    return ExecutorError(f"cannot reach the {engine} cluster at '{address}': {error}")
