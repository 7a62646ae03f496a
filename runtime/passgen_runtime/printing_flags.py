"""Flags of printers of IR: those of MLIR's `OpPrintingFlags`."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class PrintingFlags:
    """Flags of a context's printer; the fields are those of MLIR's printer."""

    generic: bool = False
    """Print all operations in the generic form."""

    debug_info: bool = False
    """Print the location of each operation and block argument."""

    pretty_debug_info: bool = False
    """Print locations in a readable form, which does not parse."""

    local_scope: bool = False
    """Print each operation as if it were alone: without aliases and resources."""

    assume_verified: bool = False
    """Print custom forms even of IR that does not verify."""

    skip_regions: bool = False
    """Print `{...}` instead of each region."""

    unique_ssa_ids: bool = False
    """Print unique value names, even in different regions."""

    name_locations_as_prefix: bool = False
    """Name values after the name in their location."""

    max_elements: int | None = None
    """Elide elements attributes that have more elements."""

    max_decimal_elements: int | None = None
    """Print elements attributes that have more elements in hexadecimal; none if -1.

    `None` stands for MLIR's own limit, 100.
    """

    max_resource_chars: int | None = None
    """Omit resources whose text is longer."""

    def lossless(self) -> PrintingFlags:
        """Return flags whose text parses to the same IR, for reproducers."""
        return replace(
            self,
            pretty_debug_info=False,
            local_scope=False,
            skip_regions=False,
            max_elements=None,
            max_resource_chars=None,
        )
