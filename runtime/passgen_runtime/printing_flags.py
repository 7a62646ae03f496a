"""Printing flags: how IR is written as text (MLIR's `OpPrintingFlags`)."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class PrintingFlags:
    """How a context prints IR; the fields are the flags of MLIR's printer."""

    generic: bool = False
    """All operations in the generic form."""

    debug_info: bool = False
    """The location of each operation and block argument."""

    pretty_debug_info: bool = False
    """Locations in a form for readers, which does not parse."""

    local_scope: bool = False
    """Each operation as if it were alone: without aliases, where there are any."""

    assume_verified: bool = False
    """Custom forms also of IR that does not verify."""

    skip_regions: bool = False
    """`{...}` in the place of each region."""

    unique_ssa_ids: bool = False
    """No name of a value twice, in other regions neither."""

    name_locations_as_prefix: bool = False
    """Values named after the name in their location."""

    max_elements: int | None = None
    """Elements attributes that have more elements are elided."""

    max_decimal_elements: int | None = None
    """Elements attributes that have more elements are in hexadecimal; none if -1.

    `None` stands for MLIR's own limit, 100.
    """

    max_resource_chars: int | None = None
    """Resources whose text is longer are left out."""

    def lossless(self) -> PrintingFlags:
        """Return flags whose text parses to the same IR: what a reproducer needs."""
        return replace(
            self,
            pretty_debug_info=False,
            skip_regions=False,
            max_elements=None,
            max_resource_chars=None,
        )
