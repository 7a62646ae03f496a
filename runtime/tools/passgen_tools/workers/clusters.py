"""Executors for clusters of Dask and Ray, each imported when it is used."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from importlib import import_module
from typing import Any, Final, ParamSpec, TypeVar

from passgen_tools.processes import ExecutorError, Loss, WorkerLostError

T = TypeVar("T")
P = ParamSpec("P")

_TIMEOUT_S: Final = 10
LOCAL_RAY: Final = "local"
"""The address of a Ray cluster that is started on this machine."""


class DaskExecutor(Executor):
    """Dask's own executor, and its connection to the scheduler.

    Dask itself sends a task again whose worker has died, as often as its configuration
    `distributed.scheduler.allowed-failures` says.
    """

    def __init__(self, address: str) -> None:
        """Connect to the scheduler at an address such as `tcp://HOST:PORT`.

        Raises:
            ExecutorError: Dask is not installed, or nothing answers.
        """
        connect = _import("distributed", "dask").Client
        try:
            self._client = connect(address, timeout=_TIMEOUT_S, set_as_default=False)
        except (OSError, ValueError) as error:
            raise _no_cluster("Dask", address, error) from error
        # Impure tasks: Dask must run a task again if it is sent again after a loss.
        self._executor: Executor = self._client.get_executor(pure=False)
        self.num_workers: int = len(self._client.nthreads())

    def submit(
        self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
    ) -> Future[T]:
        """Let a worker call `fn`, which it imports."""
        return self._executor.submit(fn, *args, **kwargs)

    def shutdown(
        self,
        wait: bool = True,  # noqa: FBT001, FBT002 - as the base class has it
        **_: bool,
    ) -> None:
        """Disconnect from the cluster, which keeps running."""
        self._executor.shutdown(wait=wait)
        self._client.close()


class RayExecutor(Executor):
    """The workers of a Ray cluster: each call is a task of Ray's."""

    def __init__(self, address: str) -> None:
        """Connect to the cluster at an address, or start one on this machine.

        Args:
            address: `HOST:PORT`, `auto`, or `local`. It is ignored if the program is
                already connected to a cluster.

        Raises:
            ExecutorError: Ray is not installed, or nothing answers.
        """
        self._ray = _import("ray", "ray")
        self._is_guest = self._ray.is_initialized()
        if not self._is_guest:
            local = {"include_dashboard": False} if address == LOCAL_RAY else {}
            try:
                self._ray.init(address=address, log_to_driver=False, **local)
            except (OSError, ValueError, RuntimeError) as error:
                raise _no_cluster("Ray", address, error) from error
        # No retries: the dispatcher sends lost batches again, in halves.
        self._call = self._ray.remote(num_cpus=1, max_retries=0)(_call)
        self.num_workers = max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def submit(
        self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
    ) -> Future[T]:
        """Let a worker call `fn`, which it imports."""
        future = Future[T]()

        def settle(answer: Future[T]) -> None:
            if future.set_running_or_notify_cancel():
                if (error := answer.exception()) is None:
                    future.set_result(answer.result())
                else:
                    future.set_exception(self._loss_or(error))

        self._call.remote(fn, args, kwargs).future().add_done_callback(settle)
        return future

    def shutdown(
        self,
        wait: bool = True,  # noqa: FBT001, FBT002 - as the base class has it
        **_: bool,
    ) -> None:
        """Disconnect from the cluster, or end it if it was started here."""
        del wait
        if not self._is_guest:
            self._ray.shutdown()

    def _loss_or(self, error: BaseException) -> BaseException:
        """Return `error` as a WorkerLostError if Ray lost a worker."""
        errors, notes = self._ray.exceptions, (f"the executor says: {error!r}",)
        if isinstance(error, errors.OutOfMemoryError):
            return WorkerLostError(Loss("memory", notes=notes))
        if isinstance(error, (errors.WorkerCrashedError, errors.NodeDiedError)):
            return WorkerLostError(Loss("worker", notes=notes))
        return error


def _call(fn: Callable[..., T], args: tuple[Any, ...], kwargs: dict[str, Any]) -> T:
    return fn(*args, **kwargs)


def _import(module: str, extra: str) -> Any:  # noqa: ANN401 - may be missing
    try:
        return import_module(module)
    except ImportError as error:
        raise ExecutorError(
            f"the package '{module}' cannot be imported: {error}\n"
            f"note: pip install 'mlir-passgen-tools[{extra}]'"
        ) from error


def _no_cluster(engine: str, address: str, error: BaseException) -> ExecutorError:
    return ExecutorError(f"cannot reach the {engine} cluster at '{address}': {error}")
