"""The program `passgen-report`: makes a page, or JSON, of one run record or two."""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
import webbrowser
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, Final

from passgen_runtime.diagnostics import print_message, visible
from passgen_runtime.errors import PassError
from passgen_runtime.output_files import is_same_file, replace_file, write_stdout
from passgen_tools.record import RecordError, RunRecord, record_dumps, report_damage
from passgen_tools.report.data import report_data
from passgen_tools.report.gate import Condition, gate_table, parse_conditions
from passgen_tools.report.page import html_page
from passgen_tools.report.trace import trace_name_error, write_trace
from passgen_tools.tool_parser import ToolParser

_EXIT_INTERRUPTED: Final = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; return its exit code.

    It is 0, or 1 if there is no report or a condition fails.
    """
    parser = _parser()
    options = parser.parse_args(arguments)
    if not options.json_schema:
        _check_usage(parser, options)
        options.chooses_output = options.output is None and _asks_for_page(options)
        if options.chooses_output:
            options.output = _default_output(options)
    try:
        _write(options)
        if options.opens:
            webbrowser.open(options.output.absolute().as_uri())
        return _check_gate(options)
    except PassError as error:
        message = str(error)
    except OSError as error:
        message = f"cannot write standard output: {error.strerror}"
    print_message(f"passgen-report: error: {message}\n")
    return 1


def _check_usage(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Exit with the usage if flags contradict one another."""
    if (options.record is None) == (options.from_log is None):
        parser.error("expected one or two records, or a log by --from-log")
    if options.keep_record is not None and options.from_log is None:
        parser.error("--record keeps the record of a log: it needs --from-log")
    if options.trace is not None:
        if options.record is None or options.other is not None:
            parser.error("--trace expects one record")
        if (problem := trace_name_error(options.trace)) is not None:
            parser.error(f"--trace: {problem}")
    if options.fail_on is not None and options.other is None:
        parser.error("--fail-on expects two records")
    if options.opens and (options.json or str(options.output) == "-"):
        parser.error("--open expects a page in a file")


def _check_gate(options: argparse.Namespace) -> int:
    """Print what fails the conditions of `--fail-on`; return the exit code.

    Raises:
        RecordError: a condition does not suit the records.
        OSError: standard output cannot be written.
    """
    conditions: list[Condition] | None = options.fail_on
    if conditions is None:
        return 0
    records = RunRecord(options.record), RunRecord(options.other)
    findings = [
        finding for condition in conditions for finding in condition.findings(*records)
    ]
    if not findings:
        return 0
    table = visible(gate_table(findings))
    if options.json and _is_stdout(options):  # standard output has the data
        print_message(table)
    else:
        write_stdout(table)
    num_failed = len({finding.condition for finding in findings})
    count = f"{num_failed} of {len(conditions)} conditions"
    if len(conditions) == 1:
        count = f"the condition {conditions[0].text}"
    print_message(f"passgen-report: '{options.other}' fails {count}\n")
    return 1


def _write(options: argparse.Namespace) -> None:
    """Write what `options` ask for.

    Raises:
        RecordError: a record or log cannot be read, or the record of a log be written.
        OSError: the output cannot be written.
    """
    if options.json_schema:
        write_stdout(_text("report.schema.json"))
        return
    _check_files(options)
    if options.trace is not None:
        write_trace(options.record, options.trace)
    if options.output is None and not options.json and options.keep_record is None:
        return
    if options.from_log is None:
        _write_report([options.record, options.other], options)
        return
    with TemporaryDirectory() as folder:
        record = options.keep_record or Path(folder) / "log.db"
        _read_log(options.from_log, record)
        if options.keep_record is None or options.output is not None or options.json:
            _write_report([record], options)


def _check_files(options: argparse.Namespace) -> None:
    """Check that no file that is read or written would be overwritten.

    Raises:
        RecordError: one would be, or a record is a folder.
    """
    records = [path for path in (options.record, options.other) if path is not None]
    for record in records:
        with report_damage(record):
            is_folder = record.is_dir()
        if is_folder:
            message = f"cannot read the record '{record}': it is a folder"
            raise RecordError(f"{message}; --from-log reads a folder of IR dumps")
    read = [("the record", path) for path in records]
    log: Path | None = options.from_log
    if log is not None and log.is_dir():
        read += [("a dump of the log", path) for path in log.rglob("*.mlir")]
    elif log is not None and str(log) != "-":
        read.append(("the log", log))
    for what, written in (
        ("record", options.keep_record),
        ("report", options.output),
        ("trace", options.trace),
    ):
        if written is None or str(written) == "-":
            continue
        for other, path in read:
            if is_same_file(path, written):
                message = f"the {what} '{written}' would overwrite {other}"
                raise RecordError(f"{message}; name another file")
        read.append((f"the {what}", written))


def _read_log(log: Path, record: Path) -> None:
    lines: Path | BinaryIO = log
    if str(log) == "-":
        if sys.stdin is None or sys.stdin.closed:
            raise RecordError("cannot read standard input: it is closed")
        lines = sys.stdin.buffer
    if not record_dumps(lines, record):
        message = f"'{log}' ends within a dump, which is left out"
        print_message(f"passgen-report: warning: {message}\n")


def _write_report(paths: Sequence[Path | None], options: argparse.Namespace) -> None:
    records = [path for path in paths if path is not None]
    data = report_data(*records, with_times=options.report_times == "true")
    if options.json:
        text = json.dumps(data, indent=1) + "\n"
    else:
        sources = records if options.from_log is None else [options.from_log]
        title = " and ".join(source.name for source in sources)
        text = html_page(data, options.title or title)
    if _is_stdout(options):
        write_stdout(text)
    else:
        try:
            replace_file(options.output, text)
        except OSError as error:
            message = f"cannot write '{options.output}': {error.strerror}"
            raise RecordError(message) from error
    if options.chooses_output:
        write_stdout(visible(f"{options.output}\n"))


def _asks_for_page(options: argparse.Namespace) -> bool:
    """Return whether a page is written though no flag names its file."""
    others = options.trace, options.fail_on, options.keep_record
    return options.opens or not (options.json or any(others))


def _default_output(options: argparse.Namespace) -> Path:
    """Return `run.html` in the current folder for `run.db`, `a-b.html` for two."""
    sources = filter(None, (options.record, options.other, options.from_log))
    stems = ["log" if str(source) == "-" else source.stem for source in sources]
    return Path(f"{'-'.join(stems)}.html")


def _is_stdout(options: argparse.Namespace) -> bool:
    return options.json_schema or options.output is None or str(options.output) == "-"


def console_main() -> None:
    """Run the program as a process: the entry point of `passgen-report`."""
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(_EXIT_INTERRUPTED)


def _parser() -> ToolParser:
    texts = tomllib.loads(_text("help.toml"))
    parser = ToolParser(prog="passgen-report", **texts["program"])

    def add(*names: str, **settings: Any) -> None:  # noqa: ANN401 - argparse has any
        text = texts["arguments"][names[-1]]
        parser.add_argument(*names, help=text, **settings)

    add("record", type=Path, nargs="?")
    add("other", type=Path, nargs="?")
    add("-o", "--output", type=Path, metavar="FILE")
    add("--open", action="store_true", dest="opens")
    add("--from-log", type=Path, metavar="FILE")
    add("--record", type=Path, dest="keep_record", metavar="FILE")
    add("--json", action="store_true")
    add("--json-schema", action="store_true")
    add("--trace", type=Path, metavar="FILE")
    add("--fail-on", type=parse_conditions, metavar="CONDITIONS")
    add("--title")
    true_or_false = ["true", "false"]
    add("--report-times", choices=true_or_false, default="true", metavar="true|false")
    parser.add_version()
    return parser


def _text(name: str) -> str:
    """Return the text of a file of this package."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
