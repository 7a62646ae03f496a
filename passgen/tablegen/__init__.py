"""The passes of a `.td` file, or of the dump of one, and their import as a spec."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Final

from passgen.source import SourceFile
from passgen.spec import read_source
from passgen.tablegen.dump import Dump, read_records
from passgen.tablegen.importer import Imported, import_dump, read_group
from passgen.tablegen.tool import TOOL, run_tool

__all__ = ["TOOL", "Dump", "Imported", "import_dump", "read_dump", "read_group"]


def read_dump(name: str, includes: Sequence[str] = (), tool: str | None = None) -> Dump:
    """Return the passes in the file `name`.

    Args:
        name: a `.td` file, or the output of `llvm-tblgen --dump-json` for one.
        includes: the folders to search for included files, before the folder above the
            file that has those of MLIR.
        tool: the `llvm-tblgen` to run instead of the one that is found.

    Raises:
        UnreadableError: the file cannot be read.
        TablegenError: `llvm-tblgen` is missing, or refuses the file.
        SpecError: it is no dump, or has values that a spec cannot have.
    """
    source = read_source(name)
    if source.text.lstrip().startswith(("{", "[")):
        return read_records(source.text, SourceFile(name, ""))
    found = shutil.which(tool) if tool else None
    command = Path(found or tool).absolute() if tool else None
    searched = (*includes, *_installation(Path(name)))
    text = run_tool(Path(name), searched, command)
    dump = read_records(text, source)
    classes = (each.record.dependent_dialects for each in dump.passes)
    if all(map(dump.dialects.namespace, chain.from_iterable(classes))):
        return dump
    return replace(dump, dialects=dump.dialects.with_declared_in(searched))


_PASS_CLASSES: Final = Path("mlir", "Pass", "PassBase.td")


def _installation(file: Path) -> Iterator[str]:
    """Yield the include folder of the MLIR installation that `file` is in, if any."""
    for folder in file.absolute().parents:
        if (folder / _PASS_CLASSES).is_file():
            yield str(folder)
            return
