"""Files of passes: those in TableGen, which `llvm-tblgen` reads, and its dumps."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
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
    found = read_json(name, includes, tool, shown)
    dump = replace(read_records(found.text, found.source), headers=found.headers)
    if found.is_dump or _knows_all_classes(dump):
        return dump
    return replace(dump, dialects=dump.dialects.with_declared_in(found.searched))


@dataclass(frozen=True)
class JsonText:
    """The text of a dump, and its origin."""

    text: str
    source: SourceFile
    """The `.td` file; without a text, the file of the dump itself."""

    searched: Sequence[str] = ()
    """The folders that were searched for included files."""

    headers: Path | None = None
    """The folder of MLIR's `.td` files, if nothing named it."""

    is_dump: bool = False
    """Whether the file itself is a dump."""


def read_json(
    name: str, includes: Sequence[str] = (), tool: str | None = None, shown: str = ""
) -> JsonText:
    """Return the dump of the file `name`; the arguments are those of `read_dump`.

    Raises:
        UnreadableError: the file cannot be read.
        TablegenError: `llvm-tblgen` is missing, or refuses the file.
    """
    source = replace(read_source(name), name=shown or name)
    if source.text.lstrip().startswith(("{", "[")):
        return JsonText(source.text, SourceFile(name, ""), is_dump=True)
    if "\0" in source.text:
        # The tool warns of each one, and shows the whole line each time.
        raise TablegenError(f"{source.name}: error: it has NULs, and is no TableGen")
    command = None
    if tool:
        command = Path(shutil.which(tool) or tool).absolute()
    searched = [*includes]
    installation = _installation(Path(name))
    if installation is not None:
        searched.append(str(installation))
    headers = None
    if not any(_has_mlir(Path(folder)) for folder in searched):
        headers = find_headers(command or find_tool())
    if headers is not None:
        searched.append(str(headers))
    text = run_tool(Path(name), searched, command)
    return JsonText(text, source, searched, headers)


def _installation(file: Path) -> Path | None:
    """Return the include folder of the MLIR installation that `file` is in, if any."""
    return next(filter(_has_mlir, file.absolute().parents), None)


def _has_mlir(folder: Path) -> bool:
    """Return whether `folder` has the files of MLIR that declare passes."""
    return (folder / PASS_CLASSES).is_file()


def _knows_all_classes(dump: Dump) -> bool:
    """Return whether the names of all dialects and anchors of passes are known."""
    for pass_ in dump.passes:
        dialect_classes = pass_.record.dependent_dialects
        if not all(map(dump.dialects.namespace, dialect_classes)):
            return False
        base = BaseClass.of(pass_.record.base_class)
        anchor = base.anchor if base.kind == "Operation" else ""
        if anchor and not dump.dialects.operation(anchor):
            return False
    return True
