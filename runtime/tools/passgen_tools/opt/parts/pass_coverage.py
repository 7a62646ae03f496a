"""Counts of passes for the test that has started the driver."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from passgen_tools.opt.driver_part import DriverPart, DriverRun
from passgen_tools.python_programs import PASS_COVERAGE_FOLDER, PASS_MUTANT


class PassCoveragePart(DriverPart):
    """Counts what passes do if `pytest --pass-coverage` has started the driver."""

    def around_passes(self, run: DriverRun) -> AbstractContextManager[Any]:
        """Count, if the environment asks for it."""
        del run
        if PASS_MUTANT in os.environ:
            from passgen_tools.mutants import MutantName

            name = MutantName.of_environment()
            return nullcontext() if name is None else name.replacing()
        if not os.environ.get(PASS_COVERAGE_FOLDER):
            return nullcontext()
        from passgen_tools.coverage import counting_in_program

        return counting_in_program()
