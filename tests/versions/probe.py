"""Tries an IR library in the environment that runs this file; prints JSON.

    python probe.py mlir:torch_mlir torch-mlir
    python probe.py xdsl xdsl

The arguments are the value of `--ir`, and the distribution whose version is printed.
The environment needs the library and the sources of this repository, nothing else.
"""

from __future__ import annotations

import json
import platform
import sys
import tempfile
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from importlib.metadata import version
from io import StringIO
from pathlib import Path
from typing import Any, Final

from passgen_runtime import (
    OperationPass,
    PassManager,
    PassOptions,
    PassRegistry,
    parse_pass_manager,
    statistic,
)
from passgen_runtime.context import Context
from passgen_runtime.errors import PassError, text_of
from passgen_runtime.forms import Form, FormRules
from passgen_runtime.passes import register_pattern_passes
from passgen_tools.forms import verify_forms
from passgen_tools.ir_libraries import IRLibrary, find_ir_library
from passgen_tools.opt import main as run_driver

SOURCE: Final = """\
func.func @f(%a: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %0 = arith.addi %a, %zero : i32
  %1 = arith.muli %0, %0 : i32
  %2 = arith.muli %0, %0 : i32
  %3 = arith.addi %1, %2 : i32
  return %3 : i32
}
"""

LISTS: Final = Path(__file__).parents[2] / "specs" / "known-passes"
"""The names of the passes of each version of LLVM."""


class CountPass(OperationPass[PassOptions]):
    """Counts the operations directly inside, by the context alone."""

    argument = "probe-count"
    name = "CountPass"
    num_found = statistic("num-found", "Number of operations")
    forms = FormRules(needs=(Form("noMath", absent=("math",)),))

    def run_on_operation(self) -> None:
        """Count."""
        self.num_found += len([*self.context.children(self.operation)])


class FormPass(CountPass):
    """Needs a form that the IR does not have."""

    argument = "probe-form"
    forms = FormRules(needs=(Form("noArith", absent=("arith",)),))


class FailingPass(CountPass):
    """Fails."""

    argument = "probe-fail"

    def run_on_operation(self) -> None:
        """Fail."""
        self.signal_pass_failure()


class Probe:
    """The trials of an IR library."""

    def __init__(self, spelling: str) -> None:
        """Use the library that `spelling` names."""
        self.spelling = spelling
        library = find_ir_library(spelling)
        assert library is not None
        self.library: IRLibrary = library
        self.registry = PassRegistry()
        for pass_class in (CountPass, FormPass, FailingPass):
            self.registry.register_pass(pass_class)
        self.registry.add_source(register_pattern_passes)
        self.context: Context = library.context()
        library.add_passes(self.registry)

    def run(self, pipeline: str) -> tuple[PassManager, str]:
        """Run a pipeline; return the pass manager and the IR after it."""
        manager = parse_pass_manager(pipeline, self.context, self.registry)
        module = self.context.parse(SOURCE, "probe.mlir")
        manager.run(module)
        return manager, self.context.print(module)

    def python_pass(self) -> None:
        """Run a pass in Python between others."""
        self.run("builtin.module(func.func(probe-count),probe-count)")

    def native_passes(self) -> None:
        """Run passes of the library, consecutive and nested, and one in Python."""
        _, text = self.run("builtin.module(func.func(cse,probe-count,canonicalize))")
        assert text.count("arith.muli") == 1, "cse did not run"

    def patterns(self) -> None:
        """Apply the patterns of a shipped pass."""
        _, text = self.run("builtin.module(func.func(arith-identities))")
        assert text.count("arith.addi") == 1, "no pattern was applied"

    def forms(self) -> None:
        """Look at the forms of IR."""
        module = self.context.parse(SOURCE, "probe.mlir")
        for argument, num_violations in (("probe-count", 0), ("probe-form", 1)):
            text = f"builtin.module({argument})"
            manager = parse_pass_manager(text, self.context, self.registry)
            verifier = verify_forms(manager)
            manager.run(module)
            assert len(verifier.violations) == num_violations, verifier.violations

    def statistics(self) -> None:
        """Count in a statistic, in a pipeline with passes of the library."""
        manager, _ = self.run("builtin.module(func.func(cse,probe-count))")
        assert "(S) 5 num-found" in manager.statistics_report()

    def reproducers(self) -> None:
        """Write a reproducer of a failure, and run it."""
        with tempfile.TemporaryDirectory() as folder:
            file, reproducer = Path(folder, "a.mlir"), Path(folder, "b.mlir")
            file.write_text(SOURCE, encoding="utf-8")
            flags = [f"--ir={self.spelling}", "-o", f"{folder}/out.mlir"]
            self._drive(
                *(*flags, str(file)),
                *("-p", "builtin.module(func.func(cse,probe-fail))"),
                f"--mlir-pass-pipeline-crash-reproducer={reproducer}",
            )
            output = self._drive(*flags, str(reproducer), "--run-reproducer")
            assert "probe-fail" in output, output

    def _drive(self, *flags: str) -> str:
        """Run the driver, which must fail; return its output."""
        registry = PassRegistry()
        registry.register_pass(FailingPass)
        self.library.add_passes(registry)
        output = StringIO()
        with redirect_stdout(output), redirect_stderr(output):
            code = run_driver([*flags], registry=registry)
        assert code == 1, output.getvalue()
        return output.getvalue()


TRIALS: Final[dict[str, Callable[[Probe], None]]] = {
    "Python pass": Probe.python_pass,
    "native passes": Probe.native_passes,
    "patterns": Probe.patterns,
    "forms": Probe.forms,
    "statistics": Probe.statistics,
    "reproducers": Probe.reproducers,
}


def found_by_itself(spelling: str) -> bool:
    """Return whether the package is taken if none is named."""
    _, _, package = spelling.partition(":")
    if not package:
        return True
    from passgen_runtime.ir.mlir.bindings import default_package  # noqa: PLC0415

    return default_package() == package


def numbers_of_passes(spelling: str) -> dict[str, str]:
    """Return how many of the passes of each version of LLVM bindings have."""
    _, _, package = spelling.partition(":")
    if not package:
        return {}
    from passgen_runtime.ir.mlir.bindings import bindings_of  # noqa: PLC0415
    from passgen_runtime.ir.mlir.native_options import refusal  # noqa: PLC0415

    bindings, numbers = bindings_of(package), {}
    for file in sorted(LISTS.glob("llvm-*.txt")):
        lines = file.read_text(encoding="utf-8").splitlines()
        has = [refusal(bindings, line.split()[0]) is None for line in lines]
        numbers[file.stem.removeprefix("llvm-")] = f"{sum(has)} of {len(has)}"
    return numbers


def probe(spelling: str, distribution: str) -> dict[str, Any]:
    """Return what runs, or the reason why it does not."""
    row: dict[str, Any] = {
        "version": version(distribution),
        "python": platform.python_version(),
        "found": found_by_itself(spelling),
        "trials": {},
        "passes": {},
    }
    try:
        these = Probe(spelling)
    except PassError as error:
        row["error"] = str(error)
        return row
    for name, trial in TRIALS.items():
        try:
            trial(these)
        except Exception as error:  # noqa: BLE001 - the reason is the result
            row["trials"][name] = f"{type(error).__name__}: {text_of(error)}"
        else:
            row["trials"][name] = ""
    row["passes"] = numbers_of_passes(spelling)
    return row


if __name__ == "__main__":
    result = json.dumps(probe(*sys.argv[1:]))
    sys.stdout.write(f"{result}\n")  # the last line
