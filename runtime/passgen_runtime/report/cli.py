"""The program `passgen-report`: makes a page, or JSON, of one run record or two."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

from passgen_runtime.diagnostics import print_message
from passgen_runtime.errors import PassError
from passgen_runtime.output_files import replace_file
from passgen_runtime.report.data import report_data
from passgen_runtime.report.page import html_page


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; return its exit code: 0, or 1 if there is no report."""
    options = _parser().parse_args(arguments)
    paths = [each for each in (options.record, options.other) if each is not None]
    title = " and ".join(each.name for each in paths)
    try:
        data = report_data(*paths, with_times=options.report_times)
        if options.json:
            text = json.dumps(data, indent=1) + "\n"
        else:
            text = html_page(data, options.title or title)
        if str(options.output) == "-":
            sys.stdout.write(text)
        else:
            replace_file(options.output, text)
    except PassError as error:
        print_message(f"passgen-report: error: {error}\n")
        return 1
    except OSError as error:
        message = f"cannot write '{options.output}': {error.strerror}"
        print_message(f"passgen-report: error: {message}\n")
        return 1
    return 0


def console_main() -> None:
    """Run the program as a process: the entry point of `passgen-report`."""
    sys.exit(main())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="passgen-report",
        description=(
            "Make a page of a run record, or of two that are compared:"
            " one HTML file that loads nothing."
        ),
        epilog="`passgen-opt --record=run.db` writes a record.",
    )
    parser.add_argument("record", type=Path, help="the record, e.g. run.db")
    parser.add_argument(
        "other", type=Path, nargs="?", help="a second record, to compare the first with"
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path("-"),
        metavar="FILE",
        help="where to write; standard output by default",
    )
    parser.add_argument(
        "--json", action="store_true", help="write the data of the page as JSON"
    )
    parser.add_argument(
        "--title", help="the title of the page; the file names of the records"
    )
    parser.add_argument(
        "--report-times",
        type=_boolean,
        default=True,
        metavar="true|false",
        help="whether times are shown; without them, equal runs give equal pages",
    )
    version = f"passgen-report {metadata.version('mlir-passgen-runtime')}"
    parser.add_argument("--version", action="version", version=version)
    return parser


def _boolean(text: str) -> bool:
    if text not in {"true", "false"}:
        message = f"expected true or false, and found '{text}'"
        raise argparse.ArgumentTypeError(message)
    return text == "true"
