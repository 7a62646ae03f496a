"""The command `passgen import`: a `Passes.td` to the YAML of a spec. Prints nothing.

It has a parser of its own: what it takes and gives is the reverse of `passgen`.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from passgen import loader, naming, tablegen_dump, tablegen_import, tablegen_tool
from passgen.source import SourceFile
from passgen.tablegen_import import Imported
from passgen.targets.origin import portable_path

_EXAMPLES: Final = """\
examples:
  passgen import Passes.td -I /usr/lib/llvm-22/include -o passes.yaml
  passgen import --name Affine Passes.td -I include -o -     print the spec
  llvm-tblgen --dump-json -I include Passes.td >p.json; passgen import p.json -o p.yaml
"""


@dataclass(slots=True)
class ImportArguments(argparse.Namespace):
    """The command line."""

    file: str = ""
    name: str | None = None
    includes: list[str] = field(default_factory=list)
    output: str = "-"
    tool: str | None = None


def parse(argv: Sequence[str]) -> ImportArguments:
    """Return the arguments in `argv`, which follow `import`.

    Raises:
        SystemExit: they are wrong, or ask for help; argparse has printed it.
    """
    parser = argparse.ArgumentParser(
        prog="passgen import",
        description="Write the spec of the passes that a .td file declares.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("file", metavar="FILE", help="a .td file, or what llvm-tblgen dumps of one")
    add("--name", metavar="NAME", help="name of the group; by default the spec's file")
    add(
        "-I",
        dest="includes",
        metavar="DIR",
        action="append",
        help="folder with files that FILE includes, may be repeated",
    )
    add(
        "-o", dest="output", metavar="FILE", help="the spec; - by default, which prints"
    )
    add(
        f"--{tablegen_tool.TOOL}",
        dest="tool",
        metavar="PATH",
        help="the llvm-tblgen to run, by default the one that is found",
    )
    arguments = parser.parse_args(argv, ImportArguments())
    if arguments.name is not None and not naming.is_pascal_case(arguments.name):
        parser.error("--name takes a name in PascalCase, such as MyDialect")
    if arguments.output == "":
        parser.error("-o takes a file, and its name is empty")
    return arguments


def run(arguments: ImportArguments, folder: Path | None) -> Imported:
    """Return what the file becomes; `folder` is the current one.

    Raises:
        OSError: the file cannot be read.
        TablegenError: `llvm-tblgen` is missing, or refuses the file.
        SpecError: the dump is none, or says what a spec cannot.
    """
    path = Path(arguments.file)
    source = loader.decode(arguments.file, path.read_bytes())
    shown = portable_path(arguments.file, folder) or path.name
    if source.text.lstrip().startswith("{"):
        text, source = source.text, SourceFile(arguments.file, "")
    else:
        found = shutil.which(arguments.tool) if arguments.tool else None
        tool = Path(found or arguments.tool).absolute() if arguments.tool else None
        text = tablegen_tool.dump(path, arguments.includes or (), tool)
    dump = tablegen_dump.read(text, source)
    return tablegen_import.import_dump(dump, shown, arguments.name)
