"""The pipeline that a call of `passgen-opt` asks for, as a pass manager."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from passgen_runtime.context import Context
from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.opt.flags import Request
from passgen_runtime.pass_manager import (
    PassManager,
    outermost_level,
    threads_run_in_parallel,
)
from passgen_runtime.pass_registry import (
    PassRegistry,
    add_pass_from_flag,
    parse_pass_manager,
)
from passgen_runtime.textual_pipeline import parse_pipeline

if TYPE_CHECKING:
    from passgen_runtime.instrumentations.reproducer import Reproducer


@dataclass(frozen=True, slots=True)
class RequestedPipeline:
    """What is to run on each part of the input."""

    request: Request
    registry: PassRegistry

    def make(self, context: Context, reproducer: Reproducer | None) -> PassManager:
        """Return what is to run: a reproducer's pipeline, then that of the flags.

        Raises:
            PipelineError: anything is wrong with it, with the place.
        """
        request, registry = self.request, self.registry
        manager = PassManager(context, nesting="implicit")
        if reproducer is not None:
            manager = parse_pass_manager(reproducer.pipeline, context, registry)
        if request.pipeline is not None:
            given = parse_pass_manager(request.pipeline, context, registry)
            if reproducer is None:
                manager = given
            else:
                manager.add_pipeline(given)
        for flag in request.passes:
            add_pass_from_flag(manager, flag, registry, context)
        manager.verify_each = request.verify_each
        is_threaded = not request.observation.disable_threading
        if reproducer is not None:
            manager.verify_each = reproducer.verify_each
            is_threaded = is_threaded and not reproducer.disable_threading
        if is_threaded:
            self._enable_threads(manager)
        else:
            context.disable_multithreading()
        return manager

    def make_again(
        self, context: Context, reproducer: Reproducer | None
    ) -> PassManager:
        """Return what is to run; warnings about the flags have been given before."""
        handler = context.diagnostic_handler
        if reproducer is None:
            context.diagnostic_handler = _ignore
        try:
            return self.make(context, reproducer)
        finally:
            context.diagnostic_handler = handler

    def dump(self, manager: PassManager) -> None:
        """Print the pipeline to standard error if that is asked for."""
        form = self.request.dump_pipeline
        if form is None:
            return
        text = str(manager)
        if form != "line":
            text = parse_pipeline(text).pretty()
        if form == "mlir":
            if not manager.elements:
                text = f"{manager.anchor}(\n\n)"
            text = f"Pass Manager with {len(manager.elements)} passes:\n{text}\n"
        sys.stderr.write(f"{text}\n")

    def _enable_threads(self, manager: PassManager) -> None:
        is_forced = self.request.observation.disable_threading is False
        if is_forced or threads_run_in_parallel():
            manager.enable_multithreading(policy=outermost_level)
        else:
            manager.enable_multithreading(policy=_never)


def _never(*, depth: int, fans_out_above: bool, num_targets: int) -> bool:
    """Fan out nowhere: this interpreter runs one thread at a time."""
    del depth, fans_out_above, num_targets
    return False


def _ignore(_: Diagnostic) -> None:
    """Forget a diagnostic."""
