"""A line on the terminal that shows how far a long run is."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from passgen_tools.opt.driver_part import DriverPart, DriverRun
from passgen_tools.opt.platform import why_no_threads


class ProgressPart(DriverPart):
    """Shows the progress of a long run if standard error is a terminal."""

    @contextmanager
    def around_passes(self, run: DriverRun) -> Iterator[None]:
        """Keep a line on the terminal up to date."""
        stderr = sys.stderr
        if stderr is None or not stderr.isatty() or why_no_threads():
            yield
            return
        from passgen_tools.opt.progress import ProgressLine

        line = ProgressLine(stderr, run.context)
        run.manager.add_instrumentation(line)
        try:
            with line as around:
                sys.stderr = around
                yield
        finally:
            sys.stderr = stderr
