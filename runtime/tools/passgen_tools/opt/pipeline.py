"""The pipeline that a call of `passgen-opt` asks for."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from passgen_runtime.context import Context
from passgen_runtime.diagnostics import print_message
from passgen_runtime.errors import UntrustedPassError
from passgen_runtime.pass_manager import PassManager, Runner
from passgen_runtime.pass_manager_builder import check_order
from passgen_runtime.pass_registry import (
    PassRegistry,
    add_pass_from_flag,
    parse_pass_manager,
)
from passgen_runtime.textual_pipeline import parse_pipeline
from passgen_tools.opt.options import DriverOptions

if TYPE_CHECKING:
    from passgen_runtime.instrumentations.reproducer import Reproducer


class RequestedPipeline:
    """The pipeline of the command line: parsed once, copied for each run."""

    def __init__(
        self, options: DriverOptions, registry: PassRegistry, context: Context
    ) -> None:
        """Parse it; warnings go to the handler of `context`.

        Raises:
            PipelineError: anything is wrong with it, with the place.
        """
        self._options = options
        self._registry = registry
        if options.pipeline is not None:
            self._parsed = self._parse(options.pipeline, context)
        else:
            self._parsed = PassManager(context, nesting="implicit")
            self._add_flags(self._parsed)
            check_order(self._parsed, strict=options.strict_order)

    def manager(
        self, context: Context, anchor: str, reproducer: Reproducer | None
    ) -> PassManager:
        """Return a manager for a run in `context`.

        Args:
            context: holds the IR of the run.
            anchor: the name of the top-level operation, at which passes begin that are
                given as flags.
            reproducer: of the input. As in MLIR, its pipeline runs before the passes
                that are given as flags, and `--pass-pipeline` replaces it; the other
                settings hold in any case.

        Raises:
            PipelineError: anything is wrong with the reproducer's pipeline.
        """
        is_threaded = not self._options.disable_threading
        if self._options.pipeline is None and anchor != self._parsed.anchor:
            manager = PassManager(context, anchor, nesting="implicit")
            self._add_flags(manager)
        else:
            manager = PassManager(context, self._parsed.anchor)
            manager.add_pipeline(self._parsed)
        manager.verify_each = self._options.verify_each
        if reproducer is not None:
            # Parsed in any case: as in MLIR, it must not be wrong.
            held = self._parse_reproducer(reproducer.pipeline, context)
            if self._options.pipeline is None:
                manager = held
                # The anchor of the reproducer's pipeline decides how these are nested.
                self._add_flags(manager)
            manager.verify_each = reproducer.verify_each
            is_threaded = is_threaded and not reproducer.disable_threading
        manager.skips_unchanged = not self._options.no_skip
        if is_threaded:
            manager.runner = self._threads()
        else:
            context.disable_multithreading()
        return manager

    def dump(self, manager: PassManager) -> None:
        """Print `manager` to standard error if `--dump-pass-pipeline` is given."""
        form = self._options.dump_pipeline
        if form is None:
            return
        text = str(manager)
        if form != "line":
            text = parse_pipeline(text).pretty()
        if form == "mlir":
            if not manager.elements:
                text = f"{manager.anchor}(\n\n)"
            text = f"Pass Manager with {len(manager.elements)} passes:\n{text}\n"
        print_message(f"{text}\n")

    def _parse(
        self, text: str, context: Context, *, is_trusted: bool = True
    ) -> PassManager:
        registry = self._registry
        manager = parse_pass_manager(text, context, registry, is_trusted=is_trusted)
        check_order(manager, strict=self._options.strict_order, written=text)
        return manager

    def _parse_reproducer(self, text: str, context: Context) -> PassManager:
        is_replaced = self._options.pipeline is not None
        is_trusted = self._options.trust_reproducer or is_replaced
        try:
            return self._parse(text, context, is_trusted=is_trusted)
        except UntrustedPassError as error:
            note = "--trust-reproducer lets the passes of a reproducer do that"
            error.notes = (*error.notes, note)
            raise

    def _add_flags(self, manager: PassManager) -> None:
        for flag in self._options.line.passes:
            add_pass_from_flag(manager, flag, self._registry, manager.context)

    def _threads(self) -> Runner:
        """Return the runner of a run that may use threads."""
        if self._options.disable_threading is False or _threads_run_in_parallel():
            from passgen_runtime.runners import Threads

            return Threads()
        return _InOneThread()


class _InOneThread(Runner):
    """Uses one thread because the interpreter runs one at a time; the user allows more.

    What a flag or a reproducer says about threads does not depend on the interpreter.
    """

    is_multithreaded = True


def _threads_run_in_parallel() -> bool:
    """Return whether this interpreter runs Python code in several threads at once."""
    is_gil_enabled = getattr(sys, "_is_gil_enabled", None)
    return is_gil_enabled is not None and not is_gil_enabled()
