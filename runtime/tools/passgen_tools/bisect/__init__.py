"""Bisection of a run record: finds the pass and the operation that made good IR bad."""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen_tools.bisect.bisection import bisect as bisect
from passgen_tools.bisect.cli import console_main as console_main, main as main
from passgen_tools.bisect.culprit import Culprit as Culprit, Part as Part
from passgen_tools.bisect.difference import (
    Difference as Difference,
    first_difference as first_difference,
)
from passgen_tools.bisect.search import (
    BisectError as BisectError,
    FlakyCheckError as FlakyCheckError,
)
