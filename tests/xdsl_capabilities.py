"""What works with the installed xDSL, as JSON: python -m tests.xdsl_capabilities.

Each value is true, or the error. `build/xdsl-0.72/bin/python`, which `make xdsl-tests`
makes, prints the row of another version.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Final

from passgen_runtime import OperationPass, PassOptions
from passgen_runtime.ir.xdsl_versions import installed_xdsl

_TEXT: Final = """
func.func @f(%a: i32) -> i32 {
  %c = arith.constant 0 : i32
  %t = arith.constant 2 : i32
  %m = arith.muli %a, %t : i32
  %r = arith.addi %m, %c : i32
  return %r : i32
}
"""


class _Note(OperationPass[PassOptions]):
    argument = "note"
    has_run = False

    def run_on_operation(self) -> None:
        self.has_run = True


def _is_found_by_itself() -> bool:
    from passgen_tools import run  # noqa: PLC0415 - a failure is a value

    return "addi" in str(run("builtin.module(cse)", _TEXT))


def _python_pass() -> bool:
    from passgen_runtime import PassManager  # noqa: PLC0415
    from passgen_runtime.ir.xdsl import XDSLContext  # noqa: PLC0415

    context, noting = XDSLContext(), _Note()
    manager = PassManager(context)
    manager.add_pass(noting)
    manager.run(context.parse(_TEXT, "text"))
    return noting.has_run


def _own_passes() -> bool:
    return "addi" not in _after("builtin.module(canonicalize)")


def _patterns() -> bool:
    return "muli" not in _after("builtin.module(func.func(arith-strength-reduction))")


def _xdsl_passes() -> bool:
    return "riscv_func.func" in _after("builtin.module(convert-func-to-riscv-func)")


def _interpreter() -> bool:
    from passgen_runtime.ir.xdsl import XDSLContext  # noqa: PLC0415
    from passgen_tools.testing import same_results  # noqa: PLC0415

    context, check = XDSLContext(), same_results()
    check(context.parse(_TEXT, "text"), context)
    check(context.parse(_TEXT.replace("return %r", "return %m"), "text"), context)
    return check.counts["compared calls"] > 0


def _after(pipeline: str) -> str:
    from passgen_runtime import parse_pass_manager  # noqa: PLC0415
    from passgen_runtime.ir.xdsl import XDSLContext  # noqa: PLC0415
    from passgen_tools.ir_libraries import registry_of  # noqa: PLC0415

    context = XDSLContext()
    module = context.parse(_TEXT, "text")
    parse_pass_manager(pipeline, context, registry_of(context)).run(module)
    return context.print(module)


_CHECKS: Final[dict[str, Callable[[], bool]]] = {
    "found by itself": _is_found_by_itself,
    "Python pass": _python_pass,
    "passes of the runtime": _own_passes,
    "patterns": _patterns,
    "passes of xDSL": _xdsl_passes,
    "interpreter": _interpreter,
}


def _tried(check: Callable[[], bool]) -> bool | str:
    try:
        return check() or "it changes nothing"
    except Exception as error:  # noqa: BLE001 - it is the value
        return f"{type(error).__name__}: {error}".splitlines()[0]


def main() -> None:
    """Print the row."""
    row = {name: _tried(check) for name, check in _CHECKS.items()}
    json.dump({"package": "xdsl", "version": installed_xdsl(), **row}, sys.stdout)
    print()  # noqa: T201


if __name__ == "__main__":
    main()
