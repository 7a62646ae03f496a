"""Files of passes: those in TableGen, which `llvm-tblgen` reads, and its dumps."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

from passgen.source import SourceFile
from passgen.spec import read_source
from passgen.tablegen.cpp_spellings import BaseClass
from passgen.tablegen.dump import Dump, read_records
from passgen.tablegen.tool import (
    PASS_CLASSES,
    TablegenError,
    find_headers,
    find_tool,
    run_tool,
)


def read_dump(
    name: str, includes: Sequence[str] = (), tool: str | None = None, shown: str = ""
) -> Dump:
    """Return the passes in the file `name`.

    Args:
        name: a `.td` file, or the output of `llvm-tblgen --dump-json` for one.
        includes: the folders to search for included files, before the folder above the
            file that has those of MLIR; if none has, those of an installed MLIR are
            searched.
        tool: the `llvm-tblgen` to run instead of the one that is found.
        shown: the name of the file in messages, if it is another one.

    Raises:
        UnreadableError: the file cannot be read.
        TablegenError: `llvm-tblgen` is missing, or refuses the file.
        SpecError: it is no dump, or has values that a spec cannot have.
    """
    source = replace(read_source(name), name=shown or name)
    if source.text.lstrip().startswith(("{", "[")):
        return read_records(source.text, SourceFile(name, ""))
    if "\0" in source.text:
        # The tool warns of each one, and shows the whole line each time.
        raise TablegenError(f"{source.name}: error: it has NULs, and is no TableGen")
    found = shutil.which(tool) if tool else None
    command = Path(found or tool).absolute() if tool else None
    searched = (*includes, *_installation(Path(name)))
    headers = None
    if not any((Path(folder) / PASS_CLASSES).is_file() for folder in searched):
        headers = find_headers(command or find_tool())
        searched += () if headers is None else (str(headers),)
    text = run_tool(Path(name), searched, command)
    dump = replace(read_records(text, source), headers=headers)
    classes = (pass_.record.dependent_dialects for pass_ in dump.passes)
    bases = (BaseClass.of(pass_.record.base_class) for pass_ in dump.passes)
    anchors = (base.anchor for base in bases if base.kind == "Operation")
    are_known = all(map(dump.dialects.namespace, chain.from_iterable(classes)))
    if are_known and all(map(dump.dialects.operation, filter(None, anchors))):
        return dump
    return replace(dump, dialects=dump.dialects.with_declared_in(searched))


def _installation(file: Path) -> list[str]:
    """Return the include folder of the MLIR installation that `file` is in, if any."""
    folders = file.absolute().parents
    return [str(folder) for folder in folders if (folder / PASS_CLASSES).is_file()][:1]
