"""MLIR's parser, with a file name and an implicit module at the same time.

The bindings give either: `Operation.parse` takes a name and one operation, and
`Module.parse` takes any number and calls every file `-`.
"""

from __future__ import annotations

import re
from typing import Final

from passgen_runtime.ir.mlir.bindings import Bindings, MLIRObject

_NAMELESS_PLACE = re.compile(r'loc\("-":(\d+):(\d+)\)')
_ONE_OPERATION: Final = "source must contain a single top-level operation"


def parse_operation(
    bindings: Bindings, mlir: MLIRObject, text: str, name: str
) -> MLIRObject:
    """Return the one top-level operation in `text`.

    Raises:
        MLIRError: of the bindings: it does not parse, or there is not one.
    """
    parsed = bindings.ir.Operation.parse(text, source_name=name, context=mlir)
    return parsed.operation


def parse_module(
    bindings: Bindings, mlir: MLIRObject, text: str, name: str
) -> MLIRObject:
    """Return the module in `text`, or one around any other operations in it.

    Raises:
        MLIRError: of the bindings: it does not parse.
    """
    parsed = bindings.ir.Module.parse(text, mlir)
    # A `Module` of the bindings frees its operation again after a pass has erased it.
    root = bindings.create(
        parsed.operation.name, regions=1, loc=parsed.operation.location, ip=False
    ).operation
    parsed.body.append_to(root.regions[0])
    file = bindings.ir.Location.file

    def rename(located: MLIRObject) -> MLIRObject:
        """Return the place of `located` in the file called `name`."""
        location = located.location
        match = _NAMELESS_PLACE.fullmatch(str(location))
        if match is None:
            return location
        return file(name, int(match[1]), int(match[2]), context=mlir)

    def visit(operation: MLIRObject) -> MLIRObject:
        operation.location = rename(operation)
        for region in operation.regions:
            for block in region.blocks:
                for argument in block.arguments:
                    argument.set_location(rename(argument))
        return bindings.ir.WalkResult.ADVANCE

    root.walk(visit, bindings.ir.WalkOrder.PRE_ORDER)
    return root


def is_about_number_of_operations(message: str) -> bool:
    """Return whether `message` of `parse_operation` says that there is not one."""
    return message.startswith(_ONE_OPERATION)
