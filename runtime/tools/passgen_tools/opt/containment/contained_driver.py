"""The driver in a contained process, which notes its progress for the parent."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NoReturn, Protocol, runtime_checkable

from passgen_runtime.context import Context, Operation
from passgen_runtime.diagnostics import UNKNOWN_LOCATION, Diagnostic
from passgen_runtime.errors import IRError
from passgen_runtime.output_files import shown_path
from passgen_tools.opt.containment.contained_run import ContainedRun, Crash, Outcome
from passgen_tools.opt.driver import Driver
from passgen_tools.opt.driver_part import DriverInput, DriverRun
from passgen_tools.opt.options import DriverOptions
from passgen_tools.opt.parts.reproducers import ReproducersPart, write_reproducer
from passgen_tools.opt.pipeline import RequestedPipeline
from passgen_tools.opt.reports import ProcessEndError


@runtime_checkable
class _ReportsTokens(Protocol):
    """A context that reports the offset of each token of its lexer."""

    on_token: Callable[[int], object] | None


@dataclass
class ContainedDriver(Driver):
    """Continues after earlier contained processes, and reports their crashes."""

    contained: ContainedRun
    crash: Crash | None = field(default=None, init=False)
    """The crash of another process in the current part of the input."""

    def __post_init__(self) -> None:
        """Leave no trace if this repeats a part of the input: it has no parts then."""
        if self.contained.is_repetition:
            self.call = replace(self.call, parts=())
            output = DriverOptions.output, DriverOptions.report_file
            traces = dict.fromkeys((flag.name for flag in output), os.devnull)
            self.options = self.options.with_values(
                {**traces, DriverOptions.dump_pipeline.name: None}
            )

    def run(self) -> None:
        """Process the input; see `Driver.run`."""
        self.contained.watch_this_thread()
        super().run()

    def parse_pipeline(self, context: Context) -> RequestedPipeline:
        """Return the pipeline to run; the first process gives the warnings."""
        if self.contained.before.input is None:
            return super().parse_pipeline(context)
        with context.redirecting_diagnostics(lambda _: None):
            return super().parse_pipeline(context)

    def read_input(self) -> DriverInput:
        """Return the input, which may be readable only once."""
        if (known := self.contained.before.input) is not None:
            return known
        found = super().read_input()
        self.contained.note_input(found)
        return found

    def process(self, run: DriverRun) -> Outcome:
        """Return the outcome of `run`, which an earlier process may have noted."""
        known = self.contained.known_outcome(run.number)
        if known is None:
            self.crash = self.contained.begin_part(run.number)
            known = super().process(run)
            self.contained.note_outcome(known)
        return known

    def write_part(self, run: DriverRun, output: str) -> None:
        """Write the output of `run`, unless an earlier process has written it."""
        if self.contained.known_outcome(run.number) is None:
            super().write_part(run, output)

    def output_of(self, run: DriverRun) -> str:
        """Return the output of `run`, or report the crash that ended a process."""
        if self.crash is not None:
            self._report_crash(run, self.crash)
        return super().output_of(run)

    def parse(self, run: DriverRun) -> Operation:
        """Return the operation; note where the lexer stands meanwhile."""
        if not isinstance(run.context, _ReportsTokens):
            return super().parse(run)
        run.context.on_token = self.contained.note_offset
        try:
            return super().parse(run)
        finally:
            run.context.on_token = None
            self.contained.note_offset(None)

    def run_passes(self, run: DriverRun) -> None:
        """Run the passes; note which of them run."""
        self.contained.watch_passes(run.manager, run.context.location(run.operation))
        super().run_passes(run)

    def _report_crash(self, run: DriverRun, crash: Crash) -> NoReturn:
        """Report the end of another process.

        Raises:
            IRError: no pass had run.
            ProcessEndError: the pipeline ran.
        """
        if not crash.place:
            place = UNKNOWN_LOCATION
            if crash.offset is not None:
                place = _place_of(run, crash.offset)
            raise IRError(Diagnostic("error", str(crash), place))
        reproducers = run.part(ReproducersPart)
        path = None if reproducers is None else reproducers.crash_reproducer
        where = "" if path is None else f"reproducer generated at `{shown_path(path)}`"
        # A stream or device gets a reproducer only when a pass fails.
        if path == "-" or (path is not None and not Path(path).is_file()):
            reproducer = self.read_reproducer(run)
            run.operation = self.parse_and_verify(run)
            write_reproducer(path, self.make_manager(run, reproducer), run.operation)
        is_local = reproducers is not None and reproducers.local_reproducer
        run.context.handle(crash.diagnostic(where, is_local=is_local))
        raise ProcessEndError(str(crash))


def _place_of(run: DriverRun, offset: int) -> str:
    """Return the place of the token at `offset`, or behind blanks there."""
    text = run.text.removeprefix("\ufeff")
    begin = len(text) - len(text[offset:].lstrip())
    column = begin - text.rfind("\n", 0, begin)
    return f"{run.name}:{text.count(chr(10), 0, begin) + 1}:{column}"
