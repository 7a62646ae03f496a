"""The program `passgen-bisect`: finds the pass that made good IR bad."""

from __future__ import annotations

import argparse
import shlex
import sys
import tomllib
from collections.abc import Sequence
from importlib import resources
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from passgen_runtime.diagnostics import print_text, visible
from passgen_runtime.errors import PassError
from passgen_runtime.output_files import check_writable, replace_file, write_stdout
from passgen_tools.bisect.bisection import CheckJudge
from passgen_tools.bisect.culprit import find_culprit
from passgen_tools.bisect.difference import first_difference
from passgen_tools.bisect.driver_command import DriverCommand, check_library
from passgen_tools.bisect.reports import (
    culprit_object,
    culprit_report,
    difference_object,
    difference_report,
)
from passgen_tools.bisect.reproduction import (
    may_replace,
    module_of,
    reproduce,
    reproducer_of,
)
from passgen_tools.bisect.search import BisectError
from passgen_tools.check_command import (
    CheckCommand,
    CheckError,
    check_output,
    files_in,
    run_program,
)
from passgen_tools.json_output import json_errors, json_text
from passgen_tools.record import (
    Execution,
    RecordedSteps,
    RunRecord,
    files_beside,
    may_be_record,
    record_dumps,
    report_damage,
)
from passgen_tools.tool_parser import ToolParser

_NAME: Final = "passgen-bisect"
_MAX_OUTPUT_LINES: Final = 5
_EXIT_FAILURE: Final = 1
_EXIT_USAGE: Final = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; return its exit code, which `--help` explains."""
    options = _parse_options(list(sys.argv[1:] if arguments is None else arguments))
    try:
        with TemporaryDirectory() as folder:
            options.record, options.other = (
                path and _open(path, Path(folder), number)
                for number, path in enumerate((options.record, options.other))
            )
            _check_reproducer(options)
            if options.other is not None:
                return _compare(options)
            return _bisect(options)
    except BisectError as error:
        _complain(f"{_NAME}: {error}", options)
        return _EXIT_FAILURE
    except PassError as error:
        _complain(f"{_NAME}: error: {error}", options)
        return _EXIT_USAGE
    except OSError as error:
        message = f"cannot write '{options.reproducer}' or standard output"
        _complain(f"{_NAME}: error: {message}: {error.strerror}", options)
        return _EXIT_USAGE


def _complain(message: str, options: argparse.Namespace) -> None:
    """Print an error; with `--json`, as objects."""
    print_text(json_errors(message) if options.json else visible(f"{message}\n"))


def console_main() -> None:
    """Run the program as a process: the entry point of `passgen-bisect`."""
    run_program(main)


def _check_reproducer(options: argparse.Namespace) -> None:
    """Check that the reproducer can be written, and replaces no input.

    Raises:
        CheckError: the reproducer would replace an input or another file.
        OSError: the reproducer cannot be written.
    """
    inputs = list(filter(None, options.given))
    databases = [file for path in inputs for file in files_beside(path)]
    check_output(options.reproducer, [*inputs, *databases, *files_in(options.check)])
    if options.chooses_reproducer and not may_replace(options.reproducer):
        raise CheckError(
            f"'{options.reproducer}' is there, and is no reproducer of a bisection;"
            " name another file by --reproducer"
        )
    check_writable(options.reproducer)


def _open(path: Path, folder: Path, number: int) -> Path:
    """Return the record at `path`, or a new one made from the log of IR dumps there.

    Raises:
        RecordError: the file is neither a record nor a log.
    """
    with report_damage(path):
        if not path.exists() or may_be_record(path):
            return path
    record = folder / f"{number}-{path.name}"
    record_dumps(path, record)
    return record


def _module_before(steps: RecordedSteps, execution: Execution) -> str:
    """Return a module with the input of a pass, and no more if that is possible."""
    path, before_id = execution.operation, execution.before_id
    module = module_of(steps, path, before_id)
    if module:
        return module
    (step,) = (step for step in steps.steps if step.path == execution.path)
    return steps.text(steps.states_after(step.number - 1))


def _compare(options: argparse.Namespace) -> int:
    difference = first_difference(options.record, options.other)
    if difference is None:
        text = "both runs gave the same IR after every pass\n"
        if options.json:
            text = json_text(difference_object(difference, ""))
        write_stdout(text)
        return 0
    execution = difference.new or difference.old
    command = ""
    if execution is not None and execution.before_id is not None:
        record = RunRecord(options.other if difference.new else options.record)
        steps = RecordedSteps(record, execution.run_id)
        module = _module_before(steps, execution)
        driver = DriverCommand.of_run(steps)
        check_output(options.reproducer, driver.files)
        replace_file(options.reproducer, reproducer_of(execution, module))
        command = driver.command_for(options.reproducer, "--run-reproducer")
    text = visible(difference_report(difference, command))
    if options.json:
        text = json_text(difference_object(difference, command))
    write_stdout(text)
    return _EXIT_FAILURE


def _bisect(options: argparse.Namespace) -> int:
    steps = RecordedSteps(RunRecord(options.record), options.run)
    check_library(steps)
    command = CheckCommand(options.check, timeout_s=options.timeout)
    driver = DriverCommand.of_run(steps)
    if options.driver:
        driver = DriverCommand(options.driver)
    check_output(options.reproducer, driver.files)
    if steps.completed < len(steps.steps):
        step = steps.steps[steps.completed]
        what = "only earlier passes are searched"
        _complain(f"the run has failed in {step.name}: {what}", options)
    judge = CheckJudge(command, driver, options.lower)
    try:
        culprit = find_culprit(steps, judge, lambda text: driver.run(text).problem)
        reproduction = reproduce(steps, culprit, driver, judge)
    except BisectError as error:
        last_lines = judge.last_output.splitlines()[-_MAX_OUTPUT_LINES:]
        notes = (f"note: the last check printed: {line}" for line in last_lines)
        raise BisectError("\n".join((str(error), *notes))) from error
    replace_file(options.reproducer, reproduction.text)
    commands = driver, command, options.lower, str(options.reproducer)
    facts = steps, culprit, reproduction, judge.num_checks, commands
    if options.json:
        write_stdout(json_text(culprit_object(*facts)))
    else:
        write_stdout(visible(culprit_report(*facts)))
    return 0


def _parse_options(given: Sequence[str]) -> argparse.Namespace:
    """Return the options; end the program with its usage if they are wrong."""
    at = given.index("--") if "--" in given else len(given)
    parser = _parser()
    options = parser.parse_intermixed_args(given[:at])
    options.check = given[at + 1 :]
    options.given = options.record, options.other
    options.chooses_reproducer = options.reproducer is None
    if options.reproducer is None:
        options.reproducer = Path(f"{options.other or options.record}.mlir")
    if bool(options.check) is (options.other is not None):
        parser.error("expected either a second record or `-- CHECK {}`")
    if options.run is not None and options.other is not None:
        parser.error("--run is for one record")
    if options.timeout is not None and not 0 < options.timeout < inf:
        parser.error("expected a positive number for --timeout")
    try:
        options.driver = shlex.split(options.driver or "")
    except ValueError as error:
        parser.error(f"--driver is no command: {error}")
    return options


def _parser() -> ToolParser:
    file = resources.files(__package__).joinpath("help.toml")
    texts = tomllib.loads(file.read_text(encoding="utf-8"))
    parser = ToolParser(
        prog=_NAME,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        **texts["program"],
    )

    def add(name: str, **settings: Any) -> None:  # noqa: ANN401 - argparse has any
        parser.add_argument(name, help=texts["arguments"][name], **settings)

    add("record", type=Path, metavar="RECORD")
    add("other", type=Path, nargs="?", metavar="RECORD")
    add("--lower", default="", metavar="PIPELINE")
    add("--driver", metavar="COMMAND")
    add("--timeout", type=float, metavar="SECONDS")
    add("--run", type=int, metavar="N")
    add("--reproducer", type=Path, metavar="FILE")
    add("--json", action="store_true")
    parser.add_version()
    return parser
