"""Runs of the examples of specs: a driver in this process, and what came out."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from passgen_runtime.context import Context, Operation
from passgen_runtime.errors import PassError
from passgen_runtime.printing_flags import PrintingFlags
from passgen_tools.opt import DriverRun
from passgen_tools.testing.assertions import ir_difference, nameless_text
from passgen_tools.testing.check_lines import with_checks
from passgen_tools.testing.commands import Command
from passgen_tools.testing.execution import Check, call_program, messages_of_check
from passgen_tools.testing.lit_test import RunLine
from passgen_tools.testing.spec_examples import SpecExample

_PREFIX: Final = "CHECK"
_MODULE: Final = re.compile(r"(builtin\.)?module \{", re.MULTILINE)
_COMMENT: Final = re.compile(r"\s*(//.*|[#!][\w.$-]+ = .*)?")


@dataclass(frozen=True, slots=True)
class ExampleDriver:
    """The driver that runs the examples of a spec."""

    place: str
    """Its function, `module:function`."""

    words: Sequence[str]
    """Its name and its flags."""

    chooses_library: bool
    """Whether it runs on IR of any library, and has to know that of the group."""

    def command(self, example: SpecExample) -> Command:
        """Return the command that runs an example."""
        words = [*self.words, f"--pass-pipeline={example.pipeline}"]
        library = example.ir or (example.group_ir if self.chooses_library else "")
        return Command([*words, f"--ir={library}"] if library else words)


@dataclass(slots=True)
class ExampleRun:
    """A run of an example."""

    example: SpecExample
    failure: str = ""
    """Why the result is not that of the spec; empty if it is."""

    result: str = ""
    """What the spec should say instead; empty if nothing can be said."""


def run_example(example: SpecExample, driver: ExampleDriver) -> ExampleRun:
    """Run an example; compare what comes out with what the spec says."""
    runs: list[DriverRun] = []

    @contextmanager
    def keep(run: DriverRun) -> Iterator[None]:
        runs.append(run)
        yield

    def call() -> tuple[int, bytes, bytes]:
        DriverRun.watch.set(keep)
        return call_program(driver.place, driver.command(example), given)

    given = f"{example.input}\n".encode()
    code, printed, errors = copy_context().run(call)
    text = errors.decode(errors="replace")
    if code or not runs:
        return ExampleRun(example, f"{example.place} the example fails:\n{text}")
    if example.check:
        return _checked(example, text + printed.decode(errors="replace"))
    return _compared(example, runs[-1].context, runs[-1].operation)


def _checked(example: SpecExample, printed: str) -> ExampleRun:
    with tempfile.TemporaryDirectory(prefix="example-") as name:
        path = Path(name, "example")
        path.write_text(f"{example.check}\n", "utf-8")
        check = Check(RunLine(path, 1, ""))
        words = Command(["filecheck", str(path)])
        code, _, errors = call_program(check, words, printed.encode())
        if not code:
            return ExampleRun(example)

        def in_spec(match: re.Match[str]) -> str:
            return f"{example.file}:{example.result_line + int(match[1])}"

        place = re.compile(rf"{re.escape(str(path))}:(\d+)")
        message = place.sub(in_spec, messages_of_check(errors)).rstrip("\n")
        failure = f"{example.place} the example prints something else:\n{message}"
        result = with_checks(example.check, _PREFIX, printed).strip("\n")
        return ExampleRun(example, f"{failure}\n{check.excerpt()}", result)


def _compared(
    example: SpecExample, context: Context, operation: Operation
) -> ExampleRun:
    has_locations = "loc(" in example.output
    nameless = partial(nameless_text, context, debug_info=has_locations)
    print_ = partial(context.print, flags=PrintingFlags(debug_info=has_locations))
    result = _shown(print_(operation), example.input)
    again = f"{example.place} the IR after the pass is not read back as it was"
    try:
        is_read_back = nameless(context.parse(result)) == nameless(operation)
    except PassError as error:
        return ExampleRun(example, f"{again}: {error}")
    if not is_read_back:
        return ExampleRun(example, again)
    try:
        wanted = context.parse(example.output, "output")
        context.verify(wanted)
    except PassError as error:
        message = f"{example.place} the output is no valid IR: {error}"
        return ExampleRun(example, message, result)
    if nameless(wanted) == nameless(operation):
        return ExampleRun(example)
    difference = ir_difference(print_(wanted), print_(operation))
    message = f"{example.place} the IR after the pass differs:\n{difference}"
    return ExampleRun(example, message, result)


def _shown(text: str, given: str) -> str:
    """Return the text of a module without the module, if the input has none."""
    first = next(line for line in given.splitlines() if not _COMMENT.fullmatch(line))
    begin = _MODULE.search(text)
    is_bare = begin is not None and text.rstrip().endswith("\n}")
    if begin is None or not is_bare or first.lstrip().startswith(_MODULES):
        return text.strip("\n")
    inside = text[begin.end() :].rstrip().removesuffix("}").strip("\n")
    lines = [line.removeprefix("  ") for line in inside.split("\n")]
    return f"{text[: begin.start()]}{chr(10).join(lines)}"


_MODULES: Final = ("module", "builtin.module", '"builtin.module"')
