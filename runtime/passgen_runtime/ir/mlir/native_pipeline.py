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
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self, cast

from passgen_runtime.analysis_manager import PreservedAnalyses
from passgen_runtime.context import Context, Operation
from passgen_runtime.errors import PassError, PassFailure
from passgen_runtime.ir.mlir.bindings import Bindings, MLIRObject
from passgen_runtime.ir.mlir.diagnostics import errors_of
from passgen_runtime.operation_pass import OperationPass
from passgen_runtime.option_declarations import OptionInfo
from passgen_runtime.option_types import STRING
from passgen_runtime.pass_options import PassOptions
from passgen_runtime.pass_scheduling import Element, FusedPass
from passgen_runtime.textual_pipeline import ANY_ANCHOR

if TYPE_CHECKING:
    from passgen_runtime.ir.mlir import MLIRContext

_DUMP: Final = re.compile(r"[0-9_]*_(.+)")
"""The names of files of IR dumps: numbers, and the argument of the pass."""


@dataclass(kw_only=True)
class NativePassOptions(PassOptions):
    """Options of a pass of MLIR, which MLIR reads."""

    given: str = ""
    """The options as given, in pipeline syntax."""

    @classmethod
    def declared(cls) -> tuple[OptionInfo, ...]:
        """Return nothing: the bindings do not tell what a pass declares."""
        return ()

    @classmethod
    def option_info(cls, argument: str) -> OptionInfo:
        """Return what is known of the option called `argument`: that MLIR takes it."""
        return OptionInfo(
            "given", argument, STRING, is_list=True, default=None, description=""
        )

    def __str__(self) -> str:
        """Return the options as given."""
        return self.given


class NativePipeline(FusedPass):
    """Passes and nested pipelines that run as one pipeline of MLIR."""

    name = "NativePipeline"

    def __init__(self, elements: Iterable[Element], *, verify_each: bool) -> None:
        """Run `elements`, with MLIR's verifier after each pass if asked."""
        super().__init__(elements, verify_each=verify_each)
        self._manager = _Manager(str(self), verify_each=verify_each)

    def clone(self) -> Self:
        """Return a copy that builds a pipeline of its own."""
        return type(self)(self.elements, verify_each=self.verify_each)

    def run_on_operation(self) -> None:
        """Let MLIR's pipeline work; where it fails, find out which pass did."""
        state = self.state
        context = _mlir_context(state.context, str(self))
        operation = state.operation
        self.mark_matched(map(context.name, context.children(operation)))
        with context.quiet_threads(operation):
            is_fine = self._manager.run(context, operation)
        if not is_fine:
            state.fail(self._failure(context.describe(operation)))
            return
        if state.has_analyses:
            state.analysis_manager.invalidate(PreservedAnalyses())
        # MLIR has verified what is to be verified.
        self.mark_all_analyses_preserved()

    def _failure(self, operation: str) -> PassFailure:
        argument = self._manager.failed_pass()
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
            self._manager = _Manager(str(self), verify_each=False)
        operation = self.operation
        with context.quiet_threads(operation):
            if not self._manager.run(context, operation):
                self.signal_pass_failure()


class _Manager:
    """A pass manager of MLIR, built when it first runs in a context."""

    def __init__(self, text: str, *, verify_each: bool) -> None:
        self._text = text
        self._verify_each = verify_each
        self._mlir: MLIRObject = None
        self._manager: MLIRObject = None
        self._dumps = Path(tempfile.gettempdir(), f"passgen-{uuid.uuid4().hex}")

    def run(self, context: MLIRContext, operation: Operation) -> bool:
        """Run on `operation`; report errors and return whether there were none."""
        if self._mlir is not context.mlir:
            self._manager = self._built(context)
            self._mlir = context.mlir
        try:
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
        # The bindings do not say which pass has failed, but name a dump after it.
        manager.enable_ir_printing(
            print_after_all=True,
            print_after_failure=True,
            tree_printing_dir_path=str(self._dumps),
        )
        return manager

    def failed_pass(self) -> str:
        """Return the argument of the pass that has failed; empty if unknown."""
        dumps = sorted(self._dumps.rglob("*.mlir"))
        shutil.rmtree(self._dumps, ignore_errors=True)
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
