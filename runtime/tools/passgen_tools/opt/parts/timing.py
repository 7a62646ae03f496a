"""`--mlir-timing`: the times of passes, and of parsing and printing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Literal

from passgen_tools.opt.command_line import Flag, choice, switch
from passgen_tools.opt.driver_part import DriverPart, DriverRun
from passgen_tools.opt.reports import ProcessEndError

if TYPE_CHECKING:
    from passgen_runtime.instrumentations.timing_manager import TimingManager


class TimingPart(DriverPart):
    """Reports how long each pass takes."""

    timing = switch("mlir-timing", "print execution times")
    timing_display: Flag[Literal["tree", "list"]] = choice(
        "mlir-timing-display",
        "how times are shown",
        choices=("tree", "list"),
        default="tree",
    )

    _timers: TimingManager | None = None

    @contextmanager
    def around_input(self, run: DriverRun) -> Iterator[None]:
        """Measure everything, and report it at the end."""
        if not self.timing:
            yield
            return
        from passgen_runtime.instrumentations.timing_manager import TimingManager

        self._timers = timers = TimingManager()
        run.timed = timers.nest
        has_run_here = True
        try:
            yield
        except ProcessEndError:
            has_run_here = False
            raise
        finally:
            if has_run_here:
                form = run.options.report_format
                run.report(timers.report(self.timing_display, form))

    def around_passes(self, run: DriverRun) -> AbstractContextManager[object]:
        """Measure each pass."""
        if self._timers is not None:
            from passgen_runtime.instrumentations.pass_timing import enable_timing

            enable_timing(run.manager, self._timers)
        return nullcontext()
