"""Threads that look up a name while another one calls the source of it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

from passgen_runtime import OperationPass, PassOptions, PassRegistry

NUM_WAITING = 7


class Late(OperationPass[PassOptions]):
    argument = "late"

    def run_on_operation(self) -> None:
        """Do nothing."""


class Asked(str):
    """A name that says when a table is asked for it."""

    __slots__ = ("event",)
    event: Event

    def __hash__(self) -> int:
        self.event.set()
        return super().__hash__()


def test_a_name_is_found_after_the_wait_for_its_source() -> None:
    registry, begun = PassRegistry(), Event()
    names = [Asked("late") for _ in range(NUM_WAITING)]
    for name in names:
        name.event = Event()

    def register(registry: PassRegistry) -> None:
        begun.set()
        for name in names:
            assert name.event.wait(60)
        registry.register_pass(Late)

    registry.add_source(register)
    with ThreadPoolExecutor(1 + NUM_WAITING) as threads:
        first = threads.submit(registry.lookup, "late")
        assert begun.wait(60)
        others = [threads.submit(registry.lookup, name) for name in names]
        assert all(found.result() is not None for found in (first, *others))
