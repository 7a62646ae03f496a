"""The table of semantics."""

from __future__ import annotations

from typing import Final

from passgen_tools.verify.semantics import Semantics
from passgen_tools.verify.shipped_semantics.arithmetic import ARITHMETIC
from passgen_tools.verify.shipped_semantics.casts import CASTS
from passgen_tools.verify.shipped_semantics.comparisons import COMPARISONS
from passgen_tools.verify.shipped_semantics.constants import CONSTANTS
from passgen_tools.verify.shipped_semantics.divisions import DIVISIONS
from passgen_tools.verify.shipped_semantics.math_operations import MATH_OPERATIONS

SEMANTICS: Final[dict[str, Semantics]] = {
    **ARITHMETIC,
    **DIVISIONS,
    **COMPARISONS,
    **CASTS,
    **MATH_OPERATIONS,
    **CONSTANTS,
}
"""The semantics by the name of the operation."""
