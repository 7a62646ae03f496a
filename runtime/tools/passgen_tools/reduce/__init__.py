"""Reduction: IR and pipelines made as small as they are still interesting."""

from passgen_tools.reduce.cli import console_main, main
from passgen_tools.reduce.reduction import NotInterestingError, reduce

__all__ = ["NotInterestingError", "console_main", "main", "reduce"]
