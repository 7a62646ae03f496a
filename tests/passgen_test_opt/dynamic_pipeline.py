"""A pass that runs the pipeline of its option."""

from __future__ import annotations

import sys

from passgen_runtime import (
    OpPassManager,
    PipelineError,
    parse_pass_pipeline,
)
from passgen_runtime.context import Operation
from tests.passgen_test_opt.generated.test_passes import TestDynamicPipelinePassBase
from tests.passgen_test_opt.registry import REGISTRY


class TestDynamicPipelinePass(TestDynamicPipelinePassBase):
    def get_dependent_dialects(self) -> list[str]:
        manager = self._parse("any")
        passes = [] if manager is None else manager.passes()
        return [name for each in passes for name in each.get_dependent_dialects()]

    def run_on_operation(self) -> None:
        options, context, operation = self.options, self.context, self.operation
        name = context.name(operation)
        context.print_debug(f"Dynamic execute '{options.pipeline}' on {name}\n")
        if not options.pipeline:
            context.print_debug("Empty pipeline\n")
            return
        symbol = context.symbol_name(operation)
        if symbol is None:
            self.emit_warning("Ignoring because not implementing SymbolOpInterface\n")
            return
        if options.op_names and symbol not in options.op_names:
            context.print_debug(f"dynamic-pipeline skip op name: {symbol}\n")
            return
        manager = self._parse(name)
        if manager is None:
            return
        if options.run_on_parent:
            parent = context.parent(operation)
            if parent is not None and self.run_pipeline(manager, parent):
                self.signal_pass_failure()
        elif options.run_on_nested_op:
            context.print_debug("Run on nested op\n")
            for nested in self._nested(operation):
                context.print_debug(f"Run on {context.print(nested)}\n")
                self._run(manager, nested)
        else:
            self._run(manager, operation)

    def _run(self, manager: OpPassManager, operation: Operation) -> None:
        if not self.run_pipeline(manager, operation):
            self.signal_pass_failure()

    def _nested(self, operation: Operation) -> list[Operation]:
        """Return the operations inside that are of the same kind."""
        return [
            each
            for each in operation.walk()
            if each is not operation and type(each) is type(operation)
        ]

    def _parse(self, anchor: str) -> OpPassManager | None:
        """Return the pipeline, or say what is wrong with it."""
        try:
            text = f"{anchor}({self.options.pipeline})"
            return parse_pass_pipeline(text, REGISTRY)
        except PipelineError as error:
            sys.stderr.write(f"{error}\n")
            return None
