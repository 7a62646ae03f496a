"""Remains: what runs leave behind because somebody holds something of it.

A value, a block or a handle that a pass has kept is to be readable as long as it is
held, also when the run is over and the caller holds the module no longer: so what the
run was for stays, and what its passes have erased.
"""

from __future__ import annotations

from typing import Final

from passgen_runtime.ir.mlir_bindings import MLIRObject
from passgen_runtime.ir.mlir_graves import Grave
from passgen_runtime.ir.mlir_handles import KeptHandles


class Remains:
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

    def absorb(self, earlier: Remains) -> None:
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

    def are_needed(self) -> bool:
        """Return whether anybody holds something of what is kept.

        Looks for who does if more is held than was expected when the run ended.
        """
        self._is_held = False
        if self._holds_more:
            self._holds_more = False
            if self._handles.hold_more():
                self._is_held = self._handles.look()
                self._kept += self._handles.kept_in_run()
        return self.may_be_needed


_OUTLIVING: Final[list[Remains]] = []
"""The remains of contexts that are gone."""


def leave(remains: list[Remains]) -> None:
    """Keep those of `remains` that are needed, whose context is gone."""
    _OUTLIVING.extend(each for each in remains if each.are_needed())


def free_what_was_left() -> None:
    """Free what contexts that are gone have left, where nobody holds anything of it."""
    for each in list(_OUTLIVING):
        if not each.are_needed():
            _OUTLIVING.remove(each)
