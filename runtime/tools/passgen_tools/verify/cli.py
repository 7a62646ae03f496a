"""The program `passgen-verify`: proves rewrite patterns, or refutes them."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from math import inf
from typing import get_args

from passgen_runtime.diagnostics import print_message, visible
from passgen_runtime.errors import PassError, nearest_note
from passgen_runtime.output_files import write_stdout
from passgen_runtime.pass_manager_builder import PassManagerBuilder, additions_to
from passgen_runtime.pass_registry import PassRegistry
from passgen_runtime.patterns import Patterns
from passgen_runtime.plugins import load_plugins
from passgen_tools.check_command import run_program
from passgen_tools.ir_libraries import (
    DEFAULT_IR_LIBRARY,
    find_ir_library,
    ir_library_spellings,
)
from passgen_tools.verify.judgements import FAILURES, Verdict, report
from passgen_tools.verify.verification import verify_patterns


def main(
    arguments: Sequence[str] | None = None, *, registry: PassRegistry | None = None
) -> int:
    """Run the program on the passes of `registry`, or those that are shipped.

    Return its exit code, which `--help` explains.
    """
    parser = _parser()
    options = parser.parse_args(arguments)
    library, failing = find_ir_library(options.ir), {*options.fail_on.split(",")}
    if library is None:
        parser.error(f"--ir is '{options.ir}', expected {ir_library_spellings('or')}")
    for name in failing - {*get_args(Verdict), ""}:
        expected = ", ".join(get_args(Verdict))
        parser.error(f"--fail-on has '{name}', expected some of {expected}")
    if not 0 < options.timeout < inf:
        parser.error("expected a positive number for --timeout")
    try:
        offered, context = library.registry(registry), library.context()
        load_plugins(PassManagerBuilder(registry=offered), options.load_pass_plugin)
        additions_to(offered).register_dialects(context)
        with redirect_stdout(sys.stderr):  # functions of patterns may print
            found = {
                name: list(verify_patterns(pass_class, context, options.timeout))
                for name, pass_class in _passes(offered, options.passes).items()
            }
        rows = [
            {
                "pass": name,
                "pattern": judgement.pattern,
                "types": judgement.types,
                "verdict": judgement.verdict,
                "reason": judgement.reason,
            }
            for name, judgements in found.items()
            for judgement in judgements
        ]
        text = "".join(f"{name}:\n{report(found[name])}" for name in found)
        shown = f"{json.dumps(rows, indent=2)}\n" if options.json else visible(text)
        write_stdout(shown)
        return int(any(row["verdict"] in failing for row in rows))
    except PassError as error:
        message = str(error)
    except OSError as error:
        message = f"cannot write standard output: {error.strerror}"
    print_message(f"passgen-verify: error: {message}\n")
    return 2


def console_main() -> None:
    """Run the program as a process: the entry point of `passgen-verify`."""
    run_program(main)


def _passes(registry: PassRegistry, given: Sequence[str]) -> dict[str, type[Patterns]]:
    entries = {entry.argument: entry.pass_class for entry in registry.passes()}
    known = {name: cls for name, cls in entries.items() if issubclass(cls, Patterns)}
    for name in given:
        if name not in known:
            lines = f"no pass '{name}' has patterns", *nearest_note(name, known)
            raise PassError("\nnote: ".join(lines))
    return {name: known[name] for name in given or known}


def _parser() -> argparse.ArgumentParser:
    description = (
        "Prove that patterns are right for all integers, or show for which they are"
        " wrong; vectors are not covered. Exit code: 1 for a verdict of --fail-on,"
        " 2 for wrong usage."
    )
    parser = argparse.ArgumentParser(prog="passgen-verify", description=description)
    add, default = parser.add_argument, ",".join(FAILURES)
    add("passes", nargs="*", metavar="PASS", help="by default all with patterns")
    add("--fail-on", default=default, help=f"verdicts, by default {default}")
    add(
        "--ir",
        default=DEFAULT_IR_LIBRARY,
        help="the IR library that reads the patterns",
    )
    add("--json", action="store_true", help="print a list of verdicts as JSON")
    add("--load-pass-plugin", action="append", default=[], metavar="NAME")
    add("--timeout", type=float, default=120, metavar="SECONDS", help="for a pattern")
    return parser
