"""How long `passgen-opt` takes to start, beside `xdsl-opt` on the same file.

    python -m tests.benchmarks.startup

Runs are paired: each round times one process of each, so that other work of the machine
affects both. The packages are compiled, as after an installation. The goals are 0.4 for
`--version` and 0.9 for an empty pipeline. `xDSL alone` is a program that uses xDSL as an
empty pipeline does: import, parse, verify, print. The last row needs MLIR's bindings and
`mlir-opt`.
"""

from __future__ import annotations

import compileall
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import xdsl

import passgen_runtime
import passgen_tools
from tests.llvm_tools import find_tool

ROUNDS = 15
MODULE = """\
func.func @f(%x: i32) -> i32 {
  %0 = arith.constant 1 : i32
  %1 = arith.addi %x, %0 : i32
  return %1 : i32
}
"""


XDSL_ALONE = """\
import gc, os, sys
gc.disable()
from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.parser import Parser
from xdsl.printer import Printer
context = Context()
for name, factory in get_all_dialects().items():
    context.register_dialect(name, factory)
with open(sys.argv[1]) as file:
    module = Parser(context, file.read()).parse_module()
module.verify()
Printer().print_op(module)
sys.stdout.flush()
os._exit(0)
"""


def seconds(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def main() -> None:
    for package in (passgen_runtime, passgen_tools, xdsl):
        compileall.compile_dir(next(iter(package.__path__)), quiet=1)
    programs = Path(sys.executable).parent
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "f.mlir")
        file.write_text(MODULE, encoding="utf-8")
        passgen_opt, input_ = str(programs / "passgen-opt"), str(file)
        xdsl_opt = str(programs / "xdsl-opt")
        empty = [passgen_opt, input_, "-p", "builtin.module()"]
        rows = [
            ("--version", [passgen_opt, "--version"], [xdsl_opt, input_]),
            ("empty pipeline", empty, [xdsl_opt, input_]),
            ("cse", [passgen_opt, input_, "--cse"], [xdsl_opt, input_, "-p", "cse"]),
            (
                "xDSL alone",
                [sys.executable, "-c", XDSL_ALONE, input_],
                [xdsl_opt, input_],
            ),
        ]
        if mlir_opt := find_tool("mlir-opt"):
            on_mlir = [passgen_opt, "--ir=mlir", *empty[1:]]
            rows.append(
                ("--ir=mlir, beside mlir-opt", on_mlir, [str(mlir_opt), input_])
            )
        for name, ours, theirs in rows:
            pairs = [(seconds(ours), seconds(theirs)) for _ in range(ROUNDS)]
            ratio = statistics.median(mine / other for mine, other in pairs)
            mine, other = (
                statistics.median(column) for column in zip(*pairs, strict=True)
            )
            print(f"{name}: {mine:.3f} s beside {other:.3f} s, ratio {ratio:.2f}")


if __name__ == "__main__":
    main()
