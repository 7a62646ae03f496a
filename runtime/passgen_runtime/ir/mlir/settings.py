"""Settings of a context of MLIR, and those that have another value in `with` blocks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Final

from passgen_runtime.ir.mlir.bindings import MLIRObject

_NUM_WITHOUT: Final = 1
"""The number of threads that MLIR reports while threads are off."""


@dataclass(slots=True)
class SettingInBlocks:
    """Gives a setting the same value in all `with` blocks, and restores it after them.

    Blocks may be nested, and several Python threads may be in them.
    """

    _read: Callable[[], bool]
    _write: Callable[[bool], object]
    value: bool
    _lock: Lock = field(default_factory=Lock, init=False)
    _num_blocks: int = field(default=0, init=False)
    _before: bool = field(default=False, init=False)

    def __enter__(self) -> None:
        """Set the value if it is another one."""
        with self._lock:
            if not self._num_blocks:
                self._before = self._read()
                if self._before != self.value:
                    self._write(self.value)
            self._num_blocks += 1

    def __exit__(self, *raised: object) -> None:
        """Restore the former value after the last block."""
        with self._lock:
            self._num_blocks -= 1
            if self._before != self.value and not self._num_blocks:
                self._write(self._before)


def has_threads(mlir: MLIRObject) -> bool:
    """Return whether threads are on in the context `mlir`."""
    num_threads: int = mlir.get_num_threads()
    return num_threads > _NUM_WITHOUT


def without_threads(mlir: MLIRObject) -> SettingInBlocks:
    """Return what switches the threads of the context `mlir` off in `with` blocks."""
    return SettingInBlocks(
        partial(has_threads, mlir),
        lambda enable: mlir.enable_multithreading(enable=enable),
        value=False,
    )


def errors_reported(mlir: MLIRObject) -> SettingInBlocks:
    """Return what lets handlers of the context `mlir` get errors in `with` blocks.

    Otherwise the bindings keep them for an exception. If MLIR reports an error and then
    does not fail, there is none: the errors are lost, or an assertion ends the process.
    """
    return SettingInBlocks(
        lambda: bool(mlir.emit_error_diagnostics),
        partial(setattr, mlir, "emit_error_diagnostics"),
        value=True,
    )
