"""Records of runs in which one pass makes one function wrong."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from xdsl.dialects.builtin import IntegerAttr, StringAttr, i32

from passgen_runtime import OperationPass, PassManager
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.pass_options import PassOptions
from passgen_tools.record import record

IR: TypeAlias = Any
"""An operation of xDSL's."""

FUNCTION = """
func.func @f{number}(%x: i32) -> i32 {{
  %0 = arith.constant {number} : i32
  %1 = arith.addi %x, %0 : i32
  func.return %1 : i32
}}
"""


@dataclass(frozen=True)
class Fault:
    """Which pass makes which function wrong; both count from 0."""

    pass_number: int
    function_number: int
    is_required: bool
    """Whether the passes fail without the one before them, so that none can be skipped."""


def random_faults(
    count: int, num_passes: int, num_functions: int, *, seed: int = 1
) -> list[Fault]:
    """Return faults, half of them in passes that cannot be skipped."""
    generator = random.Random(seed)  # noqa: S311 - no secret
    return [
        Fault(
            generator.randrange(num_passes),
            generator.randrange(num_functions),
            is_required=number % 2 == 0,
        )
        for number in range(count)
    ]


def record_run(
    path: Path, num_passes: int, num_functions: int, fault: Fault | None
) -> None:
    """Record a run of passes on functions."""
    context = XDSLContext()
    text = "".join(FUNCTION.format(number=number) for number in range(num_functions))
    module = context.parse(text, "functions.mlir")
    manager = PassManager(context)
    for number in range(num_passes):
        # Every fourth pass runs on the module; the others are nested.
        nested = manager if number % 4 == 3 else manager.nest("func.func")
        nested.add_pass(make_pass(number, fault))
    with record(manager, path):
        manager.run(module)


def make_pass(number: int, fault: Fault | None) -> OperationPass[PassOptions]:
    """Return the pass with a number, which may have the fault."""

    class Stage(OperationPass[PassOptions]):
        name = f"Stage{number}"
        argument = f"stage-{number}"

        def run_on_operation(self) -> None:
            for function in functions_in(self.operation):
                advance(function, number, fault)

    return Stage()


def functions_in(operation: IR) -> list[IR]:
    """Return the functions in a module, or the function itself."""
    if operation.name == "func.func":
        return [operation]
    return list(operation.body.block.ops)


def advance(function: IR, number: int, fault: Fault | None) -> None:
    """Do what a pass does with a function: note that it was there, or break it."""
    if fault is not None and fault.is_required:
        before = function.attributes.get("stage")
        assert number == 0 or before == IntegerAttr(
            number - 1, i32
        ), "a pass is missing"
        function.attributes["stage"] = IntegerAttr(number, i32)
    elif (number + len(function.sym_name.data)) % 3 == 0:
        function.attributes[f"seen-{number}"] = StringAttr("yes")
    if fault is not None and (number, function.sym_name.data) == (
        fault.pass_number,
        f"f{fault.function_number}",
    ):
        function.attributes["broken"] = StringAttr("yes")


def is_broken(text: str) -> bool:
    return '"broken"' in text or "broken =" in text


def is_valid(text: str) -> bool:
    context = XDSLContext()
    context.verify(context.parse(text, "mixture.mlir"))
    return True


@dataclass
class Counting:
    """A judge that counts how often it is asked."""

    judge: Callable[[str], bool | None]
    count: int = 0

    def __call__(self, text: str) -> bool | None:
        self.count += 1
        return self.judge(text)
