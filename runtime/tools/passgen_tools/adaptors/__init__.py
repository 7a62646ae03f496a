"""Adaptors: what tools need of an IR library beyond its context.

A transport carries operations to other processes; an inspector looks at operations for
the audit and the record; an editor changes operations for the reducer. There is one of
each for xDSL's and for MLIR's IR.
"""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen_tools.adaptors.editing import (
    Block as Block,
    Editor as Editor,
    Value as Value,
)
from passgen_tools.adaptors.encoded_ir import (
    pack_parts as pack_parts,
    packed_numbers as packed_numbers,
    unpack_parts as unpack_parts,
    unpacked_numbers as unpacked_numbers,
)
from passgen_tools.adaptors.inspection import Inspector as Inspector
from passgen_tools.adaptors.pattern_checks import (
    BY_REWRITER as BY_REWRITER,
    CHANGES_NOTHING as CHANGES_NOTHING,
    CHANGES_SOMETHING as CHANGES_SOMETHING,
    NO_USE_OF_ERASED as NO_USE_OF_ERASED,
    PATTERN_RULES as PATTERN_RULES,
    UNDOES_NOTHING as UNDOES_NOTHING,
    VALID_BETWEEN as VALID_BETWEEN,
    Finding as Finding,
    PatternChecks as PatternChecks,
)
from passgen_tools.adaptors.transport import Transport as Transport
