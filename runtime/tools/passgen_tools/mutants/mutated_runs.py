"""Runs of a mutant: in this process, and in programs that it starts.

The environment names the mutant. No source is edited: a pass is changed for each run.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Self

from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.pass_manager import PassManager
from passgen_tools.coverage import PassKey, declaring_classes, key_of
from passgen_tools.mutants.mutant import Mutant, mutants_of
from passgen_tools.python_programs import PASS_MUTANT


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
        return None if text is None else cls(**json.loads(text))

    @cached_property
    def mutant(self) -> Mutant:
        """The mutant; the class that declares its pass is imported already."""
        declaring = declaring_classes()[PassKey(self.source, self.argument)]
        return mutants_of(declaring, XDSLContext())[self.index]

    @contextmanager
    def replacing(self) -> Iterator[None]:
        """Run the mutant in place of its pass, whoever makes a pass manager."""
        token = PassManager.watch.set(self._watch)
        try:
            yield
        finally:
            PassManager.watch.reset(token)

    @contextmanager
    def _watch(self, manager: PassManager) -> Iterator[None]:
        key = self.source, self.argument
        with ExitStack() as blocks:
            for pass_ in manager.passes():
                if key_of(type(pass_)) == key:
                    blocks.enter_context(self.mutant.applied_to(pass_))
            yield
