"""Mutation fuzzing of a program: each case runs in a process of its own, watched.

A fuzzer makes a case from a `Random`; the harness runs the program on it and reports

- a traceback, or a report of a bug in the program,
- an exit code that the program does not document, or a signal,
- more processor time or memory than the case may take,
- a control character that reaches the terminal.

Each kind of finding is written once, as a folder with the files of the case, `run.sh`,
which reproduces it, and `finding.txt`, which says what it is.

The process of the harness imports the program and forks for each case, so that a case
costs milliseconds. Therefore the program must start no thread when it is imported.
"""

from __future__ import annotations

import contextlib
import os
import re
import resource
import shlex
import shutil
import signal
import struct
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from mmap import mmap
from pathlib import Path
from random import Random
from typing import Any, Final, NoReturn

_MIB: Final = 1 << 20
_UNEXPECTED: Final = 99
"""The exit code of a child whose program raised."""

_TIMES_OF_BUDGET: Final = 20
"""A case is killed after this many times the processor time that it may take."""

_SIZE: Final = struct.Struct("q")

_BUG: Final = re.compile(r"^Traceback \(most recent|this is a bug in", re.MULTILINE)
_FRAME: Final = re.compile(r'^  File "(.+)", line (\d+)|note: at (.+)', re.MULTILINE)
_CONTROL: Final = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029]|\r(?!\n)"
)


@dataclass(frozen=True)
class Case:
    """A command line, and the files in the folder that it runs in."""

    arguments: tuple[str, ...]
    files: Mapping[str, bytes]

    @property
    def size_kib(self) -> float:
        """Return the length of all that the program reads."""
        texts = [*self.files.values(), *map(os.fsencode, self.arguments)]
        return sum(map(len, texts)) / 1024


@dataclass(frozen=True)
class Fuzzer:
    """A program, the cases for it, and what they may take."""

    name: str
    module: str
    """The module that `python -m` runs."""

    main: Callable[[Sequence[str]], int | None]
    """The program in `module`, which returns its exit code."""

    make: Callable[[Random], Case]
    exit_codes: frozenset[int] = frozenset({0, 1, 2})
    time_s: float = 1.0
    """The processor time that an empty case may take."""

    time_per_kib_s: float = 0.01
    memory_mib: int = 512
    """Beyond that of the process of the fuzzer, which has the program's modules."""

    check: Callable[[Case, Outcome], str] = field(default=lambda *_: "")
    """Returns what else is wrong with an outcome, if anything."""

    def budget_s(self, case: Case) -> float:
        """Return the processor time that `case` may take."""
        return self.time_s + self.time_per_kib_s * case.size_kib


@dataclass(frozen=True)
class Outcome:
    """How the program ended."""

    code: int
    """The exit code, or the signal as a negative number."""

    time_s: float
    """The processor time of the process and its children."""

    memory_mib: float
    stdout: str
    stderr: str
    is_killed: bool = False
    """Whether it did not end in time."""


@dataclass
class Figures:
    """What a run of a fuzzer has seen."""

    cases: int = 0
    codes: Counter[int] = field(default_factory=Counter)
    slowest: float = 0.0
    """The largest part of its budget that a case took."""

    slowest_s: float = 0.0
    largest_mib: float = 0.0
    findings: Counter[str] = field(default_factory=Counter)
    """By signature."""

    def __str__(self) -> str:
        """Return the figures in one line."""
        codes = ", ".join(f"{code}: {self.codes[code]}" for code in sorted(self.codes))
        return (
            f"{self.cases} cases, exit codes {{{codes}}}; the slowest took "
            f"{self.slowest_s:.2f} s, at most {self.slowest:.0%} of a budget was used, "
            f"at most {self.largest_mib:.0f} MiB; {len(self.findings)} findings"
        )


def explore(
    fuzzer: Fuzzer, time_s: float, seed: int, folder: Path, cases: int | None = None
) -> Figures:
    """Run `fuzzer`, and write each kind of finding once below `folder`.

    Args:
        fuzzer: the program and its cases.
        time_s: the time after which no case begins.
        seed: of the first case; each following case has the next seed.
        folder: the folder of the findings.
        cases: the number of cases after which the run ends earlier.
    """
    figures = Figures()
    end = time.monotonic() + time_s
    while time.monotonic() < end and figures.cases != cases:
        case = fuzzer.make(Random(seed + figures.cases))  # noqa: S311 - no secret
        outcome = run(fuzzer, case)
        wrong = mistake(fuzzer, case, outcome)
        if wrong.startswith("time") and not outcome.is_killed:  # the machine was busy?
            outcome = min(outcome, run(fuzzer, case), key=lambda each: each.time_s)
            wrong = mistake(fuzzer, case, outcome)
        figures.cases += 1
        figures.codes[outcome.code] += 1
        if outcome.time_s / fuzzer.budget_s(case) > figures.slowest:
            figures.slowest = outcome.time_s / fuzzer.budget_s(case)
            figures.slowest_s = outcome.time_s
        figures.largest_mib = max(figures.largest_mib, outcome.memory_mib)
        if wrong:
            if wrong not in figures.findings:
                place = folder / f"{fuzzer.name}-{seed + figures.cases - 1}"
                _save(place, fuzzer, case, outcome, wrong)
                print(f"{place}: {wrong}", flush=True)  # noqa: T201 - the report
            figures.findings[wrong] += 1
    return figures


def mistake(fuzzer: Fuzzer, case: Case, outcome: Outcome) -> str:
    """Return what is wrong with `outcome`, if anything, equal for equal mistakes."""
    said = outcome.stderr
    wrong = ""
    if outcome.is_killed:
        wrong = "time: it did not end"
    elif _BUG.search(said):
        frames = _FRAME.findall(said)
        place = " ".join(filter(None, frames[-1])) if frames else said[:200]
        wrong = f"traceback: {place}"
    elif outcome.code not in fuzzer.exit_codes:
        wrong = f"exit code: {outcome.code}"
    elif outcome.memory_mib > fuzzer.memory_mib:
        wrong = "memory: too much"
    elif outcome.time_s > fuzzer.budget_s(case):
        wrong = f"time: {' '.join(case.arguments[:1])}"
    elif control := _CONTROL.search(said):
        wrong = f"terminal: U+{ord(control[0]):04X} in standard error"
    return wrong or fuzzer.check(case, outcome)


def run(fuzzer: Fuzzer, case: Case) -> Outcome:
    """Run the program on `case` in a folder of its own."""
    folder = Path(tempfile.mkdtemp(prefix="passgen-fuzz-"))
    try:
        _write(folder, case)
        return _watched(fuzzer, case, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _watched(fuzzer: Fuzzer, case: Case, folder: Path) -> Outcome:
    limit_s = fuzzer.budget_s(case) * _TIMES_OF_BUDGET
    with (
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
        mmap(-1, _SIZE.size) as begun,
    ):
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if child == 0:
            # Less than its parent has: pages of files are not copied.
            _SIZE.pack_into(begun, 0, _sizes_bytes()[1])
            _become(fuzzer, case, folder, (out.fileno(), err.fileno()))
        status, usage, is_killed = _wait(child, limit_s)
        with contextlib.suppress(OSError):  # what the program left behind
            os.killpg(child, signal.SIGKILL)
        return Outcome(
            os.waitstatus_to_exitcode(status),
            usage.ru_utime + usage.ru_stime,
            max(0, usage.ru_maxrss * 1024 - _SIZE.unpack_from(begun)[0]) / _MIB,
            _content(out.fileno()),
            _content(err.fileno()),
            is_killed,
        )


def _sizes_bytes() -> tuple[int, int]:
    """Return how large the process is, and how much of that is in memory."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()
    size, resident, *_ = (int(each) * resource.getpagesize() for each in pages)
    return size, resident


def _wait(child: int, limit_s: float) -> tuple[int, resource.struct_rusage, bool]:
    end = time.monotonic() + limit_s
    pause_s = 0.001
    while time.monotonic() < end:
        done, status, usage = os.wait4(child, os.WNOHANG)
        if done:
            return status, usage, False
        time.sleep(pause_s)
        pause_s = min(pause_s * 1.2, 0.1)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    _, status, usage = os.wait4(child, 0)
    return status, usage, True


def _become(
    fuzzer: Fuzzer, case: Case, folder: Path, streams: tuple[int, int]
) -> NoReturn:
    """Run the program in this process, which is a child, and end it."""
    code: object = _UNEXPECTED
    try:
        os.setsid()
        os.chdir(folder)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(streams[0], 1)
        os.dup2(streams[1], 2)
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115 - a descriptor
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115 - as above
        limit = 4 * fuzzer.memory_mib * _MIB
        addresses = _sizes_bytes()[0] + limit
        resource.setrlimit(resource.RLIMIT_AS, (addresses, addresses))
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        code = fuzzer.main(case.arguments) or 0
    except SystemExit as stop:
        code = stop.code
    except BaseException:  # noqa: BLE001 - the harness reports it
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        os._exit(code if isinstance(code, int) else int(code is not None))


def _content(handle: int) -> str:
    os.lseek(handle, 0, os.SEEK_SET)
    with os.fdopen(os.dup(handle), "rb") as stream:
        return stream.read(16 * _MIB).decode(errors="replace")


def _write(folder: Path, case: Case) -> None:
    for name, data in case.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _save(
    folder: Path, fuzzer: Fuzzer, case: Case, outcome: Outcome, wrong: str
) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    _write(folder / "files", case)
    command = shlex.join(("python", "-m", fuzzer.module, *case.arguments))
    script = (
        f"# {wrong!r}\n# Run it in the environment of the fuzzer.\n"
        f'cd "$(dirname "$0")/files" && {command}\n'
    )
    (folder / "run.sh").write_text(script, errors="surrogateescape")
    (folder / "finding.txt").write_text(
        f"{wrong}\nexit code: {outcome.code}\nprocessor time: {outcome.time_s:.2f} s, "
        f"budget: {fuzzer.budget_s(case):.2f} s\nmemory: {outcome.memory_mib:.0f} MiB\n"
        f"standard error:\n{outcome.stderr[-20_000:]}",
        errors="backslashreplace",
    )


# Mutations of texts and of values.

_LENGTHS: Final = (1, 1, 2, 4, 16, 64)
_REPEATS: Final = (2, 3, 10, 100, 1000, 5000)
_MAX_BYTES: Final = 64 * 1024
_CHARACTERS: Final = (
    "\0", "\t", "\n", "\r", "\x1b[31m", "\x7f", "\x85", "\xa0", "\u200b", "\u2028",
    "\ufeff", "\ufffd", "\U0001f600", "\\", '"', "'", "`", "#", "%", "&", "*", "{",
    "}", "[", "]", "<", ">", "|", "-", "0", "9" * 30, "-1", "1.0", "1e999", "nan",
)  # fmt: skip


def mutated(
    random: Random, text: str, seeds: Sequence[str], words: Sequence[str]
) -> str:
    """Return `text` with some changes.

    Args:
        random: chooses them.
        text: a valid input.
        seeds: other valid inputs, of which parts are inserted.
        words: parts that mean something, which are inserted.
    """
    for _ in range(random.choice((1, 1, 2, 3, 5, 8))):
        start = random.randrange(len(text) + 1)
        end = min(len(text), start + random.choice(_LENGTHS))
        if random.random() < 0.3:  # whole lines
            start = text.rfind("\n", 0, start) + 1
            end = text.find("\n", end) + 1 or len(text)
        text = (
            text[:start]
            + _replacement(random, text[start:end], seeds, words)
            + (text[end:] if random.random() < 0.8 else text[start:])
        )
    return text


def _replacement(
    random: Random, part: str, seeds: Sequence[str], words: Sequence[str]
) -> str:
    kind = random.randrange(6)
    if kind == 0:
        return ""
    if kind == 1:
        return random.choice(_CHARACTERS)
    if kind == 2:
        return random.choice(words)
    if kind == 3:
        other = random.choice(seeds)
        start = random.randrange(len(other) + 1)
        return other[start : start + random.choice((8, 40, 200, 1000))]
    repeated = part if kind == 4 else random.choice((*words, *_CHARACTERS))
    return (repeated * random.choice(_REPEATS))[:_MAX_BYTES]


Value = object
"""What JSON holds: `None`, a `bool`, a number, a `str`, a `list` or a `dict`."""


def mutated_value(random: Random, value: Value, words: Sequence[str]) -> Value:
    """Return the JSON value `value`, changed in place, with some changes."""
    for _ in range(random.choice((1, 1, 2, 3, 5))):
        found = list(places(value))
        if not found:
            return random_value(random, words)
        around, key = random.choice(found)
        kind = random.randrange(4)
        if kind == 0:
            del around[key]
        elif kind == 1 and isinstance(around, dict):
            around[random.choice(words)] = around.pop(key)
        else:
            around[key] = random_value(random, words)
    return value


def places(value: Value) -> Iterator[tuple[Any, object]]:
    """Yield each list or mapping in `value`, with each index or key that it has."""
    inner: Iterator[tuple[object, Value]] = iter(())
    if isinstance(value, dict):
        inner = iter(value.items())
    elif isinstance(value, list):
        inner = enumerate(value)
    for key, each in inner:
        yield value, key
        yield from places(each)


def random_value(random: Random, words: Sequence[str], depth: int = 3) -> Value:
    """Return some JSON value."""
    kind = random.randrange(8 if depth else 6)
    if kind == 0:
        return random.choice((None, True, False))
    if kind == 1:
        return random.choice((0, -1, 1, 2**31, 2**63, 2**64, -(2**63), 10**400))
    if kind == 2:
        return random.choice((0.0, 1.0, 1.5, 1e308, float("inf"), float("nan")))
    if kind == 3:
        return random.choice(_CHARACTERS) * random.choice((1, 1, 10, 1000))
    if kind in {4, 5}:
        return random.choice(words)
    items = [
        random_value(random, words, depth - 1) for _ in range(random.choice((0, 1, 3)))
    ]
    return items if kind == 6 else {random.choice(words): each for each in items}
