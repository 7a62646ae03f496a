"""`--start-from` and `--resume`: a run goes on from the IR of a record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from passgen_runtime.pass_manager import PassExecution
from passgen_runtime.pass_registry import PassRegistry
from passgen_tools.opt.command_line import source
from passgen_tools.opt.driver_part import DriverInput, DriverPart, DriverRun
from passgen_tools.opt.options import DriverOptions

if TYPE_CHECKING:
    from passgen_tools.record import RecordedSteps


class ResumingPart(DriverPart):
    """Goes on with a recorded run."""

    start_from = source(
        "start-from",
        "go on after STEP of a recorded run: a pass, PASS#2, or a number, 0 for its"
        " input",
        "RECORD:STEP",
        lambda value: value.rpartition(":")[0],
    )
    resume = source(
        "resume", "go on where a recorded run was killed or has failed", "RECORD"
    )

    def check(self, _passes: Callable[[], PassRegistry]) -> None:
        """Check that the record is the only input.

        Raises:
            UsageError: there is another one, or no step is named.
        """
        if self.start_from is not None and (
            ":" not in self.start_from or self.line.positional
        ):
            has_step = ":" in self.start_from
            found = "it has an input" if has_step else "expected RECORD:STEP"
            raise type(self).start_from.error(found, "the IR comes from the record")

    @cached_property
    def _start(self) -> tuple[RecordedSteps, int]:
        """The steps of the record, and the number of the one to start from."""
        from passgen_tools.record import RecordedSteps, RunRecord

        path, _, name = str(self.start_from).rpartition(":")
        steps = RecordedSteps(RunRecord(path))
        return steps, 0 if name == "0" else steps.find(name).number

    @property
    def _has_passes_of_record(self) -> bool:
        return DriverOptions(self.line).pipeline is None and not self.line.passes

    @property
    def start_after(self) -> str | None:
        """The pass of the record after which its pipeline goes on."""
        if self.start_from is None or not self._has_passes_of_record:
            return None
        steps, number = self._start
        return steps.steps[number - 1].name if number else None

    def input(self) -> DriverInput | None:
        """Return the IR of the record, with its passes if none are given.

        Raises:
            RecordError: the record does not have them.
        """
        if self.start_from is None:
            return None
        steps, number = self._start
        module = steps.text(steps.states_after(number))
        path, _, name = self.start_from.rpartition(":")
        file = f"{Path(path).name}-{name}.mlir"
        if not self._has_passes_of_record:
            return DriverInput(module, file)
        from passgen_runtime.instrumentations.reproducer import Reproducer

        # The record may come from others: a pipeline in the input is not trusted.
        options = DriverOptions(self.line)
        reproducer = Reproducer(
            steps.pipeline,
            disable_threading=bool(options.disable_threading),
            verify_each=bool(options.verify_each),
        )
        return DriverInput(reproducer.append_to(module), file, runs_reproducer=True)

    @contextmanager
    def around_passes(self, run: DriverRun) -> Iterator[None]:
        """Take the place of passes that have succeeded in the record.

        Raises:
            UsageError: the record is that of another run.
            RecordError: it cannot be read, or lacks IR.
        """
        if self.resume is None:
            yield
            return
        from passgen_tools.record import RecordedSteps, RunRecord

        steps = RecordedSteps(RunRecord(self.resume))
        steps.record.ir(steps.before_id)  # which names a resource that is missing
        self._check_equal(steps, run)
        module = steps.text(steps.latest_states())
        run.operation = run.context.parse(module, self.resume, implicit_module=False)
        run.manager.add_action_handler(_skip_done(steps, run))
        yield

    def _check_equal(self, steps: RecordedSteps, run: DriverRun) -> None:
        """Check that the run that begins is the recorded one.

        Raises:
            UsageError: it is not; the error says what differs.
        """
        from passgen_tools.record import ir_digest, versions

        before_id = steps.before_id
        digest = b"" if before_id is None else steps.record.ir_row(before_id).digest
        differences = {
            "the input": ir_digest(run.context, run.operation) != digest.hex(),
            "the pipeline": str(run.manager) != steps.pipeline,
            "the versions": versions(run.context) != steps.run.versions,
        }
        names = [name for name, differs in differences.items() if differs]
        if names:
            message = f"this is not the recorded run; different: {', '.join(names)}"
            raise type(self).resume.error(message)


def _skip_done(
    steps: RecordedSteps, run: DriverRun
) -> Callable[[PassExecution, Callable[[], bool]], None]:
    """Return an action handler that skips what has succeeded in the record."""
    from passgen_tools.record import OperationPaths

    paths = OperationPaths(run.context)
    done = {(execution.path, execution.operation) for execution in steps.succeeded}

    def skip_done(action: PassExecution, execute: Callable[[], bool]) -> None:
        if (action.path, paths.path_of(action.operation)) not in done:
            execute()

    return skip_done
