"""MLIR's parser, with both a file name and an implicit module.

The bindings support either: `Operation.parse` takes a file name and one operation;
`Module.parse` takes any number of operations, and calls every file `-`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.ir.mlir.bindings import Bindings, MLIRObject
from passgen_runtime.ir.mlir.diagnostics import reported_to
from passgen_runtime.ir.mlir.settings import errors_reported

_NAMELESS_PLACE = re.compile(r'loc\("-":(\d+):(\d+)\)')
_DIALECTS = re.compile(r"Available dialects: (.*?) ?(?:;|\()")
_UNREGISTERED_MARK: Final = " (*)"
_ONE_OPERATION: Final = "source must contain a single top-level operation"


class Parsed(NamedTuple):
    """An attempt to parse a text."""

    operation: MLIRObject
    """`None` if the text does not parse."""

    found: list[Diagnostic]
    error: Exception | None


def parse_operation(
    bindings: Bindings, mlir: MLIRObject, text: str, name: str
) -> MLIRObject:
    """Return the one top-level operation in `text`.

    Raises:
        MLIRError: of the bindings: `text` is invalid, or not one operation.
    """
    return bindings.ir.Operation.parse(text, source_name=name, context=mlir).operation


def file_of(text: str, name: str) -> Path | None:
    """Return the file called `name` if its content is `text`, so that MLIR can read it.

    `text` may be a part of that file, or an edited copy.
    """
    path = Path(name)
    try:
        is_content = path.is_file() and path.read_bytes() == text.encode()
    except (OSError, ValueError):
        return None
    return path if is_content else None


def parse_module(
    bindings: Bindings, mlir: MLIRObject, text: str, name: str
) -> MLIRObject:
    """Return the module in `text`, or a new module around its operations.

    Raises:
        MLIRError: of the bindings: `text` is invalid.
    """
    root = bindings.ir.Module.parse(text, mlir).operation
    file = bindings.ir.Location.file

    def rename_file(located: MLIRObject) -> MLIRObject:
        location = located.location
        match = _NAMELESS_PLACE.fullmatch(str(location))
        if match is None:
            return location
        return file(name, int(match[1]), int(match[2]), context=mlir)

    def rename_in(operation: MLIRObject) -> MLIRObject:
        operation.location = rename_file(operation)
        for region in operation.regions:
            for block in region.blocks:
                for value in block.arguments:
                    # Some bindings show values of a type in a class of its own.
                    argument = bindings.ir.BlockArgument(value)
                    argument.set_location(rename_file(argument))
        return bindings.ir.WalkResult.ADVANCE

    root.walk(rename_in, bindings.ir.WalkOrder.PRE_ORDER)
    return root


def is_about_number_of_operations(found: Iterable[Diagnostic]) -> bool:
    """Return whether the first error says that a text is not one operation."""
    errors = (entry.message for entry in found if entry.severity == "error")
    return next(errors, "").startswith(_ONE_OPERATION)


def available_dialects(bindings: Bindings, mlir: MLIRObject) -> list[str]:
    """Return the names of the dialects in the context `mlir`.

    The bindings do not list them, but an error of MLIR's parser does.
    """
    found: list[Diagnostic] = []
    with (
        suppress(bindings.ir.MLIRError),
        errors_reported(mlir),
        reported_to(found.append, mlir),
    ):
        parse_operation(bindings, mlir, "no_dialect.op", "-")
    notes = "".join(note.message for diagnostic in found for note in diagnostic.notes)
    names = _DIALECTS.match(notes.replace(_UNREGISTERED_MARK, ""))
    return names[1].split(", ") if names else []
