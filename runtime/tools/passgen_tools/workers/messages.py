"""Replies of workers: plain data and operations.

The process that receives them rebuilds failures, diagnostics and statistics from the
plain data.
"""

from __future__ import annotations

import builtins
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pkgutil import resolve_name
from traceback import FrameSummary, extract_tb
from typing import Any, Final

from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.errors import IRError, PassError, PassFailure, text_of
from passgen_runtime.operation_pass import Pass, PassSequence
from passgen_runtime.pass_manager import OpPassManager, adopt_dynamic_statistics
from passgen_runtime.pass_statistics import statistics_of
from passgen_tools.adaptors import pack_parts, unpack_parts
from passgen_tools.workers.header import place_of

ENTRY: Final = "passgen_tools.workers:run_operations"
"""The function that workers call."""

DIAGNOSTIC: Final = -1
"""The source of an event that is a diagnostic; other sources are numbers of parts."""

DEBUG_TEXT: Final = -2
"""The source of an event that is text for standard error."""


@dataclass(slots=True)
class WorkerResult:
    """The result for one operation."""

    is_left_to_sender: bool = False
    """Whether the sender must run the pipeline: the operation cannot be decoded, or its
    result not be encoded."""

    has_changed: bool = False
    """Whether the operation has changed; only then it is sent back."""

    events: list[Any] = field(default_factory=list)
    """Pairs of a source and data, in order."""

    failure: dict[str, Any] | None = None
    statistics: list[Any] = field(default_factory=list)
    """Tuples of the number of a pass, an attribute, and its count."""

    dynamic: list[Any] = field(default_factory=list)
    """Tuples of the number of a pass, and the text, passes and counts of a dynamic
    pipeline."""

    matched: list[int] = field(default_factory=list)
    """The numbers of nested pipelines that have matched an operation."""

    work_s: float = 0.0

    @property
    def has_recursed_too_deeply(self) -> bool:
        """Whether a pass has failed because the stack of the worker was too small."""
        cause = None if self.failure is None else self.failure["cause"]
        return cause is not None and cause["name"] == "RecursionError"


@dataclass(slots=True)
class WorkerReply:
    """The results for a batch."""

    results: list[WorkerResult] = field(default_factory=list)
    refusal: str = ""
    """The reason why the worker ran nothing; empty if it ran."""

    ir: bytes = b""
    """The operations that have changed, in order."""

    def encode(self) -> bytes:
        """Return the reply as bytes."""
        results = [
            {
                name: value
                for name in WorkerResult.__dataclass_fields__
                if (value := getattr(result, name))
            }
            for result in self.results
        ]
        return pack_parts([json.dumps([self.refusal, results]).encode(), self.ir])

    @classmethod
    def decode(cls, data: bytes) -> WorkerReply:
        """Return the reply in `data`."""
        text, ir = unpack_parts(data, 2)
        refusal, results = json.loads(text)
        return cls([WorkerResult(**result) for result in results], refusal, ir)


def decode_diagnostic(plain: dict[str, Any]) -> Diagnostic:
    """Return the diagnostic from its plain data, which `asdict` returns."""
    return Diagnostic(
        plain["severity"],
        plain["message"],
        plain["location"],
        tuple(map(decode_diagnostic, plain["notes"])),
        tuple(plain["callers"]),
    )


def plain_failure(failure: PassFailure) -> dict[str, Any]:
    """Return `failure` as plain data."""
    cause = failure.__cause__
    return {
        "pass_name": failure.pass_name,
        "argument": failure.argument,
        "operation": failure.operation,
        "cause": None if cause is None else _plain_cause(cause),
        "notes": failure.notes,
    }


def _plain_cause(cause: BaseException) -> dict[str, Any]:
    frames = [
        (frame.filename, frame.lineno, frame.name)
        for frame in extract_tb(cause.__traceback__)
    ]
    plain: dict[str, Any] = {
        "name": type(cause).__name__,
        "text": text_of(cause),
        "ends_program": not isinstance(cause, Exception),
        "frames": frames,
    }
    if isinstance(cause, PassFailure):
        plain["failure"] = plain_failure(cause)
    elif isinstance(cause, IRError):
        plain["diagnostic"] = asdict(cause.diagnostic)
    elif isinstance(cause, SystemExit):
        plain["code"] = cause.code if isinstance(cause.code, int | None) else None
    plain["is_pass_error"] = isinstance(cause, PassError)
    return plain


def failure_of(plain: dict[str, Any], worker: str) -> PassFailure:
    """Return the failure of a `worker` from its plain data."""
    failure = PassFailure(
        pass_name=plain["pass_name"],
        argument=plain["argument"],
        operation=plain["operation"],
    )
    failure.notes = tuple(plain["notes"])
    if plain["cause"] is not None:
        failure.__cause__ = _cause_of(plain["cause"], worker)
    return failure


def _cause_of(plain: dict[str, Any], worker: str) -> BaseException:
    cause = _exception(plain, worker)
    cause.add_note(f"raised in worker {worker}")
    vars(cause)["frames_in_worker"] = [
        FrameSummary(file, line, name, lookup_line=False)
        for file, line, name in plain["frames"]
    ]
    return cause


def _exception(plain: dict[str, Any], worker: str) -> BaseException:
    """Return an exception with the name and the text of `plain`.

    It has the class of a built-in exception if one has that name, else a new class.
    """
    name, text = plain["name"], plain["text"]
    if "failure" in plain:
        return failure_of(plain["failure"], worker)
    if "diagnostic" in plain:
        return IRError(decode_diagnostic(plain["diagnostic"]))
    if name == "SystemExit":
        if plain["code"] is None:
            return SystemExit(text) if text else SystemExit()
        return SystemExit(plain["code"])
    known = getattr(builtins, name, None)
    if isinstance(known, type) and issubclass(known, BaseException):
        try:
            found = known(text)
        except TypeError:  # such as UnicodeDecodeError
            found = None
        if found is not None and str(found) == text:
            return found
    base: type[BaseException] = Exception
    if plain["is_pass_error"]:
        base = PassError
    elif plain["ends_program"]:
        base = BaseException
    made: BaseException = type(name, (base,), {"__str__": lambda _: text})(text)
    return made


def take_statistics(passes: Iterable[Pass]) -> list[Any]:
    """Return the counts of `passes`, and reset them."""
    found = []
    for number, pass_ in enumerate(passes):
        for name, counter in statistics_of(pass_).items():
            found.append((number, name, counter.take()))
    return found


def take_dynamic(passes: Iterable[Pass]) -> list[Any]:
    """Return the counts in dynamic pipelines of `passes`, and remove the pipelines."""
    found = []
    for number, pass_ in enumerate(passes):
        for text, sequence in pass_.dynamic_pipelines.items():
            inner = list(sequence.passes())
            counts = take_statistics(inner), take_dynamic(inner)
            found.append((number, text, _plain_element(sequence), *counts))
        pass_.dynamic_pipelines.clear()
    return found


def _plain_element(element: Pass | PassSequence[Pass]) -> list[Any]:
    if isinstance(element, PassSequence):
        return [element.anchor, list(map(_plain_element, element.elements))]
    return [place_of(type(element)), element.name]


class _UnknownPass(Pass):
    """A placeholder in reports for a pass whose class cannot be imported."""

    def run_on_operation(self) -> None:
        """Do nothing."""


def _sequence_of(plain: list[Any]) -> OpPassManager:
    anchor, elements = plain
    manager = OpPassManager(anchor)
    for element in elements:
        if isinstance(element[1], list):
            manager.elements.append(_sequence_of(element))
            continue
        place, name = element
        try:
            cls: type[Pass] = resolve_name(place)
        except (ImportError, AttributeError, ValueError):  # made at run time
            cls = _UnknownPass
        # Only its statistics are used; the arguments of `__init__` are unknown.
        pass_ = cls.__new__(cls)
        if pass_.name != name:
            vars(pass_)["name"] = name
        manager.elements.append(pass_)
    return manager


def count(passes: Sequence[Pass], statistics: Iterable[Any]) -> None:
    """Add counts of a worker to those of `passes`."""
    for number, name, value in statistics:
        getattr(passes[number], name).merge(value)


def count_dynamic(passes: Sequence[Pass], dynamic: Iterable[Any]) -> None:
    """Add counts of a worker's dynamic pipelines to those of `passes`."""
    for number, text, plain, statistics, inner in dynamic:
        manager = _sequence_of(plain)
        inside = list(manager.passes())
        count(inside, statistics)
        count_dynamic(inside, inner)
        adopt_dynamic_statistics(passes[number], text, manager)
