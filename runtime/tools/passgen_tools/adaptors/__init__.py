"""Adaptors: what tools need of an IR library beyond its context.

A transport carries operations to other processes; an inspector looks at operations for
the audit and the record; an editor changes operations for the reducer. There is one of
each for xDSL's and for MLIR's IR.
"""

from passgen_tools.adaptors.editing import Block, Editor, Value
from passgen_tools.adaptors.encoded_ir import (
    pack_parts,
    packed_numbers,
    unpack_parts,
    unpacked_numbers,
)
from passgen_tools.adaptors.inspection import Inspector
from passgen_tools.adaptors.libraries import (
    Adaptors,
    context_of,
    editor_of,
    inspector_of,
    register_adaptors,
    transport_of,
)
from passgen_tools.adaptors.transport import Transport

__all__ = [
    "Adaptors",
    "Block",
    "Editor",
    "Inspector",
    "Transport",
    "Value",
    "context_of",
    "editor_of",
    "inspector_of",
    "pack_parts",
    "packed_numbers",
    "register_adaptors",
    "transport_of",
    "unpack_parts",
    "unpacked_numbers",
]
