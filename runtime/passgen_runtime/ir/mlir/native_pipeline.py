"""MLIR's own passes in pipelines, run singly or several as one pass.

    builtin.module(func.func(cse,canonicalize),symbol-dce,my-python-pass,cse)
                   ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~

The underlined passes run as one pipeline of MLIR, with MLIR's verifier and threads. The
outermost anchor that MLIR gets is always `any`: MLIR reports a pass that cannot run
there, while a wrong anchor ends the process.
"""

from __future__ import annotations

import re
import shutil
import tempfile
import uuid
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self, cast

from passgen_runtime.analysis import PreservedAnalyses
from passgen_runtime.context import Context, Operation
from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.errors import PassFailure, SchedulingError
from passgen_runtime.ir.mlir.bindings import Bindings, MLIRObject
from passgen_runtime.ir.mlir.threads import holds_symbol_tables, may_nest_below
from passgen_runtime.operation_pass import OperationPass, Pass
from passgen_runtime.pass_manager import Element, FinalizedPipeline, RunState, passes_in
from passgen_runtime.pass_options import PassOptions
from passgen_runtime.textual_pipeline import ANY_ANCHOR

if TYPE_CHECKING:
    from passgen_runtime.ir.mlir import MLIRContext

_DUMP: Final = re.compile(r"(?P<number>\d+(?:_\d+)*)_(?P<argument>.+)")
"""The file name of an IR dump: numbers, and the argument of the pass."""


class NativePipeline(Pass):
    """Passes and nested pipelines that run as one pipeline of MLIR."""

    def __init__(self, elements: Iterable[Element], *, verify_each: bool) -> None:
        """Run `elements`, with MLIR's verifier after each pass if `verify_each`."""
        self.elements = tuple(elements)
        self.verify_each = verify_each
        self._nested = [
            nested
            for element in self.elements
            if not isinstance(element, Pass)
            for nested in element.pipelines
        ]
        self._dumps = _FailureDumps()
        self._manager = _Manager(str(self), self.elements, self._dumps, verify_each)

    def __str__(self) -> str:
        """Return the elements in pipeline syntax."""
        return ",".join(map(str, self.elements))

    @property
    def name(self) -> str:  # type: ignore[override] # of each object, not class
        """The elements in pipeline syntax."""
        return str(self)

    def clone(self) -> Self:
        """Return a copy with an MLIR pipeline of its own."""
        return type(self)(self.elements, verify_each=self.verify_each)

    def run_on_operation(self) -> None:
        """Run the pipeline in MLIR; if it fails, find the failed pass."""
        state = RunState.of(self)
        context = cast("MLIRContext", state.context)
        operation = state.operation
        mark_matched(self._nested, _names_in(operation))
        errors = self._manager.run(context, operation)
        if errors is not None:
            state.fail(self._failure(context, operation, errors))
            return
        if state.has_analyses:
            state.analysis_manager.invalidate(PreservedAnalyses())
        # MLIR itself has verified the IR if `verify_each`.
        self.mark_all_analyses_preserved()

    def _failure(
        self, context: MLIRContext, operation: Operation, errors: list[Diagnostic]
    ) -> PassFailure:
        names = {pass_.argument: pass_.name for pass_ in passes_in(self.elements)}
        argument, described = self._dumps.take(context, operation, errors)
        if len(names) == 1:
            (argument,) = names
        return PassFailure(
            pass_name=names.get(argument, self.name),
            argument=argument or str(self),
            operation=described,
        )


def mark_matched(pipelines: Iterable[FinalizedPipeline], names: Iterable[str]) -> None:
    """Mark `pipelines` that run on operations with `names`, and those inside.

    Args:
        pipelines: nested pipelines on the operations directly inside another one.
        names: the names of these operations; consumed only as far as needed.
    """
    waiting = [pipeline for pipeline in pipelines if not pipeline.was_matched]
    for name in names if waiting else ():
        for pipeline in waiting:
            if pipeline.anchor in {ANY_ANCHOR, name}:
                for nested in pipeline.pipelines():
                    nested.was_matched = True
        waiting = [pipeline for pipeline in waiting if not pipeline.was_matched]
        if not waiting:
            return


def _names_in(operation: Operation) -> Iterator[str]:
    # A generator: the caller stops when it has found all anchors.
    for region in operation.regions:
        for block in region.blocks:
            for child in block.operations:
                yield child.operation.name


class NativePass(OperationPass[PassOptions]):
    """Runs one of MLIR's own passes."""

    def __init__(self, options: PassOptions | None = None) -> None:
        """Make a pass with `options`."""
        super().__init__(options)
        self._manager: _Manager | None = None

    def check_context(self, context: Context) -> None:
        """Check that `context` is for MLIR's IR.

        Raises:
            SchedulingError: it is not.
        """
        if not isinstance(getattr(context, "bindings", None), Bindings):
            reason = "is MLIR's own: it runs only on MLIR's IR"
            raise SchedulingError(f"pass '{self.argument}' {reason}")

    def clone(self) -> Self:
        """Return a copy with an MLIR pass of its own."""
        duplicate = super().clone()
        duplicate._manager = None  # noqa: SLF001 - same class
        return duplicate

    def run_on_operation(self) -> None:
        """Run MLIR's pass, which reports its own errors."""
        context = cast("MLIRContext", self.context)
        if self._manager is None:
            # The caller of the pass verifies, between the hooks of instrumentations.
            self._manager = _Manager(str(self))
        if self._manager.run(context, self.operation) is not None:
            self.signal_pass_failure()


@dataclass(slots=True, eq=False)
class _Manager:
    """A pass manager of MLIR, built when it first runs in a context."""

    text: str
    elements: Iterable[Element] = ()
    dumps: _FailureDumps | None = None
    verify_each: bool = False
    _mlir: MLIRObject = field(default=None, init=False)
    _manager: MLIRObject = field(default=None, init=False)
    _may_nest: bool = field(default=False, init=False)

    def run(
        self, context: MLIRContext, operation: Operation
    ) -> list[Diagnostic] | None:
        """Run on `operation`; return MLIR's errors if it fails, `None` otherwise."""
        if self._mlir is not context.mlir:
            self._manager = self._built(context)
            self._may_nest = may_nest_below(self.elements, context)
            self._mlir = context.mlir
        may_nest = self._may_nest or holds_symbol_tables(context.bindings, operation)
        found: list[Diagnostic] = []
        try:
            with (
                context.without_threads if may_nest else nullcontext(),
                context.collected_in(found, reports=True),
            ):
                self._manager.run(operation)
        except context.bindings.ir.MLIRError:
            return [entry for entry in found if entry.severity == "error"]
        return None

    def _built(self, context: MLIRContext) -> MLIRObject:
        managers = context.bindings.passmanager.PassManager
        try:
            manager = managers.parse(f"{ANY_ANCHOR}({self.text})", context.mlir)
        except ValueError as error:  # a pass outside the table of passes
            message, *more = str(error).strip().splitlines()
            raise SchedulingError("\nnote: ".join((message, *more))) from error
        manager.enable_verifier(enable=self.verify_each)
        if self.dumps is not None:
            self.dumps.attach(manager)
        return manager


class _FailureDumps:
    """IR dumps after failures, which identify the failed pass and its operation.

    The bindings offer no other way. MLIR writes these dumps into folders named after
    the operations; the file name has the pass. Without a failure it writes nothing.
    """

    def __init__(self) -> None:
        self._directory = Path(tempfile.gettempdir(), f"passgen-{uuid.uuid4().hex}")

    def attach(self, manager: MLIRObject) -> None:
        """Let `manager` write its dumps into the directory of this object."""
        manager.enable_ir_printing(
            print_after_all=True,
            print_after_failure=True,
            tree_printing_dir_path=str(self._directory),
        )

    def take(
        self, context: MLIRContext, operation: Operation, errors: list[Diagnostic]
    ) -> tuple[str, str]:
        """Find the first pass that failed in `operation`, in the order of the IR.

        Returns:
            The argument of the pass, empty if it is unknown, and the description of the
            operation that it failed on.
        """
        around = [*context.ancestors(operation)]
        folder = self._directory.joinpath(*map(partial(_folder, context), around[::-1]))
        try:
            found = list(_failures_in(context, operation, folder))
        finally:
            shutil.rmtree(self._directory, ignore_errors=True)
        if not found:
            return "", context.describe(operation)
        failed, dump = found[0]
        described = context.describe(failed)
        if errors and sum(other == dump for _, other in found) > 1:
            # Operations without symbols share a folder: only the error has the place.
            described = f"'{context.name(failed)}' operation at {errors[0].location}"
        match = _DUMP.fullmatch(dump.stem)
        return match["argument"] if match else "", described


def _failures_in(
    context: MLIRContext, operation: Operation, folder: Path
) -> Iterator[tuple[Operation, Path]]:
    """Yield operations with dumps, with the last dump of each, in IR order."""
    names = {entry.name for entry in folder.iterdir()} if folder.is_dir() else set()
    if dumps := sorted(folder.glob("*.mlir"), key=_number):
        yield operation, dumps[-1]
    elif names:
        for child in context.children(operation):
            if (name := _folder(context, child)) in names:
                yield from _failures_in(context, child, folder / name)


def _folder(context: MLIRContext, operation: Operation) -> str:
    """Return the name of the folder that MLIR writes dumps of `operation` into."""
    symbol = context.symbol_name(operation) or "no-symbol-name"
    name = context.name(operation).replace(".", "_")
    return f"{name}_{symbol.replace('/', '_')}"


def _number(dump: Path) -> tuple[int, ...]:
    """Return the numbers in the name of a dump, which order the dumps of a folder."""
    match = _DUMP.fullmatch(dump.stem)
    return tuple(map(int, match["number"].split("_"))) if match else ()
