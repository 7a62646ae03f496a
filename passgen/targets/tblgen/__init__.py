"""The targets that `mlir-tblgen` has, equal to its output to the byte."""

from typing import Final

from passgen.cpp import group_records
from passgen.model import PassGroup, PassRecord, record_order

SPACE: Final = " \t\n\v\f\r"
"""The characters that LLVM strips from the ends of a text."""


def sorted_records(group: PassGroup) -> tuple[PassRecord, ...]:
    """Return the records of `group` by name, as `mlir-tblgen` visits them."""
    return tuple(sorted(group_records(group), key=lambda each: record_order(each.name)))
