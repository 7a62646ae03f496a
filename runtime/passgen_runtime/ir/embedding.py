"""Embedding of a pass or pipeline into the pass manager of an IR library."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from passgen_runtime.context import Context
from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.errors import wrong_argument
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_manager import OpPassManager, PassManager, manager_for


def embed_pipeline(
    pipeline: Pass | OpPassManager, context: Context, anchor: str
) -> PassManager:
    """Return a manager that runs `pipeline` itself, not a copy, on its operations.

    Args:
        pipeline: a pass or a manager. One that is not for `anchor` operations runs on
            those inside that it is for. A `PassManager` keeps its instrumentations
            and settings, but not its context and its threads.
        context: the context of the IR.
        anchor: the name of the operations that the library runs it on.

    Raises:
        TypeError: `pipeline` is neither a pass nor a manager.
        SchedulingError: the pass cannot run on such operations.
    """
    manager = PassManager(context, anchor, nesting="implicit")
    # The library decides whether it verifies the IR after its passes.
    manager.verify_each = False
    if isinstance(pipeline, PassManager):
        manager.run_as(pipeline)
    if isinstance(pipeline, OpPassManager):
        inside: OpPassManager = manager
        if pipeline.anchor != anchor and not pipeline.is_op_agnostic:
            inside = manager.nest(pipeline.anchor)
        inside.elements.extend(pipeline.elements)
        return manager
    if not isinstance(pipeline, Pass):
        raise wrong_argument("pipeline", pipeline, "a pass or an OpPassManager")
    manager_for(pipeline, manager, context).add_pass(pipeline)
    return manager


@contextmanager
def errors_collected_in(errors: list[Diagnostic], context: Context) -> Iterator[None]:
    """Append the errors of the block to `errors`, which the IR library then reports."""
    handle_others = context.diagnostic_handler

    def handle(diagnostic: Diagnostic) -> None:
        if diagnostic.severity == "error":
            errors.append(diagnostic)
        else:
            handle_others(diagnostic)

    with context.redirecting_diagnostics(handle):
        yield
