"""The fuzzers' harness reports every kind of mistake that a program can make."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from random import Random

import pytest

from tests.fuzz.__main__ import FUZZERS
from tests.fuzz.harness import Case, Fuzzer, explore

pytestmark = pytest.mark.process


def make(_: Random) -> Case:
    return Case(("x.txt",), {"x.txt": b"a"})


def planted(main: Callable[[Sequence[str]], int | None], time_s: float = 0.1) -> Fuzzer:
    return Fuzzer("planted", "tests.planted", main, make, time_s=time_s, memory_mib=300)


def raises(_: Sequence[str]) -> int:
    raise ValueError


def reports_a_bug(_: Sequence[str]) -> int:
    sys.stderr.write("error: no\nnote: this is a bug in x\nnote: at a.py:1 > b.py:2\n")
    return 70


def exits_oddly(_: Sequence[str]) -> int:
    return 3


def exits_with_a_message(_: Sequence[str]) -> int:
    raise SystemExit("no")


def burns_time(_: Sequence[str]) -> int:
    while time.process_time() < 1e6:
        pass
    return 0


def sleeps(_: Sequence[str]) -> int:
    time.sleep(1000)
    return 0


def takes_memory(_: Sequence[str]) -> int:
    return len(b"x" * (400 << 20)) * 0


def colors(_: Sequence[str]) -> int:
    sys.stderr.write("\x1b[31mred\n")
    return 1


def is_fine(arguments: Sequence[str]) -> int:
    return 1 - len(Path(arguments[0]).read_text())


@pytest.mark.parametrize(
    ("main", "found"),
    [
        (raises, "traceback: "),
        (reports_a_bug, "traceback: a.py:1 > b.py:2"),
        (exits_oddly, "exit code: 3"),
        (burns_time, "time: it did not end"),
        (sleeps, "time: it did not end"),
        (takes_memory, "memory: too much"),
        (colors, "terminal: U+001B in standard error"),
    ],
)
def test_a_mistake_is_found_once_and_written_to_a_folder(
    main: Callable[[Sequence[str]], int],
    found: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    time_s = 0.02 if found.startswith("time") else 0.1
    figures = explore(planted(main, time_s), 100, 7, tmp_path, cases=2)

    (signature,) = figures.findings
    assert signature.startswith(found)
    assert figures.findings[signature] == 2
    assert f"planted-7: {signature}" in capsys.readouterr().out
    (finding,) = tmp_path.iterdir()
    assert (finding / "finding.txt").read_text().startswith(signature)
    assert (finding / "files" / "x.txt").read_bytes() == b"a"
    assert "python -m tests.planted x.txt" in (finding / "run.sh").read_text()


@pytest.mark.parametrize("main", [is_fine, exits_with_a_message])
def test_a_program_that_does_as_documented_is_no_finding(
    main: Callable[[Sequence[str]], int], tmp_path: Path
) -> None:
    figures = explore(planted(main), 100, 7, tmp_path, cases=2)

    assert figures.cases == 2
    assert not figures.findings


@pytest.mark.slow
@pytest.mark.parametrize("name", FUZZERS)
def test_the_first_cases_of_each_fuzzer_find_nothing(name: str, tmp_path: Path) -> None:
    fuzzer: Fuzzer = import_module(f"tests.fuzz.{name}").FUZZER

    figures = explore(fuzzer, 100, 0, tmp_path, cases=20)

    assert figures.cases == 20
    assert not figures.findings, [
        (each / "finding.txt").read_text() for each in tmp_path.iterdir()
    ]


def test_fuzzers_run_by_name_for_a_time(tmp_path: Path) -> None:
    command = ["python", "-m", "tests.fuzz", "manifests"]
    command += ["--time=0.1", "--seed=0", f"--findings={tmp_path}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert done.stdout.startswith("manifests: seed 0, ")
