"""The resources that operations of MLIR's IR refer to.

MLIR prints them only after an operation without a parent, in the scope of a file.
"""

from __future__ import annotations

import re
from typing import Final

from passgen_runtime.instrumentations.file_metadata import (
    DIALECT_RESOURCES,
    section_values,
)
from passgen_runtime.ir.digests import Resources
from passgen_runtime.ir.mlir.bindings import MLIRObject

_SECTION: Final = "\n{-#\n"
"""The begin of the metadata in MLIR's output; strings in it have no line ends."""

_MAY_REFER: Final = re.compile(r"dense_resource<|[#!]\w+[.<]")
"""The begin of a reference in the generic form: in builtin's attribute, or anywhere in
an attribute or a type of a dialect."""


def may_refer_to_resources(generic: str) -> bool:
    """Return whether the generic form of an operation may refer to resources."""
    return _MAY_REFER.search(generic) is not None


def resources_of(operation: MLIRObject, *, recursive: bool = True) -> Resources:
    """Return the resources that `operation` refers to, by dialect and key."""
    if _has_parent(operation):
        operation = operation.clone(ip=False)
    options = {} if recursive else {"skip_regions": True}
    text: str = operation.get_asm(print_generic_op_form=True, **options)
    start = text.rfind(_SECTION)
    return {} if start < 0 else section_values(text[start:], DIALECT_RESOURCES, "-")


def _has_parent(operation: MLIRObject) -> bool:
    try:
        return operation.parent is not None
    except ValueError:  # a copy has no parent
        return False
