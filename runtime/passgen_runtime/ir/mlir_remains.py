"""Remains: what runs leave behind because somebody holds something of it.

A value, a block or a handle that a pass has kept is to be readable as long as it is
held, also when the run is over and the caller holds the module no longer: so what the
run was for stays, and what its passes have erased.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from passgen_runtime.ir.mlir_bindings import MLIRObject
from passgen_runtime.ir.mlir_graves import Grave
from passgen_runtime.ir.mlir_handles import KeptHandles


class RunRemains:
    """What is left of one or more runs for the same modules."""

    def __init__(
        self,
        handles: KeptHandles,
        tops: list[MLIRObject],
        graves: list[Grave],
        *,
        is_held: bool,
    ) -> None:
        """Keep `tops`, which runs were for, and the `graves` of their passes.

        Args:
            handles: to what is in the context.
            tops: operations that are part of nothing.
            graves: with what was erased.
            is_held: whether anybody holds something of it, even if nobody finds it.
        """
        self._handles = handles
        self.tops = tops
        self.graves = graves
        self._is_held = is_held
        self._holds_more = handles.hold_more()
        self._kept = handles.kept_in_run()

    def is_of(self, tops: list[MLIRObject]) -> bool:
        """Return whether runs were for one of `tops`."""
        return any(each == top for each in self.tops for top in tops)

    def absorb(self, earlier: RunRemains) -> None:
        """Keep what `earlier` does, too, as long as either is needed."""
        known = set(map(id, self.tops))
        self.tops += [each for each in earlier.tops if id(each) not in known]
        self.graves += earlier.graves
        self._kept += earlier._kept

    @property
    def may_be_needed(self) -> bool:
        """Whether anybody may hold something of what is kept."""
        self._kept = [each for each in self._kept if each.value is not None]
        return self._is_held or self._holds_more or bool(self._kept)

    def are_needed(self, *, is_context_gone: bool) -> bool:
        """Return whether anybody holds something of what is kept.

        Looks for who does if more is held than was expected when the run ended.
        """
        self._is_held = False
        if self._holds_more:
            self._holds_more = False
            # What a context held itself is held no more when that is gone.
            if is_context_gone or self._handles.hold_more():
                self._is_held = self._handles.look()
                self._kept += self._handles.kept_in_run()
        return self.may_be_needed


class Remains:
    """What is left of the runs in one context of MLIR."""

    def __init__(self) -> None:
        """Hold nothing yet."""
        self._runs: list[RunRemains] = []
        self.is_context_gone = False

    def __len__(self) -> int:
        """Return of how many modules, or lists of them, there is anything."""
        return len(self._runs)

    @property
    def tops(self) -> Iterator[MLIRObject]:
        """What runs were for."""
        return (top for each in self._runs for top in each.tops)

    @property
    def graves(self) -> Iterator[Grave]:
        """What passes have erased."""
        return (grave for each in self._runs for grave in each.graves)

    def add(self, run: RunRemains) -> None:
        """Keep what is left of `run` if anybody may need it."""
        same = [each for each in self._runs if each.is_of(run.tops)]
        for each in same:
            run.absorb(each)
            self._runs.remove(each)
        if run.may_be_needed:
            self._runs.append(run)
            _REMAINS.add(self)

    def unneeded(self) -> list[RunRemains]:
        """Return what nobody needs any more."""
        is_gone = self.is_context_gone
        return [
            each for each in self._runs if not each.are_needed(is_context_gone=is_gone)
        ]

    def free(self, runs: list[RunRemains]) -> None:
        """Free what is left of `runs`, and empty that list."""
        self._runs = [each for each in self._runs if each not in runs]
        runs.clear()
        if not self._runs:
            _REMAINS.discard(self)


_REMAINS: Final[set[Remains]] = set()
"""All that is not empty.

It is held here from the start: what is only saved while garbage is collected has lost
the weak references to it.
"""


def free_what_was_left() -> None:
    """Free what contexts that are gone have left, where nobody needs it any more."""
    for remains in list(_REMAINS):
        if remains.is_context_gone:
            remains.free(remains.unneeded())
