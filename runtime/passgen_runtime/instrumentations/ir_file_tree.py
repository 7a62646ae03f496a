"""A tree of files for IR dumps, with a folder for each operation around the pass's own.

Implements `--mlir-print-ir-tree-dir` with MLIR's names, from `IRPrinting.cpp`:

    builtin_module_top/0_symbol-dce.mlir
    builtin_module_top/func_func_main/1_0_cse.mlir

An operation counts the dumps about it; the count of each operation around it comes
first in the name of a file. Dumps with equal prefixes are in no order among each other.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from pathlib import Path

from passgen_runtime.context import Context, Operation
from passgen_runtime.errors import PassError
from passgen_runtime.output_files import replace_file

_NO_SYMBOL = "no-symbol-name"
_NOT_IN_A_NAME = re.compile(r"[/\\\0]")


class IRTreeError(PassError):
    """The tree of IR dumps cannot be written."""


class FileTreeDestination:
    """Writes each dump to a file of its own below a folder."""

    def __init__(self, context: Context, root: Path) -> None:
        """Write below `root`, which is made if need be.

        Raises:
            IRTreeError: it cannot be made.
        """
        self._context = context
        self._root = root
        self._counts: dict[Hashable, int] = {}
        self._has_failed = False
        self._make_folder(root)

    def write(self, text: str, label: str, operation: Operation) -> None:
        """Write a dump to the file that the operation's nesting and `label` name.

        The first file that cannot be written is reported and ends the printing, not
        what is printed.
        """
        if self._has_failed:
            return
        folder, prefix = self._place(operation)
        path = folder / f"{prefix}_{_file_name(label)}.mlir"
        if label == "initial":
            path = folder / "initial.mlir"
        try:
            self._make_folder(folder)
            try:
                replace_file(path, text)
            except OSError as error:
                message = f"cannot write '{path}': {error.strerror}"
                raise IRTreeError(message) from error
        except IRTreeError as error:
            self._has_failed = True
            self._context.emit(
                "warning", f"IR is no longer printed: {error}", operation
            )

    def _place(self, operation: Operation) -> tuple[Path, str]:
        """Return the folder of `operation` and the prefix of its next file."""
        context, counts = self._context, self._counts
        key = context.key(operation)
        counts[key] = counts.get(key, -1) + 1
        names: list[str] = []
        numbers: list[str] = []
        each: Operation | None = operation
        while each is not None:
            numbers.append(str(counts.setdefault(context.key(each), 0)))
            symbol = context.symbol_name(each)
            name = context.name(each).replace(".", "_")
            names.append(f"{name}_{_NO_SYMBOL if symbol is None else symbol}")
            each = context.parent(each)
        folders = map(_file_name, reversed(names))
        return self._root.joinpath(*folders), "_".join(reversed(numbers))

    @staticmethod
    def _make_folder(folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = error.strerror
            message = f"error while creating directory '{folder}': {reason}"
            raise IRTreeError(message) from error


def _file_name(text: str) -> str:
    return _NOT_IN_A_NAME.sub("_", text)
