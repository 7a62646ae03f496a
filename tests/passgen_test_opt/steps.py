"""Passes that say where they run, and do there what their options say.

What is scheduled can be read from their lines. Options with code of Python have `self`,
`say`, the modules below and what `deeds` has; `succeeded` is the outcome of the pipeline
in `runs`.
"""

from __future__ import annotations

import asyncio
import ctypes
import faulthandler
import io
import os
import re
import signal
import sys
import threading
import time
from dataclasses import dataclass
from functools import partial
from typing import Any

from xdsl.dialects import builtin, test

from passgen_runtime import (
    PIPELINE,
    STRING,
    InterfacePass,
    OperationPass,
    OpPassManager,
    PassOptions,
    PassRegistry,
    TextualPipeline,
    list_option,
    option,
    resolve_pipeline,
)
from passgen_runtime.context import Context
from tests.passgen_test_opt import deeds
from tests.recording import title


def break_ir(operation: Any) -> None:  # noqa: ANN401 - a function or a module
    """Add an operation behind the terminator."""
    operation.body.block.add_op(test.TestOp())


MODULES = (asyncio, ctypes, faulthandler, io, os, re, signal, sys, threading, time)
NAMES = {
    **vars(deeds),
    **{module.__name__: module for module in MODULES},
    "break_ir": break_ir,
    "builtin": builtin,
}


def _say(context: Context, text: str) -> None:
    context.print_debug(f"{text}\n")  # in the order of the IR, with threads too


@dataclass(kw_only=True)
class StepOptions(PassOptions):
    name: str = option("name", STRING, default="P")
    fails_on: str = option("fails-on", STRING)
    runs: TextualPipeline = option("runs", PIPELINE)
    runs_on: str = option("runs-on", STRING, default="self.operation")
    do: str = option("do", STRING)
    initialize: str = option("initialize", STRING)
    dialects: list[str] = list_option("dialects", STRING)


class _Step:
    """Prints the name of the step and its operation, and does what its options say."""

    registry = PassRegistry()
    pipeline: OpPassManager | None = None

    def get_dependent_dialects(self: Any) -> list[str]:
        return [*self.options.dialects]

    def initialize(self: Any, context: Context) -> None:
        names = {**NAMES, "self": self, "say": partial(_say, context)}
        exec(self.options.initialize, names)  # noqa: S102 - a test's

    def run_on_operation(self: Any) -> None:
        options, say = self.options, partial(_say, self.context)
        names = {**NAMES, "self": self, "say": say}
        where = title(self.context, self.operation)
        say(f"{options.name} {where}")
        if where == options.fails_on:
            self.emit_error(f"no {where}")
            self.signal_pass_failure()
        if options.runs.elements:
            operation = eval(options.runs_on, names)  # noqa: S307 - a test's
            if self.pipeline is None:
                anchor = self.context.name(operation)
                self.pipeline = resolve_pipeline(options.runs, anchor, self.registry)
            names["succeeded"] = self.run_pipeline(self.pipeline, operation)
            say(f"{options.name} {'succeeded' if names['succeeded'] else 'failed'}")
        exec(options.do, names)  # noqa: S102 - a test's


class Step(_Step, OperationPass[StepOptions]):
    argument = "test-step"


class FunctionStep(_Step, OperationPass[StepOptions]):
    argument = "test-step-on-function"
    anchor = "func.func"


class ModuleStep(_Step, OperationPass[StepOptions]):
    argument = "test-step-on-module"
    anchor = "builtin.module"


class InterfaceStep(_Step, InterfacePass[StepOptions]):
    argument = "test-step-on-interface"
    interface = "FunctionOpInterface"


class SymbolStep(_Step, InterfacePass[StepOptions]):
    argument = "test-step-on-symbol"
    interface = "SymbolOpInterface"


def register_steps(registry: PassRegistry) -> None:
    _Step.registry = registry
    for step in (Step, FunctionStep, ModuleStep, InterfaceStep, SymbolStep):
        registry.register_pass(step)
