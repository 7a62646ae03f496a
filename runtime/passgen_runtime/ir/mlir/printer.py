"""MLIR's printer, with the flags that the bindings support."""

from __future__ import annotations

from passgen_runtime.errors import PassError
from passgen_runtime.ir.mlir.bindings import MLIRObject
from passgen_runtime.printing_flags import PrintingFlags


def check_printable(flags: PrintingFlags) -> None:
    """Check that the bindings support `flags`.

    Raises:
        PassError: they do not.
    """
    if flags.unique_ssa_ids or flags.max_decimal_elements is not None:
        raise PassError(
            "MLIR's Python bindings support neither unique SSA ids nor a limit of "
            "decimal elements"
        )


def print_operation(
    operation: MLIRObject, flags: PrintingFlags, *, generic: bool
) -> str:
    """Return `operation` as MLIR prints it, in the generic form if `generic`."""
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
    is_generic = generic or flags.generic
    text: str = operation.get_asm(print_generic_op_form=is_generic, **options)
    return text.removesuffix("\n")
