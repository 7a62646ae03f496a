"""Differences of IR as people read them: hunks of the lines that changed."""

from passgen_tools.ir_diff.alignment import align_by_least_edits
from passgen_tools.ir_diff.hunks import colored_ir_diff, ir_diff
from passgen_tools.ir_diff.resources import resources_not_shown
from passgen_tools.ir_diff.subsequences import longest_increasing

__all__ = [
    "align_by_least_edits",
    "colored_ir_diff",
    "ir_diff",
    "longest_increasing",
    "resources_not_shown",
]
