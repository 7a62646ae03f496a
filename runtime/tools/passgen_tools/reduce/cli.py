"""The program `passgen-reduce`: makes IR small that a command finds interesting."""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Sequence
from importlib import resources
from math import inf
from pathlib import Path
from typing import Any, Final

from passgen_runtime.context import Context
from passgen_runtime.diagnostics import print_text, visible
from passgen_runtime.errors import IRError, PassError, PipelineError
from passgen_runtime.instrumentations.reproducer import Reproducer, read_reproducer
from passgen_runtime.output_files import text_of_path, write_stdout
from passgen_runtime.pass_manager_builder import PassManagerBuilder, additions_to
from passgen_runtime.pass_registry import PassRegistry
from passgen_runtime.plugins import load_plugins
from passgen_tools.check_command import (
    CheckCommand,
    check_output,
    files_in,
    run_program,
    stop_exit_code,
)
from passgen_tools.deep_stack import call_with_deep_stack
from passgen_tools.ir_libraries import (
    DEFAULT_IR_LIBRARY,
    find_ir_library,
    ir_library_spellings,
)
from passgen_tools.json_output import json_errors, json_text
from passgen_tools.reduce.checks import Checks, StoppedError
from passgen_tools.reduce.file_reduction import FileForm, FileReduction
from passgen_tools.reduce.reduction import NotInterestingError
from passgen_tools.tool_parser import ToolParser

_NAME: Final = "passgen-reduce"
_EXIT_NOT_INTERESTING: Final = 1
_EXIT_USAGE: Final = 2


def main(
    arguments: Sequence[str] | None = None, *, context: Context | None = None
) -> int:
    """Run the program; return its exit code, which `--help` explains.

    Args:
        arguments: those of the process if not given.
        context: of the IR; if not given, the command line chooses one.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    parser = _parser()
    at = given.index("--") if "--" in given else len(given)
    options = parser.parse_args(given[:at])
    if at + 1 >= len(given):
        parser.error("expected a check after FILE: `-- CHECK {}`")
    timeout_s = 1 if options.timeout is None else options.timeout
    if options.jobs < 1 or not 0 < timeout_s < inf:
        parser.error("expected positive numbers for --jobs and --timeout")
    if find_ir_library(options.ir) is None:
        expected = ir_library_spellings("or")
        parser.error(f"--ir is '{options.ir}', expected {expected}")
    try:
        command = CheckCommand(given[at + 1 :], timeout_s=options.timeout)
        must_fail, num_jobs = options.check_must_fail, options.jobs
        with Checks(command, must_fail=must_fail, num_jobs=num_jobs) as checks:
            return call_with_deep_stack(
                _NAME, lambda: _reduce(options, command, checks, context), checks.stop
            )
    except KeyboardInterrupt as error:
        return stop_exit_code(error)
    except StoppedError:  # before the input was checked
        return _EXIT_USAGE
    except (PassError, OSError, UnicodeError, RecursionError, ImportError) as error:
        message = _message(error, options.file)
        print_text(json_errors(message) if options.json else visible(f"{message}\n"))
        is_refused = isinstance(error, NotInterestingError)
        return _EXIT_NOT_INTERESTING if is_refused else _EXIT_USAGE


def _message(error: Exception, file: Path) -> str:
    match error:
        case IRError() | PipelineError():  # with a place
            return str(error)
        case OSError():
            message = f"cannot write standard output: {error.strerror}"
        case UnicodeError():
            message = f"'{file}' is not UTF-8"
        case RecursionError():
            message = "the IR is nested too deeply"
        case _:
            message = str(error)
    return f"{_NAME}: error: {message}"


def console_main() -> None:
    """Run the program as a process: the entry point of `passgen-reduce`."""
    run_program(main)


def _reduce(
    options: argparse.Namespace,
    command: CheckCommand,
    checks: Checks,
    context: Context | None,
) -> int:
    """Reduce the file; return the exit code."""
    context = context or _make_context(options)
    file: Path = options.file
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise PassError(f"cannot read '{file}': {error.strerror}") from error
    output: Path = options.output or file.with_suffix(".reduced.mlir")
    check_output(output, [file, *files_in(command.arguments)])
    reproducer = read_reproducer(text, str(file))
    if options.pass_pipeline is not None:
        pipeline = options.pass_pipeline
        reproducer = Reproducer(pipeline, disable_threading=False, verify_each=True)
    root = context.parse(text, text_of_path(file))
    context.verify(root)
    form = FileForm(context, options.mlir_print_op_generic, reproducer)
    reduction = FileReduction(root, form, checks, output)
    reduction.check_input(text)
    state = ""
    try:
        reduction.run()
    except StoppedError:
        state = "interrupted: "
    checks.on_end()
    again = command.command_for(str(output))
    text = f"{state}{reduction.summary()}; check again:\n{again}\n"
    if options.json:
        outcome = {"file": str(output), "isInterrupted": bool(state), "command": again}
        text = json_text({**outcome, **reduction.counts()})
    write_stdout(text)
    return 0


def _make_context(options: argparse.Namespace) -> Context:
    """Return a context of the IR library that `--ir` names.

    Raises:
        PassError: it is not installed, or a plugin fails.
    """
    library = find_ir_library(options.ir)
    assert library is not None
    context = library.context(allow_unregistered=options.allow_unregistered_dialect)
    registry = PassRegistry()
    load_plugins(PassManagerBuilder(registry=registry), options.load_pass_plugin)
    additions_to(registry).register_dialects(context)
    return context


def _parser() -> ToolParser:
    file = resources.files(__package__).joinpath("help.toml")
    texts = tomllib.loads(file.read_text(encoding="utf-8"))
    libraries = ir_library_spellings("or")
    parser = ToolParser(
        prog=_NAME,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        **texts["program"],
    )

    def add(*names: str, **settings: Any) -> None:  # noqa: ANN401 - argparse has any
        text = texts["arguments"][names[-1]].format(libraries=libraries)
        parser.add_argument(*names, help=text, **settings)

    add("file", type=Path, metavar="FILE")
    add("-o", "--output", type=Path, metavar="FILE")
    add("--check-must-fail", action="store_true")
    add("--pass-pipeline", metavar="PIPELINE")
    add("--jobs", type=int, default=1, metavar="N")
    add("--timeout", type=float, metavar="SECONDS")
    add("--ir", default=DEFAULT_IR_LIBRARY, metavar="LIBRARY")
    add("--allow-unregistered-dialect", action="store_true")
    add("--load-pass-plugin", action="append", default=[], metavar="NAME")
    add("--mlir-print-op-generic", action="store_true")
    add("--json", action="store_true")
    parser.add_version()
    return parser
