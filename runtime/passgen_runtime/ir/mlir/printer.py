"""MLIR's printer, fingerprints, and facts from the text of an operation."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from typing import Final

from passgen_runtime.context import PrintingFlags, digest_of
from passgen_runtime.errors import PassError
from passgen_runtime.ir.mlir.bindings import MLIRObject

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_GENERIC_OPERATION = re.compile(r'"([\w$-]+)\.[\w$.-]+"(?=\()')
_TYPE_OR_ATTRIBUTE = re.compile(r"[!#]([\w$-]+)[.<]")

_NOT_PRINTED: Final = (
    "MLIR's Python bindings print neither unique SSA ids nor another limit of decimal "
    "elements"
)


def check_printable(flags: PrintingFlags) -> None:
    """Check that the bindings can print as `flags` say.

    Raises:
        PassError: they cannot.
    """
    if flags.unique_ssa_ids or flags.max_decimal_elements is not None:
        raise PassError(_NOT_PRINTED)


def printed(operation: MLIRObject, flags: PrintingFlags, *, generic: bool) -> str:
    """Return `operation` as MLIR prints it, in the generic form if asked."""
    wanted = {
        "enable_debug_info": flags.debug_info,
        "pretty_debug_info": flags.pretty_debug_info,
        "use_name_loc_as_prefix": flags.name_locations_as_prefix,
        "use_local_scope": flags.local_scope,
        "assume_verified": flags.assume_verified,
        "skip_regions": flags.skip_regions,
        "large_elements_limit": flags.max_elements,
        "large_resource_limit": flags.max_resource_chars,
    }
    # Older bindings lack some of these options: only those that are set are passed.
    options = {
        name: value
        for name, value in wanted.items()
        if value is not None and value is not False
    }
    text: str = operation.get_asm(
        print_generic_op_form=generic or flags.generic, **options
    )
    return text.removesuffix("\n")


def fingerprint(operation: MLIRObject, *, with_locations: bool) -> bytes:
    """Return a digest of the generic form."""
    return digest_of(
        operation.get_asm(
            print_generic_op_form=True,
            enable_debug_info=with_locations,
            use_local_scope=True,
        )
    )


def shallow_fingerprint(operation: MLIRObject) -> bytes:
    """Return a digest of `operation` without the operations inside it."""
    arguments = [
        [str(each.type) for each in block.arguments]
        for region in operation.regions
        for block in region.blocks
    ]
    attributes = [f"{each.name}={each.attr}" for each in _attributes(operation)]
    parts = (*frame(operation), attributes, str(operation.location), arguments)
    return digest_of(repr(parts))


def frame(operation: MLIRObject) -> tuple[Hashable, ...]:
    """Return name, operands, results, successors and block."""
    parent = operation.parent
    return (
        operation.operation.name,
        tuple(map(hash, operation.operands)),
        tuple(str(result.type) for result in operation.results),
        tuple(map(hash, operation.operation.successors)),
        None if parent is None else hash(operation.operation.block),
    )


def used_dialects(operation: MLIRObject) -> set[str]:
    """Return the dialects that the generic form of `operation` names."""
    text = operation.get_asm(print_generic_op_form=True, use_local_scope=True)
    without_strings = _STRING.sub("", text)
    return {
        *_GENERIC_OPERATION.findall(text),
        *_TYPE_OR_ATTRIBUTE.findall(without_strings),
    }


def _attributes(operation: MLIRObject) -> Iterator[MLIRObject]:
    for index in range(len(operation.attributes)):
        yield operation.attributes[index]
