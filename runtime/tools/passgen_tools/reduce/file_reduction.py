"""Reduction of a file, whose smallest result so far is kept on disk."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from passgen_runtime.context import Context, Operation
from passgen_runtime.diagnostics import print_text, standard_stream
from passgen_runtime.errors import IRError, PassError
from passgen_runtime.instrumentations.reproducer import Reproducer
from passgen_runtime.output_files import replace_file
from passgen_tools.reduce.checks import Checks
from passgen_tools.reduce.pipelines import PipelineReducer
from passgen_tools.reduce.reduction import IRReducer, NotInterestingError

_NUM_LINES_SHOWN: Final = 5
_CLEAR: Final = "\r\x1b[K"


@dataclass(frozen=True)
class FileForm:
    """The form in which IR and a pipeline are written to a file."""

    context: Context
    is_generic: bool
    reproducer: Reproducer | None
    """The settings of a file with a pipeline."""

    def text(self, root: Operation, pipeline: str) -> str:
        """Return the text of a file.

        Raises:
            IRError: the IR does not print.
        """
        text = self.context.print(root, generic=self.is_generic)
        if self.reproducer is None:
            return f"{text}\n"
        return replace(self.reproducer, pipeline=pipeline).append_to(text)


class FileReduction:
    """Makes IR smaller, and the pipeline that runs on it."""

    def __init__(
        self, root: Operation, form: FileForm, checks: Checks, output: Path
    ) -> None:
        """Reduce `root`, which is valid.

        Args:
            root: the IR.
            form: how it is written.
            checks: say what is interesting.
            output: file for the smallest result so far.

        Raises:
            PipelineError: the pipeline is wrong.
        """
        self._form = form
        self._checks = checks
        self._output = output
        self._started_s = time.monotonic()
        self._ir = IRReducer(root, form.context, self._find_first, self._save)
        self._pipeline: PipelineReducer | None = None
        if form.reproducer is not None:
            text, find_first = form.reproducer.pipeline, self._find_first_pipeline
            self._pipeline = PipelineReducer(text, find_first, self._save)
        self._input_size = self._size()
        stream = standard_stream("stderr")
        if stream is not None and stream.isatty():
            checks.on_check = self._show_progress
            checks.on_end = partial(print_text, _CLEAR)

    def check_input(self, text: str) -> None:
        """Check that the IR, which `text` spells, is interesting as it is printed here.

        Raises:
            NotInterestingError: it is not.
            PassError: the output cannot be written.
        """
        result = self._checks.check(self._text())
        if self._checks.is_interesting(result):
            self._save()
            return
        if self._checks.is_interesting(self._checks.check(text)):
            raise NotInterestingError(
                "CHECK finds the input interesting, but not the same IR as it is"
                " printed here; try --mlir-print-op-generic"
            )
        message = f"CHECK does not find the input interesting: {result}"
        lines = result.output.splitlines()[-_NUM_LINES_SHOWN:]
        raise NotInterestingError("\n".join((message, *lines)))

    def run(self) -> None:
        """Reduce pipeline and IR until neither gets smaller.

        Raises:
            NotInterestingError: CHECK refuses what it has accepted.
            PassError: the output cannot be written.
        """
        is_smaller = True
        while is_smaller:
            is_smaller = self._pipeline is not None and self._pipeline.run()
            is_smaller = self._ir.run() or is_smaller
        result = self._checks.check(self._text())
        if not self._checks.is_interesting(result):
            message = f"CHECK contradicts itself: it now refuses '{self._output}'"
            raise NotInterestingError(f"{message}, which it has accepted: {result}")

    def summary(self) -> str:
        """Return the sizes before and after, and the number of checks."""
        count = self._checks.num_checks
        sizes = f"{self._input_size} before, {self._size()} now"
        return f"{sizes}; {count} check" + "s" * (count != 1)

    def counts(self) -> dict[str, object]:
        """Return the figures of `summary`, for programs."""
        pipeline = self._pipeline
        return {
            "before": self._input_size,
            "after": self._size(),
            "numOperations": self._ir.num_operations,
            "numPasses": None if pipeline is None else pipeline.num_passes,
            "numChecks": self._checks.num_checks,
        }

    def _size(self) -> str:
        count = self._ir.num_operations
        size = f"{count} operation" + "s" * (count != 1)
        if self._pipeline is not None:
            count = self._pipeline.num_passes
            size += f" and {count} pass" + "es" * (count != 1)
        return size

    def _show_progress(self) -> None:
        took_s = time.monotonic() - self._started_s
        print_text(f"{_CLEAR}{took_s:.0f} s  {self.summary()}")

    def _find_first(self, candidates: Iterable[Operation | None]) -> int | None:
        pipeline = str(self._pipeline)
        texts = (self._text_of(candidate, pipeline) for candidate in candidates)
        return self._checks.find_first(texts)

    def _find_first_pipeline(self, pipelines: Iterable[str]) -> int | None:
        root = self._ir.root
        texts = (self._text_of(root, pipeline) for pipeline in pipelines)
        return self._checks.find_first(texts)

    def _text_of(self, candidate: Operation | None, pipeline: str) -> str | None:
        """Return the file of a candidate; `None` if it does not print."""
        try:
            return None if candidate is None else self._form.text(candidate, pipeline)
        except IRError:
            return None

    def _text(self) -> str:
        """Return the smallest file so far."""
        return self._form.text(self._ir.root, str(self._pipeline))

    def _save(self) -> None:
        try:
            replace_file(self._output, self._text())
        except OSError as error:
            message = f"cannot write '{self._output}': {error.strerror}"
            raise PassError(message) from error
