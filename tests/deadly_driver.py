"""A driver with a pass that ends its process on the function `@b`."""

from __future__ import annotations

from pathlib import Path

_TEXT = """\
import ctypes, os, signal, sys
from passgen_runtime import OperationPass, PassOptions, PassRegistry
from passgen_tools.opt import console_main
from passgen_runtime.passes import register_all_passes

class Deadly(OperationPass[PassOptions]):
    argument = "deadly"
    anchor = "func.func"

    def run_on_operation(self) -> None:
        if self.operation.sym_name.data == "b":
            {death}

registry = PassRegistry()
register_all_passes(registry)
registry.register_pass(Deadly)
console_main(registry=registry)
"""


def deadly_driver(folder: Path, death: str) -> list[str]:
    """Write the driver, whose pass `deadly` runs `death`; return how to call it."""
    program = folder / "driver.py"
    program.write_text(_TEXT.format(death=death), encoding="utf-8")
    return ["python", str(program)]
