"""`--verify-diagnostics`: diagnostics compared with those that the input expects.

Implements `SourceMgrDiagnosticVerifierHandler` of mlir/lib/IR/Diagnostics.cpp. The
input names what it expects in comments, each on a line of its own or behind code:

    // expected-error@+1 {{requires attribute}}
    // expected-remark@below {{seen}}
    // expected-note@above {{defined here}}
    // expected-warning-re@unknown {{took {{[0-9]+}} steps}}
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from passgen_runtime.diagnostics import UNKNOWN_LOCATION, Diagnostic, print_diagnostic
from passgen_runtime.errors import OPTIONS_SOURCE, PIPELINE_SOURCE, IRError, PassError
from passgen_runtime.pass_registry import COMMAND_LINE_SOURCE
from passgen_tools.opt.command_line import Flag, choice
from passgen_tools.opt.driver_part import DriverPart, DriverRun
from passgen_tools.opt.files import FailedRunError
from passgen_tools.opt.reports import MessageStyle, SourceLines, write_messages

_EXPECTED = re.compile(
    r"expected-(?P<kind>error|note|remark|warning)(?P<regex>-re)? *"
    r"(?:@(?P<place>[+-][0-9]+|above|below|unknown))? *\{\{(?P<text>.*)\}\}\s*$"
)
_REGEX = re.compile(r"\{\{(.*?)\}\}")
_PIPELINE_SOURCES = (PIPELINE_SOURCE, OPTIONS_SOURCE, COMMAND_LINE_SOURCE)


VerifyLevel = Literal["all", "only-expected"]


class VerifyDiagnosticsPart(DriverPart):
    """Compares diagnostics with the comments of the input, instead of printing them."""

    verify_diagnostics: Flag[VerifyLevel | None] = choice(
        "verify-diagnostics",
        "compare diagnostics with the expected-* comments of the input",
        choices=("all", "only-expected"),
        value="optional",
    )

    @contextmanager
    def around_input(self, run: DriverRun) -> Iterator[None]:
        """Print the differences; errors of the run are diagnostics like others.

        Raises:
            FailedRunError: there are differences.
        """
        if self.verify_diagnostics is None:
            yield
            return
        verifier = DiagnosticVerifier(run.text, run.name, self.verify_diagnostics)
        run.context.diagnostic_handler = verifier.handle
        run.context.prints_operation_on_diagnostic = False  # as in MLIR
        try:
            yield
        except IRError as error:
            run.context.handle(error.diagnostic)
        except PassError:
            pass  # its diagnostics were compared
        if errors := verifier.errors():
            write_messages(
                "".join(f"{error}\n" for error in errors), MessageStyle.of(run.options)
            )
            raise FailedRunError


@dataclass(slots=True)
class _Expectation:
    kind: str
    line: int
    """0: at an unknown place."""

    text: str
    pattern: re.Pattern[str]
    written_at: str
    was_met: bool = False


class DiagnosticVerifier:
    """Compares diagnostics with what a text expects."""

    def __init__(self, text: str, name: str, level: VerifyLevel) -> None:
        """Read the expectations of `text`, the input called `name`."""
        self._name = name
        self._level = level
        self._source = SourceLines(text, name)
        self._errors: list[str] = []
        self._expectations = self._read(text)

    def handle(self, diagnostic: Diagnostic) -> None:
        """Compare a diagnostic and its notes: the handler for a context.

        Those about the pipeline are printed: no comment in the IR can expect them.
        """
        if diagnostic.location.partition(":")[0] in _PIPELINE_SOURCES:
            print_diagnostic(diagnostic)
            return
        self._compare(diagnostic)
        for note in diagnostic.notes:
            self.handle(note)

    def errors(self) -> list[str]:
        """Return the differences, in the order in which they were found."""
        for expectation in self._expectations:
            if not expectation.was_met:
                kind, text = expectation.kind, expectation.text
                message = f'expected {kind} "{text}" was not produced'
                self._add(expectation.written_at, message, len(text))
        return self._errors

    def _add(self, location: str, message: str, length: int = 1) -> None:
        error = str(Diagnostic("error", message, location))
        self._errors.append("\n".join((error, *self._source.excerpt(location, length))))

    def _compare(self, diagnostic: Diagnostic) -> None:
        line, _ = self._source.position(diagnostic.location)
        severity, text = diagnostic.severity, diagnostic.message
        near_miss: _Expectation | None = None
        for expectation in self._expectations:
            is_near = expectation.pattern.search(text) is not None
            if expectation.line != line or not is_near:
                continue
            if expectation.kind == severity:
                expectation.was_met = True
                return
            near_miss = near_miss or expectation
        if self._level == "only-expected":
            return
        if near_miss is not None:
            message = (
                f"'{severity}' diagnostic emitted when expecting a '{near_miss.kind}'"
            )
            self._add(near_miss.written_at, message)
        else:
            self._add(diagnostic.location, f"unexpected {severity}: {text}")

    def _read(self, text: str) -> list[_Expectation]:
        """Return the expectations of `text`; a malformed pattern is an error."""
        found: list[_Expectation] = []
        below: list[_Expectation] = []
        # A part of a split input has empty lines before it, as many as it is below.
        lines = text.lstrip("\n")
        last_plain = len(text) - len(lines)
        for number, line in enumerate(lines.split("\n"), last_plain + 1):
            match = _EXPECTED.search(line)
            if match is None:
                for waiting in below:
                    waiting.line = number
                below.clear()
                last_plain = number
                continue
            place = match["place"] or "+0"
            at = f"{self._name}:{number}:{match.start() + 1}"
            is_regex = bool(match["regex"])
            if is_regex and "{{" in _REGEX.sub("", match["text"]):
                message = "found start of regex with no end '}}'"
                self._add(at, message, len(match["text"]))
                continue
            try:
                pattern = re.compile(_pattern(match["text"], is_regex=is_regex))
            except re.error:
                message = f"'{match['text']}' is no regular expression"
                self._add(at, message, len(match["text"]))
                continue
            expectation = _Expectation(match["kind"], 0, match["text"], pattern, at)
            found.append(expectation)
            if place == "below":
                below.append(expectation)
            elif place == "above":
                expectation.line = last_plain
            elif place == "unknown":
                expectation.written_at = UNKNOWN_LOCATION
            else:
                expectation.line = number + int(place)
        return found


def _pattern(text: str, *, is_regex: bool) -> str:
    """Return the regular expression for `text`, which may hold {{...}} if a regex."""
    if not is_regex:
        return re.escape(text)
    parts = _REGEX.split(text)
    return "".join(
        f"(?:{part})" if index % 2 else re.escape(part)
        for index, part in enumerate(parts)
    )
