"""Bisection: which pass, on which operation, made good IR bad, found in a record."""

from passgen_runtime.extensions.bisect.bisection import bisect
from passgen_runtime.extensions.bisect.cli import console_main, main
from passgen_runtime.extensions.bisect.culprit import Culprit, Part
from passgen_runtime.extensions.bisect.difference import Difference, first_difference
from passgen_runtime.extensions.bisect.growth import Growth, first_growth
from passgen_runtime.extensions.bisect.search import BisectError, FlakyCheckError

__all__ = [
    "BisectError",
    "Culprit",
    "Difference",
    "FlakyCheckError",
    "Growth",
    "Part",
    "bisect",
    "console_main",
    "first_difference",
    "first_growth",
    "main",
]
