"""Repeat a pipeline until it changes nothing.

Before::

    %0 = arith.addi %a, %b : i32
    %1 = arith.addi %a, %b : i32
    %2 = arith.addi %0, %c : i32
    %3 = arith.addi %1, %c : i32

After `composite-fixed-point-pass{pipeline=cse,canonicalize}`, when neither pass changes
anything more::

    %0 = arith.addi %a, %b : i32
    %1 = arith.addi %0, %c : i32

Source: `lib/Transforms/CompositePass.cpp` of MLIR, with its messages and its count of
rounds: `max-iterations=n` allows n rounds and one more, whose outcome is not checked.

Names in the inner pipeline are looked up in the registry of the pass, or in the default
registry if the pass was made without one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from passgen_runtime import OpPassManager, PassError, TextualPipeline
from passgen_runtime.context import Context
from passgen_runtime.pass_registry import PipelineUser, parse_pass_pipeline
from passgen_runtime.passes.generated.transforms_passes import (
    CompositeFixedPointPassBase,
    CompositeFixedPointPassOptions,
)


class CompositeFixedPoint(CompositeFixedPointPassBase, PipelineUser):
    """The pass `composite-fixed-point-pass`."""

    def __init__(self, options: CompositeFixedPointPassOptions | None = None) -> None:
        """Name the pass as the options say."""
        super().__init__(options)
        self.name = self.options.name  # type: ignore[misc] # set by the option
        self._pipeline: OpPassManager | None = None

    def use_pipelines(
        self, resolve: Callable[[TextualPipeline], OpPassManager]
    ) -> None:
        """Keep the inner pipeline, resolved with the pipeline around the pass.

        Raises:
            PipelineError: the inner pipeline is wrong.
        """
        self._pipeline = resolve(self.options.pipeline_str)

    @property
    def inner_pipeline(self) -> OpPassManager:
        """The pipeline to repeat.

        Raises:
            PipelineError: the pipeline is wrong.
        """
        if self._pipeline is None:
            self._pipeline = parse_pass_pipeline(f"any({self.options.pipeline_str})")
        return self._pipeline

    def initialize(self, context: Context) -> None:
        """Check the number of rounds.

        Raises:
            PassError: it is not positive.
        """
        super().initialize(context)
        if self.options.max_iter <= 0:
            raise PassError(f"Invalid maxIterations value: {self.options.max_iter}")

    def get_dependent_dialects(self) -> Iterable[str]:
        """Return the dialects that the passes of the inner pipeline depend on."""
        for pass_ in self.inner_pipeline.passes():
            yield from pass_.get_dependent_dialects()

    def run_on_operation(self) -> None:
        """Run the inner pipeline on the operation until nothing changes."""
        before = self.context.fingerprint(self.operation)
        is_unchanged = True
        for _ in range(self.options.max_iter):
            if not self.run_pipeline(self.inner_pipeline, self.operation):
                self.signal_pass_failure()
                return
            after = self.context.fingerprint(self.operation)
            if after == before:
                if is_unchanged:
                    self.mark_unchanged()
                return
            before = after
            is_unchanged = False
        if not self.run_pipeline(self.inner_pipeline, self.operation):
            self.signal_pass_failure()
            return
        self.emit_warning(
            f'Composite pass "{self.name}"+ didn\'t converge in '
            f"{self.options.max_iter} iterations"
        )
