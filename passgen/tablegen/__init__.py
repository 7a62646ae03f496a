"""A `.td` file, or the dump of one, as users name it, to the records it declares."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from passgen.source import SourceFile
from passgen.spec import read_source
from passgen.tablegen.dump import Dump, read_records
from passgen.tablegen.importer import Imported, import_dump, read_group
from passgen.tablegen.tool import TOOL, run_tool

__all__ = ["TOOL", "Dump", "Imported", "import_dump", "read_dump", "read_group"]


def read_dump(name: str, includes: Sequence[str] = (), tool: str | None = None) -> Dump:
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
    source = read_source(name)
    if source.text.lstrip().startswith(("{", "[")):
        return read_records(source.text, SourceFile(name, ""))
    found = shutil.which(tool) if tool else None
    command = Path(found or tool).absolute() if tool else None
    searched = (*includes, *_installation(Path(name)))
    text = run_tool(Path(name), searched, command)
    return read_records(text, source)


_PASS_CLASSES: Final = Path("mlir", "Pass", "PassBase.td")


def _installation(file: Path) -> Iterator[str]:
    """Yield the folder that a `.td` file of an installed MLIR includes others from."""
    for folder in file.absolute().parents:
        if (folder / _PASS_CLASSES).is_file():
            yield str(folder)
            return
