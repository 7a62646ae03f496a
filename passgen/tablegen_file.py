"""A `.td` file, or the dump of one, as users name it, to the records it declares."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from passgen import spec_file, tablegen_dump, tablegen_tool
from passgen.source import SourceFile
from passgen.tablegen_dump import Dump


def read(name: str, includes: Sequence[str] = (), tool: str | None = None) -> Dump:
    """Return what the file `name` declares.

    Args:
        name: a `.td` file, or what `llvm-tblgen --dump-json` printed of one.
        includes: the folders that it includes others from.
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
    text = tablegen_tool.dump(Path(name), includes, command)
    return tablegen_dump.read(text, source)
