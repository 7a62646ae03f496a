"""MLIR's own passes in our pipelines: one as a pass of ours, several as one step.

    builtin.module(func.func(cse,canonicalize),symbol-dce,my-python-pass,cse)
                   ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~

What is underlined runs as one pipeline of MLIR, with MLIR's verifier and threads. The
outermost anchor that MLIR gets is always `any`: where that is wrong, MLIR reports it,
but a wrong anchor ends the process.
"""

from __future__ import annotations

import re
import shutil
import tempfile
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self, cast

from passgen_runtime.analysis import PreservedAnalyses
from passgen_runtime.context import Context, Operation
from passgen_runtime.errors import PassError, PassFailure
from passgen_runtime.ir.mlir.bindings import Bindings, MLIRObject
from passgen_runtime.ir.mlir.diagnostics import errors_of
from passgen_runtime.operation_pass import OperationPass
from passgen_runtime.pass_manager import Element, FusedPass
from passgen_runtime.pass_options import PassOptions
from passgen_runtime.textual_pipeline import ANY_ANCHOR

if TYPE_CHECKING:
    from passgen_runtime.ir.mlir import MLIRContext

_DUMP: Final = re.compile(r"[0-9_]*_(.+)")
"""The names of files of IR dumps: numbers, and the argument of the pass."""


class NativePipeline(FusedPass):
    """Passes and nested pipelines that run as one pipeline of MLIR."""

    name = "NativePipeline"

    def __init__(self, elements: Iterable[Element], *, verify_each: bool) -> None:
        """Run `elements`, with MLIR's verifier after each pass if asked."""
        super().__init__(elements, verify_each=verify_each)
        self._failures = _FailureLog()
        self._manager = _Manager(str(self), self._failures, verify_each=verify_each)

    def clone(self) -> Self:
        """Return a copy that builds a pipeline of its own."""
        return type(self)(self.elements, verify_each=self.verify_each)

    def run_on_operation(self) -> None:
        """Let MLIR's pipeline work; where it fails, find out which pass did."""
        state = self.state
        context = _mlir_context(state.context, str(self))
        operation = state.operation
        self.mark_matched(map(context.name, context.children(operation)))
        if not self._manager.run(context, operation):
            state.fail(self._failure(context.describe(operation)))
            return
        if state.has_analyses:
            state.analysis_manager.invalidate(PreservedAnalyses())
        # MLIR has verified what is to be verified.
        self.mark_all_analyses_preserved()

    def _failure(self, operation: str) -> PassFailure:
        argument = self._failures.take()
        passes = list(self.passes())
        if len({each.argument for each in passes}) == 1:
            argument = passes[0].argument
        names = {each.argument: each.name for each in passes}
        return PassFailure(
            pass_name=names.get(argument, self.name),
            argument=argument or str(self),
            operation=operation,
            pipeline="",
        )


class NativePass(OperationPass[PassOptions]):
    """Runs one of MLIR's own passes."""

    fused_by = NativePipeline

    def __init__(self, options: PassOptions | None = None) -> None:
        """Make a pass with `options`."""
        super().__init__(options)
        self._manager: _Manager | None = None

    def clone(self) -> Self:
        """Return a copy that builds a pass of its own."""
        duplicate = super().clone()
        duplicate._manager = None  # noqa: SLF001 - same class
        return duplicate

    def run_on_operation(self) -> None:
        """Let MLIR's pass work; it has reported why if it fails."""
        context = _mlir_context(self.context, self.argument)
        if self._manager is None:
            # What runs the pass verifies between the hooks of instrumentations.
            self._manager = _Manager(str(self))
        if not self._manager.run(context, self.operation):
            self.signal_pass_failure()


class _Manager:
    """A pass manager of MLIR, built when it first runs in a context."""

    def __init__(
        self,
        text: str,
        failures: _FailureLog | None = None,
        *,
        verify_each: bool = False,
    ) -> None:
        self._text = text
        self._verify_each = verify_each
        self._failures = failures
        self._mlir: MLIRObject = None
        self._manager: MLIRObject = None

    def run(self, context: MLIRContext, operation: Operation) -> bool:
        """Run on `operation`; report errors and return whether there were none."""
        if self._mlir is not context.mlir:
            self._manager = self._built(context)
            self._mlir = context.mlir
        try:
            with context.quiet_threads(operation):
                self._manager.run(operation)
        except context.bindings.ir.MLIRError as error:
            for found in errors_of(error):
                context.report(found)
            return False
        return True

    def _built(self, context: MLIRContext) -> MLIRObject:
        managers = context.bindings.passmanager.PassManager
        manager = managers.parse(f"{ANY_ANCHOR}({self._text})", context.mlir)
        manager.enable_verifier(enable=self._verify_each)
        if self._failures is not None:
            self._failures.attach(manager)
        return manager


class _FailureLog:
    """The name of the pass of a pipeline that has failed.

    The bindings do not tell it, but write a dump after a failure that is named after
    the pass; nothing is written where nothing fails.
    """

    def __init__(self) -> None:
        self._directory = Path(tempfile.gettempdir(), f"passgen-{uuid.uuid4().hex}")

    def attach(self, manager: MLIRObject) -> None:
        """Let `manager` write dumps where this looks for them."""
        manager.enable_ir_printing(
            print_after_all=True,
            print_after_failure=True,
            tree_printing_dir_path=str(self._directory),
        )

    def take(self) -> str:
        """Return the argument of the pass that has failed; empty if it is unknown."""
        dumps = sorted(self._directory.rglob("*.mlir"))
        shutil.rmtree(self._directory, ignore_errors=True)
        match = _DUMP.fullmatch(dumps[0].stem) if dumps else None
        return match[1] if match else ""


def _mlir_context(context: Context, argument: str) -> MLIRContext:
    """Return `context` if it is one over MLIR's IR.

    Raises:
        PassError: it is not.
    """
    if not isinstance(getattr(context, "bindings", None), Bindings):
        message = f"pass '{argument}' is MLIR's own, and runs on MLIR's IR only"
        raise PassError(message)
    return cast("MLIRContext", context)
