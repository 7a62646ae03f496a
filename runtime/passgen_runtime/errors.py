"""The exceptions of the pass infrastructure, and their rendering with a caret.

All derive from `PassError`; wrong arguments of functions raise `TypeError` or
`ValueError`. Errors about the text of a pipeline have the span of the mistake.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable
from dataclasses import dataclass
from types import FunctionType
from typing import Self

from passgen_rules.pipeline_text import PipelineTextError
from passgen_rules.pipeline_text import Span as Span  # noqa: PLC0414 - re-exported
from passgen_runtime.diagnostics import Diagnostic, Severity, visible

PIPELINE_SOURCE = "pass-pipeline"
"""The file part of a place in a textual pipeline."""

OPTIONS_SOURCE = "pass-options"
"""The file part of a place in options that are given without a pass."""


MAX_SHOWN_ERRORS = 20
"""The number of mistakes shown of one pipeline; others are counted."""

_MAX_LINE = 160
"""A longer line of a pipeline is shown in part."""

_BEFORE_SPAN = 60
"""The number of characters shown of a long line before the span."""


class PassError(Exception):
    """Base of all errors of the pass infrastructure."""


class TextError(PassError):
    """An error about a text: IPython shows its message, which says the place."""

    def _render_traceback_(self) -> list[str]:
        return str(self).splitlines()


class PassOptionError(TextError):
    """The value or name of an option does not fit the declarations of its pass."""

    def __init__(self, message: str, notes: Iterable[str] = ()) -> None:
        """Keep `message`, and notes that help to fix the error."""
        self.message = message
        self.notes = tuple(notes)
        self.form_note = ""  # on how a value is written: not beside one with the value
        self.span: Span | None = None
        """The place of the wrong key or value in `text`, or in a pipeline."""

        self.text: str | None = None
        """The options as the user wrote them, if they are given without a pass."""

        super().__init__(message)

    def __str__(self) -> str:
        """Return the message, with its place if it has one, and the notes."""
        if self.text is not None and self.span is not None:
            place = OPTIONS_SOURCE, self.text, self.span
            return locate("error", self.message, *place, self.all_notes)
        lines = (self.message, *(f"note: {note}" for note in self.all_notes))
        return "\n".join(map(clip, lines))

    @property
    def all_notes(self) -> tuple[str, ...]:
        """The notes, with that on how a value is written."""
        return (*self.notes, self.form_note) if self.form_note else self.notes


class RegistrationError(PassError):
    """A registration contradicts another one, or is incomplete."""


class SchedulingError(PassError):
    """A pass or a pass manager cannot run where it was put."""

    @property
    def has_own_place(self) -> bool:
        """Whether the text says where the mistake is, which is in no pipeline."""
        return False

    def brief(self, pipeline: str) -> tuple[str, tuple[str, ...]]:
        """Return the problem of a registered `pipeline` in a line, and notes on it."""
        del pipeline
        return str(self), ()


class PassInUseError(SchedulingError):
    """A pass is to run in a pass manager while it runs in another one."""

    def __init__(self, name: str) -> None:
        """Say which pass it is."""
        super().__init__(
            f"pass '{name}' runs in another pass manager now: give one of them a "
            "clone() of it"
        )


class MissingImplementationError(PassError):
    """A pass is declared in a spec, and nothing implements it."""


class IRError(TextError):
    """IR text does not parse, or IR does not verify."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        """Keep the diagnostic."""
        self.diagnostic = diagnostic
        super().__init__(str(diagnostic))


class DialectError(PassError):
    """A dialect that a pass declares is not known to the context."""


@dataclass
class PipelineError(TextError):
    """A textual pipeline is wrong at a known place."""

    message: str
    text: str
    """The whole pipeline as the user wrote it."""

    span: Span
    notes: tuple[str, ...] = ()
    others: tuple[PipelineError, ...] = ()
    """Further errors in the same pipeline."""

    source: str = PIPELINE_SOURCE
    """The file part of locations in `text`."""

    is_elsewhere: bool = False
    """Whether the message says where the mistake is, which is in no pipeline."""

    @classmethod
    def of_text(cls, error: PipelineTextError) -> Self:
        """Return the error about a text that does not follow the grammar."""
        return cls(error.message, error.text, error.span, error.notes)

    def __str__(self) -> str:
        """Return place, message, the line with a caret, and notes; of all errors."""
        place = self.source, self.text, self.span
        own = self.message
        if not self.is_elsewhere:
            own = locate("error", self.message, *place, self.notes)
        shown = self.others[: MAX_SHOWN_ERRORS - 1]
        more = len(self.others) - len(shown)
        rest = (f"error: and {more} more",) if more else ()
        return "\n".join((own, *map(str, shown), *rest))


class UntrustedPassError(PipelineError):
    """A pass reaches beyond the IR, and the pipeline is not trusted with that."""


def locate(  # noqa: PLR0913, PLR0917 - the parts of one diagnostic, in print order
    severity: Severity,
    message: str,
    source: str,
    text: str,
    span: Span,
    notes: Iterable[str] = (),
) -> str:
    """Return place, message, the line of `text` with a caret under `span`, and notes.

    Only the first line of a longer span is underlined, a long line is shown in part,
    and control characters are shown as escapes.
    """
    start = min(span.start, len(text))
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", start)
    line = text[line_start : line_end if line_end >= 0 else None]
    line_number = text.count("\n", 0, start) + 1
    column = start - line_start
    first, last = 0, len(line)
    if len(line) > _MAX_LINE:
        first = max(0, min(column - _BEFORE_SPAN, len(line) - _MAX_LINE))
        last = first + _MAX_LINE
    cut_before, cut_after = "..." * (first > 0), "..." * (last < len(line))
    end = min(last, max(span.end - line_start, column))
    before = cut_before + visible(line[first:column])
    marked = visible(line[column:end])
    shown = visible(clip(message))
    margin = "".join("\t" if char == "\t" else " " for char in before)
    return "\n".join(
        (
            f"{source}:{line_number}:{column + 1}: {severity}: {shown}",
            before + marked + visible(line[end:last]) + cut_after,
            margin + "^" + "~" * (len(marked) - 1),
            *(f"note: {visible(clip(note))}" for note in notes),
        )
    )


def clip(text: str) -> str:
    """Return a message with long words, such as names of users, shortened."""
    text = _LONG_WORD.sub(lambda word: f"{word[1]}...{word[2]}", text)
    if len(text) > _MAX_MESSAGE:
        return f"{text[:_MESSAGE_BEGIN]}...{text[-_MESSAGE_END:]}"
    return text


_LONG_WORD = re.compile(r"(\S{80})\S{60,}(\S{20})")
_MAX_MESSAGE = 2000
_MESSAGE_BEGIN = 1500
_MESSAGE_END = 400


class PassFailure(PassError):  # noqa: N818 - MLIR's name: a pass signals failure
    """A pipeline stopped: a pass signalled failure, raised, or left invalid IR.

    `__cause__` is the exception of the pass, if it raised one.
    """

    def __init__(self, *, pass_name: str, argument: str, operation: str) -> None:
        """Keep the pass, and the operation: its name, symbol and location."""
        self.pass_name = pass_name
        """Empty if no pass ran because the operation was refused."""

        self.argument = argument
        self.operation = operation
        self.pipeline = ""
        """The pipeline of the run; empty until the run ends."""

        self.diagnostics: tuple[Diagnostic, ...] = ()
        """All diagnostics of the run, which went to the context's handler too."""

        self.notes: tuple[str, ...] = ()
        """The notes on the exception of the pass that are `ShownNote`s."""

        super().__init__()

    @property
    def exit(self) -> BaseException | None:
        """The exception of the pass if it ends the program, such as SystemExit."""
        cause = self.__cause__
        return None if isinstance(cause, Exception) else cause

    def in_pipeline(
        self, pipeline: str, diagnostics: Iterable[Diagnostic]
    ) -> PassFailure:
        """Return the same failure as one of a run of `pipeline`."""
        failure = copy.copy(self)
        failure.pipeline = pipeline
        failure.diagnostics = tuple(diagnostics)
        failure.__cause__ = self.__cause__
        return failure

    def __reduce__(self) -> tuple[object, ...]:
        """Return the parts of the failure, for `pickle`."""
        return PassFailure.__new__, (PassFailure,), vars(self)

    def __repr__(self) -> str:
        """Return the first line of `summary` in brackets."""
        return f"<PassFailure {self.summary.partition(chr(10))[0]}>"

    def __str__(self) -> str:
        """Return `summary` and the first diagnostics, errors before others."""
        ordered = sorted(self.diagnostics, key=lambda found: found.severity != "error")
        shown = [clip(str(diagnostic)) for diagnostic in ordered[:MAX_SHOWN_ERRORS]]
        more = len(ordered) - len(shown)
        rest = (f"note: and {more} more diagnostics",) if more else ()
        return "\n".join((self.summary, *shown, *rest))

    @property
    def summary(self) -> str:
        """The reason of the failure, the pass, the operation and the pipeline."""
        subject = f"pass '{self.argument or self.pass_name}'"
        if not self.pass_name:
            subject = "the pipeline"
        lines = [f"{subject} failed on {self.operation}"]
        cause = self.__cause__
        if isinstance(cause, PassError) and not isinstance(cause, IRError):
            # The message of the error says more than the name of the pass.
            text = cause.summary if isinstance(cause, PassFailure) else str(cause)
            lines = [text, f"note: {lines[0]}"]
        elif cause is not None and not isinstance(cause, IRError):
            notes = _stale_module_note(cause)
            text = str(cause) if notes else text_of(cause)  # no other name is meant
            lines.append(f"note: it raised {type(cause).__name__}: {text}")
            lines += (f"note: {note}" for note in notes)
        lines += (f"note: {note}" for note in self.notes)
        return "\n".join((*lines, f"note: in the pipeline {self.pipeline}"))


class ShownNote(str):
    """A note on the exception of a pass that the message of the failure shows.

    Libraries add notes as well: xDSL adds one with the whole module.
    """

    __slots__ = ()


def text_of(error: BaseException) -> str:
    """Return the text of an exception, as a traceback shows it."""
    from passgen_runtime.suggestions import suggestion_of  # noqa: PLC0415 - as below

    try:
        text = str(error)
        return f"{text}{suggestion_of(error, text)}"
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - it may raise anything
        return "<exception str() failed>"


def _stale_module_note(error: BaseException) -> tuple[str, ...]:
    """Return a note that a spec declares the attribute that a class lacks, if so."""
    if not isinstance(error, AttributeError) or error.name is None:
        return ()
    from passgen_runtime.stale_modules import stale_module_note  # noqa: PLC0415 - rare

    cls = error.obj if isinstance(error.obj, type) else type(error.obj)
    return stale_module_note(cls, error.name)


def wrong_argument(what: str, given: object, expected: str, *notes: str) -> TypeError:
    """Return the error that `what` must be `expected`, with `notes` below it."""
    message = f"{what}: expected {expected}, found {_describe(given)}"
    return TypeError("\n".join((message, *(f"note: {note}" for note in notes))))


def _describe(value: object) -> str:
    """Return the description of an argument: its value if it is a built-in one."""
    if isinstance(value, type):
        return f"the class {value.__qualname__}"
    if isinstance(value, FunctionType):
        return f"the function {value.__qualname__}"
    kind = type(value)
    if kind.__module__ == "builtins":
        return clip(repr(value))
    return f"an object of {kind.__module__}.{kind.__qualname__}"


def nearest_note(name: str, candidates: Iterable[str]) -> tuple[str, ...]:
    """Return a note that names the candidate meant by a mistyped `name`, or nothing."""
    # No part of `import passgen_runtime`: it takes long to import.
    from passgen_rules.suggestions import nearest_name  # noqa: PLC0415

    nearest = nearest_name(name, candidates)
    return () if nearest is None else (f"did you mean '{nearest}'?",)
