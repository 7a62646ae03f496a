"""How long it takes to reduce 10,000 operations to those that matter.

    python -m tests.benchmarks.reduction

In Python, a pass raises on a division, and runs on each smaller copy. As a command, a
driver ends by a signal on it, and starts for each smaller file. The operations are in a
thousand functions, and in a single one. Prints a line for each, and exits 1 if one takes
too long or leaves more than ten operations.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from xdsl.dialects.builtin import ModuleOp

from passgen_runtime import OperationPass, PassFailure, PassManager, PassOptions
from passgen_runtime.context import Operation
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_tools.reduce import main as passgen_reduce
from passgen_tools.reduce import reduce

NUM_OPERATIONS: Final = 10_000
MAX_LEFT: Final = 10
IN_PYTHON_TARGET_S: Final = 60
BY_COMMAND_TARGET_S: Final = 300

_DRIVER: Final = """\
import os, signal, sys
from passgen_runtime import OperationPass, PassRegistry
from passgen_tools.opt import console_main
from passgen_runtime.passes import register_all_passes

class Crash(OperationPass):
    argument = "crash"
    anchor = "func.func"

    def run_on_operation(self):
        if any(inner.name == "arith.divsi" for inner in self.operation.walk()):
            os.kill(os.getpid(), signal.SIGSEGV)

registry = PassRegistry()
register_all_passes(registry)
registry.register_pass(Crash)
console_main(registry=registry)
"""

_CHECK: Final = """\
"$0" "$1" --run-reproducer "$2" >"$2.out" 2>&1
test $? -eq 139
"""

_PIPELINE: Final = "builtin.module(func.func(cse,canonicalize,crash),symbol-dce)"


class Raise(OperationPass[PassOptions]):
    """A pass with a planted mistake."""

    argument = "raise"
    anchor = "func.func"

    def run_on_operation(self) -> None:
        """Raise an exception on a division."""
        if any(inner.name == "arith.divsi" for inner in self.operation.walk()):
            raise AssertionError("no division")


def module(num_functions: int) -> str:
    """Return functions of multiplications, with one division in them."""
    num_each = NUM_OPERATIONS // num_functions - 1
    functions = []
    for number in range(num_functions):
        lines = [f"func.func @f{number}(%v0: i32, %v: i32) -> i32 {{"]
        for index in range(num_each):
            is_planted = number == num_functions * 3 // 4 and index == num_each * 3 // 4
            name = "divsi" if is_planted else "muli"
            operands = f"%v{index}, %v{max(0, index - 7)}"
            lines.append(f"%v{index + 1} = arith.{name} {operands} : i32")
        functions.append("\n".join((*lines, f"func.return %v{num_each} : i32 }}")))
    return "\n".join(functions)


def in_python(text: str, _: Path) -> tuple[int, int]:
    """Return the number of operations that are left, and of checks."""
    context = XDSLContext()
    context.diagnostic_handler = lambda _: None
    manager = PassManager(context, nesting="implicit")
    manager.add_pass(Raise())
    num_checks = 0

    def is_interesting(candidate: Operation) -> bool:
        nonlocal num_checks
        num_checks += 1
        try:
            manager.run(candidate)
        except PassFailure as failure:
            return "no division" in str(failure)
        return False

    parsed = context.parse(text, "input.mlir")
    assert isinstance(parsed, ModuleOp)
    result = reduce(parsed, is_interesting, context=context)
    return len(list(result.walk())), num_checks


def by_command(text: str, folder: Path) -> tuple[int, int]:
    """Return the number of operations that are left; the command tells the checks."""
    driver, file, output = (folder / name for name in ("opt.py", "in.mlir", "out.mlir"))
    driver.write_text(_DRIVER, encoding="utf-8")
    file.write_text(text, encoding="utf-8")
    check = ["sh", "-c", _CHECK, sys.executable, str(driver), "{}"]
    arguments = [str(file), "-o", str(output), f"--pass-pipeline={_PIPELINE}"]
    assert passgen_reduce([*arguments, "--", *check]) == 0
    left = XDSLContext().parse(output.read_text(encoding="utf-8"), "out.mlir")
    assert isinstance(left, ModuleOp)
    return len(list(left.walk())), 0


def main() -> int:
    """Run all; return 1 if one misses its target."""
    is_fine = True
    ways: list[tuple[Callable[[str, Path], tuple[int, int]], int]] = [
        (in_python, IN_PYTHON_TARGET_S),
        (by_command, BY_COMMAND_TARGET_S),
    ]
    for reduce_text, target_s in ways:
        for num_functions in (1000, 1):
            with TemporaryDirectory() as folder:
                started_s = time.monotonic()
                left, checks = reduce_text(module(num_functions), Path(folder))
                took_s = time.monotonic() - started_s
            is_fine = is_fine and took_s <= target_s and left <= MAX_LEFT
            counted = f", {checks} checks" if checks else ""
            print(
                f"{reduce_text.__name__}, {num_functions} functions: {left} operations"
                f" left{counted}, {took_s:.1f} s of {target_s} s"
            )
    return 0 if is_fine else 1


if __name__ == "__main__":
    sys.exit(main())
