"""Runs of a mutant: in this process, in its workers, and in programs that it starts.

The environment names the mutant to programs. No source is edited: a pass is changed for
each run.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Self

from passgen_runtime.context import Context, Operation
from passgen_runtime.instrumentations.observers import observing
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_instrumentation import (
    Detail,
    PassInstrumentation,
    PipelineParentInfo,
)
from passgen_runtime.pass_manager import PassManager
from passgen_tools.coverage import PassKey, declaring_classes, key_of
from passgen_tools.mutants.mutant import Mutant, mutants_of
from passgen_tools.python_programs import PASS_MUTANT
from passgen_tools.worker_parts import PlainData, Send, WorkerPart, register_part


@dataclass(frozen=True)
class MutantName:
    """What names a mutant in the environment of a process."""

    source: str
    argument: str
    index: int
    """The place in the list of the mutants of the pass."""

    def encode(self) -> str:
        """Return the name as text."""
        return json.dumps(asdict(self))

    @classmethod
    def of_environment(cls) -> Self | None:
        """Return the mutant that the environment names, if any."""
        text = os.environ.get(PASS_MUTANT)
        return None if text is None else cls.decode(text)

    @classmethod
    def decode(cls, text: str) -> Self:
        """Return the name of a text."""
        return cls(**json.loads(text))

    @cached_property
    def mutant(self) -> Mutant:
        """The mutant; the class that declares its pass is imported already."""
        declaring = declaring_classes()[PassKey(self.source, self.argument)]
        return mutants_of(declaring, XDSLContext())[self.index]

    @contextmanager
    def replacing(self) -> Iterator[None]:
        """Run the mutant in place of its pass, in all pass managers."""
        token = PassManager.watch.set(self._watch)
        try:
            yield
        finally:
            PassManager.watch.reset(token)

    @contextmanager
    def _watch(self, manager: PassManager) -> Iterator[None]:
        if any(isinstance(each, MutatedPasses) for each in manager.instrumentations):
            yield  # the run of a pass manager that runs as another one
            return
        mutated = MutatedPasses(self, manager.context, manager.passes())
        with mutated.changes, observing(manager, mutated):
            yield


class MutatedPasses(PassInstrumentation):
    """Makes passes a mutant: also those that a dynamic pipeline or a worker runs."""

    detail = Detail.PASSES

    def __init__(
        self, name: MutantName, context: Context, passes: Iterable[Pass] = ()
    ) -> None:
        """Make passes the mutant of a name.

        Args:
            name: names the mutant.
            context: of the IR.
            passes: passes to change once the run has begun, as a runner has checked
                then whether workers can have them.
        """
        self.name = name
        self.changes = ExitStack()
        """Ends the changes of passes."""

        self._context = context
        self._passes = list(passes)
        self._changed: list[Pass] = []
        self._lock = threading.Lock()

    def run_before_pipeline(self, _anchor: str, parent: PipelineParentInfo) -> None:
        """Change the passes of the run."""
        if parent.is_outermost:
            for pass_ in self._passes:
                self._change(pass_)

    def run_before_initialize(self, pass_: Pass) -> None:
        """Change a pass of a dynamic pipeline, or of a worker."""
        if all(pass_ is not known for known in self._passes):
            self._change(pass_, is_initialized=False)

    def run_before_pass(self, pass_: Pass, _operation: Operation) -> None:
        """Change the copy of a pass in a thread, or a pass without initialization."""
        self._change(pass_)

    def _change(self, pass_: Pass, *, is_initialized: bool = True) -> None:
        """Make a pass the mutant, if it is one of that pass."""
        if key_of(type(pass_)) != (self.name.source, self.name.argument):
            return
        with self._lock:
            if any(pass_ is known for known in self._changed):
                return
            self._changed.append(pass_)
            self.changes.enter_context(self.name.mutant.applied_to(pass_))
            if is_initialized:
                self.changes.enter_context(_initialized(pass_, self._context))


@contextmanager
def _initialized(pass_: Pass, context: Context) -> Iterator[None]:
    """Initialize a pass again; it is as it was after the block."""
    before = dict(vars(pass_))
    pass_.initialize(context)
    changed = [
        name for name, value in vars(pass_).items() if before.get(name) is not value
    ]
    try:
        yield
    finally:
        for name in changed:
            if name in before:
                setattr(pass_, name, before[name])
            else:
                delattr(pass_, name)


class _PartOfMutatedPasses(WorkerPart):
    """Makes passes in workers a mutant."""

    factory = f"{__name__}:mutated_passes_in_worker"

    def __init__(self, mutated: MutatedPasses) -> None:
        """Send the name of the mutant."""
        self.settings = mutated.name.encode()


def mutated_passes_in_worker(
    context: Context, settings: PlainData, _send: Send
) -> MutatedPasses:
    """Return what makes passes a mutant in a worker, whose passes no other run has."""
    return MutatedPasses(MutantName.decode(settings), context)


register_part(MutatedPasses, _PartOfMutatedPasses)
