"""Parts of a driver: flags, their check, and blocks around what the driver does.

A dialect author's own driver may have more of them than `passgen-opt`:

    class CountingPart(DriverPart):
        counts = switch("count-passes", "print how often each pass has run")

        def around_passes(self, run: DriverRun) -> AbstractContextManager[object]:
            ...

    console_main(parts=(*DEFAULT_PARTS, CountingPart))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

from passgen_runtime.context import Context, Operation
from passgen_runtime.diagnostics import print_text
from passgen_runtime.pass_manager import PassManager, Runner
from passgen_runtime.pass_registry import PassRegistry
from passgen_tools.opt.command_line import Flag, Flags
from passgen_tools.opt.files import GrowingFile, OptError
from passgen_tools.opt.options import DriverOptions

PartT = TypeVar("PartT", bound="DriverPart")


@dataclass(frozen=True)
class DriverCall:
    """One call of the driver."""

    parts: tuple[DriverPart, ...]
    is_program: bool
    """Whether the process does nothing but run the driver: then it may be forked."""

    def part(self, kind: type[PartT]) -> PartT | None:
        """Return the part of a kind, if the driver has one."""
        return next((part for part in self.parts if isinstance(part, kind)), None)


@dataclass(frozen=True)
class DriverInput:
    """The input of a driver."""

    text: str
    name: str
    """The file name for diagnostics."""

    runs_reproducer: bool = False
    """Whether a reproducer in it is run, as by `--run-reproducer`."""


@dataclass
class DriverRun:
    """The run of the driver on one part of its input, which is a file of its own."""

    watch: ClassVar[ContextVar[Any]] = ContextVar("watch", default=nullcontext)
    """Makes a block around the passes of all drivers, for tests that watch them."""

    options: DriverOptions
    call: DriverCall
    text: str
    """Empty lines stand for the parts before this one, which keeps line numbers."""

    name: str
    """The file name for diagnostics."""

    number: int
    """The index of this part of the input."""

    context: Context
    unwritten: list[OptError]
    """Errors of writing reports; raised when all output is written."""

    operation: Operation = None
    """The IR, once it is parsed."""

    manager: PassManager = field(init=False)
    """Set before the IR is parsed: blocks around the input begin without it."""

    runner: Runner | None = None
    """The runner of nested pipelines, if a part sets one; else the manager's."""

    timed: Callable[[str], AbstractContextManager[object]] = lambda _: nullcontext()
    """Makes a block whose time is reported under a name."""

    def part(self, kind: type[PartT]) -> PartT | None:
        """Return the part of a kind, if the driver has one."""
        return self.call.part(kind)

    def report(self, text: str) -> None:
        """Write `text` to standard error, or to the file for reports."""
        path = self.options.report_file
        if path is None or path == "-":
            print_text(text)
        else:
            GrowingFile(path, self.unwritten).write(text)


class DriverPart(Flags):
    """A part of a driver; a subclass declares its flags and overrides what it needs.

    The blocks of the parts stand inside one another, those of the first part outermost.
    Exceptions pass through them; if a block suppresses one, the input succeeds without
    output. If passes run in a process of their own, the block of `around_call` is in
    the process that was started, and the rest in the other one: objects do not come
    back.
    """

    def check(self, passes: Callable[[], PassRegistry]) -> None:
        """Check the values of the flags, before the input is read.

        Args:
            passes: returns the passes that the driver offers; importing them takes
                time.

        Raises:
            UsageError: they contradict one another.
        """

    def emptied_files(self) -> Sequence[str]:
        """Return the files that are written piece by piece, or left by earlier calls.

        They are emptied once the command line is checked and the input is read.
        """
        return ()

    def input(self) -> DriverInput | None:
        """Return the input if the part brings one, in place of a file.

        Raises:
            OptError: it cannot be read.
        """
        return None

    def around_call(self, call: DriverCall) -> AbstractContextManager[Any]:
        """Return a block around everything that the driver does.

        The block may return a `DriverRunner`, which then runs the driver.
        """
        del call
        return nullcontext()

    def around_input(self, run: DriverRun) -> AbstractContextManager[Any]:
        """Return a block around the work on a part of the input.

        There is no operation and no manager yet; the errors of the run pass through
        the block before they are reported.
        """
        del run
        return nullcontext()

    def around_passes(self, run: DriverRun) -> AbstractContextManager[Any]:
        """Return a block around the passes: the IR is parsed, and not printed yet."""
        del run
        return nullcontext()


def flags_of(parts: Sequence[type[DriverPart]]) -> list[Flag[Any]]:
    """Return the flags of a driver that has `parts`.

    Raises:
        ValueError: two of them have one name.
    """
    found: dict[str, Flag[Any]] = {}
    declaring: tuple[type[Flags], ...] = (DriverOptions, *parts)
    flags = [flag for part in declaring for flag in part.declarations()]
    for flag in flags:
        for name in (flag.name, *flag.aliases):
            if name in found:
                raise ValueError(f"two parts of the driver have the flag --{name}")
            found[name] = flag
    return flags
