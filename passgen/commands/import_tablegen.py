"""`passgen import`: passes or rewrites in TableGen, or passes of xDSL, to a spec."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from passgen import naming
from passgen.commands.import_xdsl import import_passes
from passgen.commands.outcome import EXIT_FINE, EXIT_WRONG, CommandParser, Outcome
from passgen.diagnostics import Diagnostic, SpecError
from passgen.generation import read_group
from passgen.output import OutputError, OutputFile, write
from passgen.rewrites import NativeCode, import_rewrites
from passgen.source import STDOUT, SourceFile
from passgen.tablegen import (
    TOOL,
    import_dump,
    read_dump,
    read_json,
)
from passgen.targets import portable_path


class _ImportArguments(argparse.Namespace):
    file: str | None = None
    xdsl: str | None = None
    sources: list[str] | None = None
    name: str | None = None
    includes: list[str] | None = None
    patterns: bool = False
    native_code: list[str] | None = None
    output: str = STDOUT
    tool: str | None = None


def run(argv: Sequence[str], folder: Path | None) -> Outcome:
    """Write the spec of the file in `argv`; `folder` is the current one."""
    arguments = _parse(argv)
    if arguments.xdsl is not None:
        spec = None if arguments.output == STDOUT else Path(arguments.output)
        sources = arguments.sources or ["."]
        return import_passes(arguments.xdsl, sources, arguments.name, spec)
    assert arguments.file is not None
    shown = portable_path(arguments.file, folder) or Path(arguments.file).name
    imported = (_import_rewrites if arguments.patterns else _import_passes)(
        arguments, shown
    )
    messages = imported.messages
    if imported.headers is not None:
        header = f"note: MLIR's files are those of '-I {imported.headers}'"
        messages = (header, *messages)
    if not imported.text:
        return Outcome(messages=messages, code=EXIT_WRONG)
    written = str(Path(arguments.output))
    is_printed = arguments.output == STDOUT
    # A group without a name is named after the file of its spec.
    file = f"{Path(shown).stem}.yaml" if is_printed else written
    source = SourceFile(file, imported.text)
    code = EXIT_FINE
    try:
        read_group(source)
    except SpecError as error:  # the file is written nevertheless, to be corrected
        messages, code = (*messages, *error.diagnostics), EXIT_WRONG
    if is_printed:
        return Outcome(text=imported.text, messages=messages, code=code)
    try:
        write([OutputFile(Path(arguments.output), imported.text)])
    except OutputError as error:
        return Outcome(messages=(*messages, str(error)), code=EXIT_WRONG)
    return Outcome(lines=(written,), messages=messages, code=code)


@dataclass(frozen=True)
class _Imported:
    """The spec of a file; empty if nothing in it can be imported."""

    text: str
    messages: tuple[Diagnostic | str, ...]
    headers: Path | None


def _import_passes(arguments: _ImportArguments, shown: str) -> _Imported:
    assert arguments.file is not None
    dump = read_dump(arguments.file, arguments.includes or (), arguments.tool)
    imported = import_dump(dump, shown, arguments.name)
    return _Imported(imported.text, imported.warnings, dump.headers)


def _import_rewrites(arguments: _ImportArguments, shown: str) -> _Imported:
    assert arguments.file is not None
    code = NativeCode(tuple(arguments.native_code or ()))
    dump = read_json(arguments.file, arguments.includes or (), arguments.tool)
    found = import_rewrites(dump.text, dump.source, shown, arguments.name, code)
    count = f"note: {found.num_read} of {found.num_found} rewrites were imported"
    return _Imported(found.text, (*found.warnings, count), dump.headers)


def add_tablegen_arguments(parser: CommandParser, file: str) -> None:
    """Add the arguments for reading `.td` files; `file` is how the help names one."""
    parser.add_argument(
        "-I",
        dest="includes",
        metavar="DIR",
        action="append",
        help=f"folder with files that {file} includes, may be repeated; MLIR's own "
        "are found where LLVM is installed",
    )
    parser.add_argument(
        f"--{TOOL}",
        dest="tool",
        metavar="PATH",
        help=f"the {TOOL} to run, by default the one that is found",
    )


def _parse(argv: Sequence[str]) -> _ImportArguments:
    parser = CommandParser("passgen import")
    add = parser.add_argument
    what = "a .td file, or a dump of one by llvm-tblgen"
    add("file", metavar="FILE", nargs="?", help=what)
    add(
        "--xdsl",
        metavar="MODULE",
        help="a module with passes of xDSL, in its submodules too, or MODULE:NAME of a "
        "class, of a universe, or of a function that returns passes by name",
    )
    add(
        "--source",
        dest="sources",
        metavar="DIR",
        action="append",
        help="folder of MODULE, a root of imports; the current one by default",
    )
    add(
        "--patterns",
        action="store_true",
        help="import the rewrites of FILE, 'Pat' and 'Pattern', instead of its passes",
    )
    add(
        "--native-code",
        dest="native_code",
        metavar="FILE",
        action="append",
        help="YAML that says what C++ in rewrites means, may be repeated",
    )
    add(
        "--name",
        metavar="NAME",
        help="name of the group, '' for none; by default that of the file",
    )
    add(
        "-o",
        dest="output",
        metavar="FILE",
        help="file to write; - by default, standard output",
    )
    add_tablegen_arguments(parser, "FILE")
    arguments = parser.parse_args(argv, _ImportArguments())
    if arguments.name and not naming.is_group_name(arguments.name):
        parser.error("--name takes a name such as MyDialect, or '' for none")
    if (arguments.file is None) == (arguments.xdsl is None):
        parser.error("FILE or --xdsl is needed, and they exclude each other")
    if arguments.patterns and arguments.file is None:
        parser.error("--patterns needs FILE")
    if arguments.native_code and not arguments.patterns:
        parser.error("--native-code is for --patterns")
    return arguments
