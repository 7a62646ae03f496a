"""What in the whole program holds objects of some classes, and whether anybody does.

Objects of MLIR's bindings are none that the garbage collector knows of: they are found
in what it knows of, and in the frames of all threads.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections import deque
from collections.abc import Iterator
from itertools import chain, compress, filterfalse, repeat, starmap
from operator import call, is_not
from typing import Final
from weakref import WeakValueDictionary

from passgen_runtime.ir.mlir_bindings import MLIRObject


class Held:
    """An object of the IR that somebody held when it was looked for."""

    def __init__(self, held: MLIRObject) -> None:
        """Watch `held`; see `watched`."""
        self._held = held

    @property
    def num_references(self) -> int:
        """How many references there are to the object, as seen from here."""
        return sys.getrefcount(self._held)

    @property
    def is_shared(self) -> bool:
        """Whether anybody else holds the object."""
        return self.num_references > _UNSHARED

    @property
    def value(self) -> MLIRObject:
        """The object; none once nobody else holds it."""
        if not self.is_shared:
            self._held = None
        return self._held

    def release(self) -> MLIRObject:
        """Return the object, and hold it no longer."""
        held, self._held = self._held, None
        return held


_UNSHARED: Final = Held(object()).num_references
"""To what only we hold: releases of Python differ in that."""

_WATCHED: Final[WeakValueDictionary[int, Held]] = WeakValueDictionary()


def watched(held: MLIRObject) -> Held:
    """Return who watches `held`: one for all contexts, or they would hold it."""
    watch = _WATCHED.get(id(held))
    if watch is None or watch.value is not held:
        watch = _WATCHED[id(held)] = Held(held)
    return watch


class Subclasses(dict[type, bool]):
    """Whether classes are subclasses of some, as far as anybody has asked."""

    def __init__(self, *classes: type) -> None:
        """Ask about `classes`."""
        super().__init__()
        self.classes = classes

    def __missing__(self, cls: type) -> bool:
        """Find out about `cls`."""
        self[cls] = is_one = issubclass(cls, self.classes)
        return is_one

    def instances(self, objects: list[object]) -> Iterator[object]:
        """Return those of `objects` that are of one of the classes."""
        return compress(objects, map(self.__getitem__, map(type, objects)))


LOOKING: Final = threading.RLock()
"""Whose lists of all objects are not to be in those of another thread."""


def reachable(wanted: Subclasses) -> Iterator[object]:
    """Yield what objects and frames hold that is `wanted`, some of it repeatedly."""
    was_enabled = gc.isenabled()
    gc.disable()  # CPython holds a lock here that freeing a `threading.local` waits for
    frames = sys._current_frames().values()  # noqa: SLF001 - its only name
    if was_enabled:
        gc.enable()
    for frame in frames:
        each = frame
        while each is not None:
            yield from wanted.instances(list(each.f_locals.values()))
            each = each.f_back  # type: ignore[assignment] # None ends it
    # CPython cannot go on with a tuple that another thread is making while anybody
    # else holds it. No thread gets a turn inside of one call: so none holds it longer.
    tracked: list[object] = []
    every: list[object] = []
    is_other = map(is_not, map(type, every), repeat(tuple))
    steps = chain(
        map(every.extend, map(call, (gc.get_objects,))),
        map(tracked.extend, (compress(every, is_other),)),
        map(call, (every.clear,)),
    )
    deque(steps, maxlen=0)
    yield from wanted.instances(tracked)
    tracked.clear()  # it is in itself
    # The garbage collector does not look into containers of handles alone.
    containers = Subclasses(dict, tuple)
    wanted_or_container = Subclasses(*wanted.classes, dict, tuple)
    referents = starmap(gc.get_referents, map(call, (gc.get_objects,)))
    pending: list[object] = list(chain.from_iterable(referents))
    while pending:
        found = list(wanted_or_container.instances(pending))
        yield from wanted.instances(found)
        untracked = list(filterfalse(gc.is_tracked, containers.instances(found)))
        pending = gc.get_referents(*untracked)
