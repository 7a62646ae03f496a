"""MLIR's own passes in our pipelines: one as a pass of ours, several as one step.

    builtin.module(func.func(cse,canonicalize),symbol-dce,my-python-pass,cse)
                   ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~

What is underlined runs as one pipeline of MLIR, with MLIR's verifier; each pass runs by
itself where an instrumentation wants to see it.

MLIR's parser of pipelines refuses a pass in a pass manager of another anchor, but its
registered pipelines end the process there. So the outermost is always one on `any`
operation, where MLIR reports it instead; and nested ones are MLIR's only where it is
certain that they hold passes.
"""

from __future__ import annotations

import re
import shutil
import tempfile
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, ClassVar, Final, Self, TypeAlias, cast

from passgen_runtime.analysis_manager import PreservedAnalyses
from passgen_runtime.context import Context, Operation
from passgen_runtime.errors import PassError, PassFailure
from passgen_runtime.ir.mlir.bindings import Bindings, MLIRObject
from passgen_runtime.ir.mlir_graves import children_of
from passgen_runtime.operation_pass import OperationPass, Pass
from passgen_runtime.option_declarations import OptionInfo
from passgen_runtime.option_types import STRING
from passgen_runtime.pass_options import PassOptions
from passgen_runtime.pass_scheduling import FusedPass, ScheduledPipeline
from passgen_runtime.textual_pipeline import ANY_ANCHOR

if TYPE_CHECKING:
    from passgen_runtime.ir.mlir import MLIRContext

Element: TypeAlias = Pass | list[ScheduledPipeline]

RunInMLIR: TypeAlias = Callable[[Bindings, MLIRObject, Operation], None]

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


class NativePass(OperationPass[PassOptions]):
    """Runs one of MLIR's own passes."""

    may_meet_any: ClassVar[bool] = False
    """Whether MLIR itself keeps the pass from operations that it cannot run on."""

    def __init__(self, options: PassOptions | None = None) -> None:
        """Make a pass with `options`."""
        super().__init__(options)
        self._manager = _Manager()

    def clone(self) -> Self:
        """Return a copy that builds a pass of its own."""
        duplicate = super().clone()
        duplicate._manager = _Manager()  # noqa: SLF001 - same class
        return duplicate

    def run_on_operation(self) -> None:
        """Let MLIR's pass work; it has reported why if it fails."""
        context = _mlir_context(self.context, self.argument)
        # Ours verifies after each pass, between the hooks of instrumentations.
        manager = self._manager.built(str(self), context, verify_each=False)
        if not _run(self._manager.run, manager, context, self.state.operation):
            self.signal_pass_failure()


class NativePipeline(FusedPass):
    """Passes and nested pipelines that run as one pipeline of MLIR."""

    name = "NativePipeline"

    def __init__(self, elements: Sequence[Element], *, verify_each: bool) -> None:
        """Run `elements`, with MLIR's verifier after each pass if asked."""
        super().__init__(elements)
        self.text = ",".join(map(_text, elements))
        self._verify_each = verify_each
        self._manager = _Manager(_FailureLog())

    def clone(self) -> Self:
        """Return a copy that builds a pipeline of its own."""
        duplicate = super().clone()
        duplicate._manager = _Manager(_FailureLog())  # noqa: SLF001 - same class
        return duplicate

    def run_on_operation(self) -> None:
        """Let MLIR's pipeline work; where it fails, find out which pass did."""
        context = _mlir_context(self.context, self.text)
        manager = self._manager.built(self.text, context, verify_each=self._verify_each)
        state = self.state
        operation = state.operation
        self.mark_matched(each.name for each in children_of(operation))
        if not _run(self._manager.run, manager, context, operation):
            state.fail(self._failure(context.describe(operation)))
            return
        if state.has_analyses:
            state.analysis_manager.invalidate(PreservedAnalyses())
        # MLIR has verified what is to be verified.
        self.mark_all_analyses_preserved()

    def _failure(self, operation: str) -> PassFailure:
        assert self._manager.failures is not None
        argument = self._manager.failures.take()
        passes = list(self.passes())
        if len({each.argument for each in passes}) == 1:
            argument = passes[0].argument
        names = {each.argument: each.name for each in passes}
        return PassFailure(
            pass_name=names.get(argument, self.name),
            argument=argument or self.text,
            operation=operation,
            pipeline="",
        )


class _Manager:
    """A pass manager of MLIR, built when it is needed for a context."""

    def __init__(self, failures: _FailureLog | None = None) -> None:
        self.failures = failures
        self.run: RunInMLIR = _run_in_mlir
        self._mlir: MLIRObject = None
        self._manager: MLIRObject = None

    def built(
        self, text: str, context: MLIRContext, *, verify_each: bool
    ) -> MLIRObject:
        """Return the manager of the elements in `text`."""
        if self._mlir is not context.mlir:
            parse = context.bindings.parse_manager
            with context.handles.making_others():
                self._manager = parse(f"{ANY_ANCHOR}({text})", context.mlir)
                self._mlir = context.mlir
            self._manager.enable_verifier(enable=verify_each)
            self.run = _called(f"MLIR's own {text}")
            if self.failures is not None:
                self.failures.attach(self._manager)
        return self._manager


class _FailureLog:
    """Which pass of a pipeline of MLIR has failed: MLIR itself writes it to a file.

    There is no other way to know. Nothing is written where nothing fails.
    """

    def __init__(self) -> None:
        self._directory = Path(tempfile.gettempdir(), f"passgen-{uuid.uuid4().hex}")

    def attach(self, manager: MLIRObject) -> None:
        manager.enable_ir_printing(
            print_after_all=True,
            print_after_failure=True,
            tree_printing_dir_path=str(self._directory),
        )

    def take(self) -> str:
        """Return the argument of the pass that has failed; empty if nobody knows."""
        dumps = sorted(self._directory.rglob("*.mlir"))
        shutil.rmtree(self._directory, ignore_errors=True)
        match = _DUMP.fullmatch(dumps[0].stem) if dumps else None
        return match[1] if match else ""


def fuse(pipeline: ScheduledPipeline, *, verify_each: bool) -> ScheduledPipeline:
    """Return `pipeline` with consecutive elements that are all MLIR's own as one.

    Args:
        pipeline: as scheduled.
        verify_each: whether the IR is verified after each pass.
    """
    elements: list[Element] = []
    pending: list[Element] = []

    def flush() -> None:
        is_one_pass = len(pending) == 1 and isinstance(pending[0], Pass)
        if is_one_pass and not verify_each:
            elements.extend(pending)
        elif pending:
            elements.append(NativePipeline(tuple(pending), verify_each=verify_each))
        pending.clear()

    for element in pipeline.elements:
        if _is_native(element):
            pending.append(element)
            continue
        flush()
        if isinstance(element, list):
            nested = [fuse(each, verify_each=verify_each) for each in element]
            elements.append(nested)
        else:
            elements.append(element)
    flush()
    return ScheduledPipeline(pipeline.anchor, elements)


def _is_native(element: Element) -> bool:
    """Return whether MLIR may run `element`, with all that is nested in it."""
    if isinstance(element, Pass):
        return isinstance(element, NativePass)
    return all(
        isinstance(inner, NativePass) and inner.may_meet_any
        for each in element
        for inner in each.passes()
    )


def _text(element: Element | ScheduledPipeline) -> str:
    if isinstance(element, list):
        return ",".join(map(_text, element))
    return str(element)


def _mlir_context(context: Context, argument: str) -> MLIRContext:
    """Return `context` if it is one over MLIR's IR.

    Raises:
        PassError: it is not.
    """
    if not isinstance(getattr(context, "bindings", None), Bindings):
        message = f"pass '{argument}' is MLIR's own, and runs on MLIR's IR only"
        raise PassError(message)
    return cast("MLIRContext", context)


def _run(
    run: RunInMLIR,
    manager: MLIRObject,
    context: MLIRContext,
    operation: Operation,
) -> bool:
    """Run a pass manager of MLIR on `operation`; return whether it succeeded."""
    context.type_key(operation)  # what is gone says so
    context.erasures.prepare_native_run(operation)
    try:
        with context.emitting_errors:
            run(context.bindings, manager, operation)
    except context.bindings.ir.MLIRError:
        return False
    return True


def _run_in_mlir(bindings: Bindings, manager: MLIRObject, operation: Operation) -> None:
    bindings.run(manager, operation)


def _called(name: str) -> RunInMLIR:
    """Return a function that runs MLIR's passes, and has a name of its own.

    Where MLIR ends the process, Python's `faulthandler` shows the names of functions,
    and can show nothing else.
    """
    code = _run_in_mlir.__code__.replace(co_name=name, co_qualname=name)
    return FunctionType(code, globals())
