"""A `.td` file, or the dump of one, as users name it, to the records it declares."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from passgen.source import SourceFile
from passgen.spec import files as spec_file
from passgen.tablegen import dump as tablegen_dump
from passgen.tablegen import tool as tablegen_tool
from passgen.tablegen.dump import Dump, DumpedItem, DumpedPass
from passgen.tablegen.tool import TOOL

__all__ = ["TOOL", "DumpedItem", "DumpedPass"]


def read(name: str, includes: Sequence[str] = (), tool: str | None = None) -> Dump:
    """Return what the file `name` declares.

    Args:
        name: a `.td` file, or what `llvm-tblgen --dump-json` printed of one.
        includes: the folders that it includes others from, before the one above it
            that has MLIR's own.
        tool: the `llvm-tblgen` to run, rather than the one that is found.

    Raises:
        UnreadableError: the file cannot be read.
        TablegenError: `llvm-tblgen` is missing, or refuses the file.
        SpecError: the dump is none, or says what a spec cannot.
    """
    source = spec_file.read(name)
    if source.text.lstrip().startswith(("{", "[")):
        return tablegen_dump.read(source.text, SourceFile(name, ""))
    found = shutil.which(tool) if tool else None
    command = Path(found or tool).absolute() if tool else None
    searched = (*includes, *_installation(Path(name)))
    text = tablegen_tool.dump(Path(name), searched, command)
    return tablegen_dump.read(text, source)


_PASS_CLASSES: Final = Path("mlir", "Pass", "PassBase.td")


def _installation(file: Path) -> Iterator[str]:
    """Yield the folder that a `.td` file of an installed MLIR includes others from."""
    for folder in file.absolute().parents:
        if (folder / _PASS_CLASSES).is_file():
            yield str(folder)
            return
