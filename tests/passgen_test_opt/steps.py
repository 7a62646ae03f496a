"""Passes that say where they run: what is scheduled can be read from their lines."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

from passgen_runtime import (
    STRING,
    InterfacePass,
    OperationPass,
    PassOptions,
    PassRegistry,
    option,
)
from tests.recording import title


@dataclass(kw_only=True)
class StepOptions(PassOptions):
    name: str = option("name", STRING, default="P")
    fails_on: str = option("fails-on", STRING)


class _Step:
    """Prints the name of the step and its operation, and fails where it is told to."""

    def run_on_operation(self: Any) -> None:
        where = title(self.context, self.operation)
        sys.stderr.write(f"{self.options.name} {where}\n")
        if where == self.options.fails_on:
            self.emit_error(f"no {where}")
            self.signal_pass_failure()


class Step(_Step, OperationPass[StepOptions]):
    argument = "test-step"
    options_class = StepOptions


class FunctionStep(_Step, OperationPass[StepOptions]):
    argument = "test-step-on-function"
    options_class = StepOptions
    anchor = "func.func"


class ModuleStep(_Step, OperationPass[StepOptions]):
    argument = "test-step-on-module"
    options_class = StepOptions
    anchor = "builtin.module"


class InterfaceStep(_Step, InterfacePass[StepOptions]):
    argument = "test-step-on-interface"
    options_class = StepOptions
    interface = "FunctionOpInterface"


class SymbolStep(_Step, InterfacePass[StepOptions]):
    argument = "test-step-on-symbol"
    options_class = StepOptions
    interface = "SymbolOpInterface"


def register_steps(registry: PassRegistry) -> None:
    for step in (Step, FunctionStep, ModuleStep, InterfaceStep, SymbolStep):
        registry.register_pass(step)
