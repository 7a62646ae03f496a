"""The flags of `passgen-opt` about how IR and diagnostics are printed.

Names and meanings are those of `mlir-opt`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from passgen_runtime.opt.command_line import mlir_flag
from passgen_runtime.printing_flags import PrintingFlags

Verbosity = Literal["errors", "warnings", "remarks"]

PRINTING_FLAGS: Final = (
    mlir_flag("mlir-print-op-generic", "print operations in the generic form"),
    mlir_flag("mlir-print-debuginfo", "print locations"),
    mlir_flag("mlir-pretty-debuginfo", "print them for readers, not for parsers"),
    mlir_flag(
        "mlir-print-local-scope",
        "print each operation without aliases, of which xDSL's printer has none",
    ),
    mlir_flag(
        "mlir-print-assume-verified",
        "print custom forms without verifying what is printed",
    ),
    mlir_flag("mlir-print-skip-regions", "print '{...}' in the place of regions"),
    mlir_flag("mlir-print-unique-ssa-ids", "give no name to two values"),
    mlir_flag(
        "mlir-use-nameloc-as-prefix", "name values after the name in their location"
    ),
    mlir_flag(
        "mlir-elide-elementsattrs-if-larger",
        "elide elements attributes with more elements",
        "uint",
        "N",
    ),
    mlir_flag(
        "mlir-print-elementsattrs-with-hex-if-larger",
        "print elements attributes with more than N, by default 100, elements in "
        "hexadecimal; none if -1",
        "long",
        "N",
    ),
    mlir_flag(
        "mlir-elide-resource-strings-if-larger",
        "leave out resources with more characters",
        "uint",
        "N",
    ),
    mlir_flag(
        "mlir-print-op-on-diagnostic",
        "show the operation below diagnostics about it",
        default=True,
    ),
    mlir_flag(
        "mlir-print-stacktrace-on-diagnostic",
        "show below diagnostics which code emitted them",
    ),
    mlir_flag("mlir-disable-diagnostic-notes", "print diagnostics without their notes"),
    mlir_flag(
        "mlir-diagnostic-verbosity-level",
        "which diagnostics to print: errors only, warnings as well, remarks as well",
        "required",
        choices=("errors", "warnings", "remarks"),
        default="remarks",
    ),
)


@dataclass(frozen=True, slots=True)
class DiagnosticsRequest:
    """Which diagnostics are to be printed, and with what below them."""

    verbosity: Verbosity
    with_notes: bool
    with_operation: bool
    with_stacktrace: bool


def printing_of(values: Mapping[str, Any]) -> PrintingFlags:
    """Return how the values of the flags let IR be printed."""
    return PrintingFlags(
        generic=bool(values["mlir-print-op-generic"]),
        debug_info=bool(values["mlir-print-debuginfo"]),
        pretty_debug_info=bool(values["mlir-pretty-debuginfo"]),
        local_scope=bool(values["mlir-print-local-scope"]),
        assume_verified=bool(values["mlir-print-assume-verified"]),
        skip_regions=bool(values["mlir-print-skip-regions"]),
        unique_ssa_ids=bool(values["mlir-print-unique-ssa-ids"]),
        name_locations_as_prefix=bool(values["mlir-use-nameloc-as-prefix"]),
        max_elements=values["mlir-elide-elementsattrs-if-larger"],
        max_decimal_elements=values["mlir-print-elementsattrs-with-hex-if-larger"],
        max_resource_chars=values["mlir-elide-resource-strings-if-larger"],
    )


def diagnostics_of(
    values: Mapping[str, Any], *, are_verified: bool
) -> DiagnosticsRequest:
    """Return what the values of the flags ask for.

    Args:
        values: by flag.
        are_verified: whether diagnostics are compared with expected ones: then, as in
            MLIR, they do not show operations.
    """
    return DiagnosticsRequest(
        verbosity=values["mlir-diagnostic-verbosity-level"],
        with_notes=not values["mlir-disable-diagnostic-notes"],
        with_operation=bool(values["mlir-print-op-on-diagnostic"]) and not are_verified,
        with_stacktrace=bool(values["mlir-print-stacktrace-on-diagnostic"]),
    )
