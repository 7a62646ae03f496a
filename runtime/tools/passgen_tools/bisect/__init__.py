"""Bisection of a run record: finds the pass and the operation that made good IR bad."""

from passgen_tools.bisect.bisection import bisect
from passgen_tools.bisect.cli import console_main, main
from passgen_tools.bisect.culprit import Culprit, Part
from passgen_tools.bisect.difference import Difference, first_difference
from passgen_tools.bisect.search import BisectError, FlakyCheckError

__all__ = [
    "BisectError",
    "Culprit",
    "Difference",
    "FlakyCheckError",
    "Part",
    "bisect",
    "console_main",
    "first_difference",
    "main",
]
