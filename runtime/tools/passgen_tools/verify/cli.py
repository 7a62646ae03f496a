"""The program `passgen-verify`: proves rewrite patterns, or refutes them."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Collection, Mapping, Sequence
from contextlib import redirect_stdout
from math import inf
from pathlib import Path
from typing import Final, get_args

from passgen_runtime.context import Context
from passgen_runtime.diagnostics import print_message, visible
from passgen_runtime.errors import PassError, nearest_note
from passgen_runtime.output_files import replace_file, write_stdout
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
from passgen_tools.tool_parser import ToolParser
from passgen_tools.verify.counterexample_tests import counterexample_tests
from passgen_tools.verify.judgements import FAILURES, Verdict, report
from passgen_tools.verify.known_verdicts import (
    KnownVerdict,
    failing_verdicts,
    known_verdicts_text,
    read_known_verdicts,
)
from passgen_tools.verify.pattern_verdicts import PatternVerdicts, verdicts_of_pass
from passgen_tools.verify.verdict_page import verdict_page
from passgen_tools.verify.written_cases import written_cases

_EXIT_FAILED: Final = 1
_EXIT_USAGE: Final = 2


def main(
    arguments: Sequence[str] | None = None, *, registry: PassRegistry | None = None
) -> int:
    """Run the program on the passes of `registry`, or those that are shipped.

    Return its exit code, which `--help` explains.
    """
    parser = _parser()
    options = parser.parse_args(arguments)
    _check_usage(parser, options)
    try:
        return _run(options, registry)
    except PassError as error:
        message = str(error)
    except OSError as error:
        message = f"cannot write standard output: {error.strerror}"
    print_message(f"passgen-verify: error: {message}\n")
    return _EXIT_USAGE


def console_main() -> None:
    """Run the program as a process: the entry point of `passgen-verify`."""
    run_program(main)


def _check_usage(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Exit with the usage if a value of a flag is wrong."""
    if find_ir_library(options.ir) is None:
        parser.error(f"--ir is '{options.ir}', expected {ir_library_spellings('or')}")
    for name in _failing(options) - {*get_args(Verdict), ""}:
        expected = ", ".join(get_args(Verdict))
        parser.error(f"--fail-on has '{name}', expected some of {expected}")
    if not 0 < options.timeout < inf:
        parser.error("expected a positive number for --timeout")


def _failing(options: argparse.Namespace) -> set[str]:
    """Return the verdicts that the program fails for."""
    return {*options.fail_on.split(",")}


def _run(options: argparse.Namespace, registry: PassRegistry | None) -> int:
    """Verify the passes, and write what `options` ask for; return the exit code.

    Raises:
        PassError: a pass, a plugin or a function is missing, or a file is wrong.
        OSError: standard output cannot be written.
    """
    known = read_known_verdicts(options.known) if options.known else set()
    library = find_ir_library(options.ir)
    assert library is not None, "the usage was checked"
    context = library.context()
    verdicts = _verify(options, library.registry(registry), context)
    _write_files(options, verdicts, context)
    write_stdout(_json(verdicts) if options.json else visible(_report(verdicts)))
    failed = failing_verdicts(verdicts, _failing(options))
    if options.known:
        _report_differences(verdicts, known, failed)
    is_accepted = options.write_known or known.issuperset(failed)
    return 0 if is_accepted else _EXIT_FAILED


def _report_differences(
    verdicts: Sequence[PatternVerdicts],
    known: Collection[KnownVerdict],
    failed: Sequence[KnownVerdict],
) -> None:
    """Print what is no longer so in the passes that were verified, and what is new."""
    names = {row.pass_name for row in verdicts}
    for verdict in sorted(known):
        if verdict.pass_name in names and verdict not in failed:
            print_message(visible(f"passgen-verify: no longer: {verdict}\n"))
    for verdict in failed:
        if verdict not in known:
            print_message(visible(f"passgen-verify: new: {verdict}\n"))


def _verify(
    options: argparse.Namespace, offered: PassRegistry, context: Context
) -> list[PatternVerdicts]:
    """Return the verdicts about the patterns of the passes that are asked for.

    Dialects of plugins are registered in `context`.

    Raises:
        PassError: a pass, a plugin or a function is missing.
    """
    load_plugins(PassManagerBuilder(registry=offered), options.load_pass_plugin)
    additions_to(offered).register_dialects(context)
    with redirect_stdout(sys.stderr):  # functions of patterns may print
        return [
            verdicts
            for name, pass_class in _passes(offered, options.passes).items()
            for verdicts in verdicts_of_pass(name, pass_class, context, options.timeout)
        ]


def _passes(registry: PassRegistry, given: Sequence[str]) -> dict[str, type[Patterns]]:
    """Return the passes with patterns that are given by name; by default, all.

    Raises:
        PassError: there is no such pass.
    """
    entries = {entry.argument: entry.pass_class for entry in registry.passes()}
    known = {name: cls for name, cls in entries.items() if issubclass(cls, Patterns)}
    for name in given:
        if name not in known:
            lines = f"no pass '{name}' has patterns", *nearest_note(name, known)
            raise PassError("\nnote: ".join(lines))
    return {name: known[name] for name in given or known}


# The output.


def _report(verdicts: Sequence[PatternVerdicts]) -> str:
    """Return the verdicts as text, below the names of their passes."""
    texts: list[str] = []
    for name, rows in _by_pass(verdicts).items():
        judgements = [judgement for row in rows for judgement in row.judgements]
        # Those about patterns that may not end together are last.
        judgements.sort(key=lambda one: one.verdict == "may-not-end-by-greedy")
        texts.append(f"{name}:\n{report(judgements)}")
    return "".join(texts)


def _by_pass(
    verdicts: Sequence[PatternVerdicts],
) -> Mapping[str, list[PatternVerdicts]]:
    found: dict[str, list[PatternVerdicts]] = {}
    for row in verdicts:
        found.setdefault(row.pass_name, []).append(row)
    return found


def _json(verdicts: Sequence[PatternVerdicts]) -> str:
    """Return the verdicts as a list in JSON."""
    rows = [
        {
            "pass": row.pass_name,
            "pattern": judgement.pattern,
            "place": row.place,
            "types": judgement.types,
            "flags": judgement.flags,
            "verdict": judgement.verdict,
            "reason": judgement.reason,
            "timeS": round(judgement.duration_s, 6),
        }
        for row in verdicts
        for judgement in row.judgements
    ]
    return f"{json.dumps(rows, indent=2)}\n"


def _write_files(
    options: argparse.Namespace,
    verdicts: Sequence[PatternVerdicts],
    context: Context,
) -> None:
    """Write the files that `options` ask for.

    Raises:
        PassError: one cannot be written.
    """
    if options.html:
        _write(options.html, verdict_page(verdicts))
    if options.write_test:
        _write_test(options, verdicts, context)
    if options.write_known:
        failed = failing_verdicts(verdicts, _failing(options))
        _write(options.write_known, known_verdicts_text(failed))


def _write_test(
    options: argparse.Namespace,
    verdicts: Sequence[PatternVerdicts],
    context: Context,
) -> None:
    """Write the test, and name the counterexamples that it does not show."""
    with redirect_stdout(sys.stderr):  # functions of patterns may print
        cases = [*written_cases(verdicts, context, options.timeout)]
    _write(options.write_test, counterexample_tests(cases, _test_command(options)))
    for case in cases:
        if case.note:
            subject = f"{options.write_test}: {case.judgement.pattern}"
            print_message(f"passgen-verify: warning: {subject}: {case.note}\n")


def _write(path: Path, text: str) -> None:
    try:
        replace_file(path, text)
    except OSError as error:
        raise PassError(f"cannot write '{path}': {error.strerror}") from error


def _test_command(options: argparse.Namespace) -> str:
    """Return the command that applies the patterns in a test.

    `cse` gives equal constants one name.
    """
    if options.test_command:
        return str(options.test_command)
    flags = [f"--load-pass-plugin={name}" for name in options.load_pass_plugin]
    if options.ir != DEFAULT_IR_LIBRARY:
        flags.append(f"--ir={options.ir}")
    flags += [f"--{name}" for name in options.passes]
    return shlex.join(["passgen-opt", "%s", *flags, "--cse"])


def _parser() -> argparse.ArgumentParser:
    description = (
        "Prove that patterns are right for all integers, or show for which they are"
        " wrong; vectors are not covered. Exit code: 1 for a verdict of --fail-on"
        " that --known does not have, 2 for wrong usage."
    )
    parser = ToolParser(prog="passgen-verify", description=description)
    parser.add_version()
    add, default = parser.add_argument, ",".join(FAILURES)
    add("passes", nargs="*", metavar="PASS", help="by default all with patterns")
    add("--fail-on", default=default, help=f"verdicts, by default {default}")
    add("--html", type=Path, metavar="FILE", help="write a page with the verdicts")
    add(
        "--ir",
        default=DEFAULT_IR_LIBRARY,
        help="the IR library that reads the patterns",
    )
    add("--json", action="store_true", help="print a list of verdicts as JSON")
    add(
        "--known",
        type=Path,
        metavar="FILE",
        help="fail only for verdicts that are not in the file",
    )
    add("--load-pass-plugin", action="append", default=[], metavar="NAME")
    add(
        "--test-command",
        metavar="COMMAND",
        help="what --write-test runs, such as 'mlir-opt %%s --canonicalize'",
    )
    add("--timeout", type=float, default=120, metavar="SECONDS", help="for a pattern")
    add(
        "--write-known",
        type=Path,
        metavar="FILE",
        help="write the verdicts of --fail-on to a file for --known",
    )
    add(
        "--write-test",
        type=Path,
        metavar="FILE",
        help="write the counterexamples as a test with RUN and CHECK lines",
    )
    return parser
