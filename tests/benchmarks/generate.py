"""The time of `passgen`, beside `mlir-tblgen` and the import of its libraries.

    python -m tests.benchmarks.generate [--rounds N]

A wheel of the checkout is installed into a folder, because a wheel has its templates
compiled. All `Passes.td` that LLVM installs are imported once. Then, in turn, one
`passgen` writes the four kinds of files for all groups, and `mlir-tblgen` is called for
each file and kind. Times are those of processors. Prints each figure, the ratio of the
least times of all rounds, and its target; exits 1 if a figure misses its target.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from passgen.source import SourceFile
from passgen.tablegen import dump, importer, tool

GENERATORS = {
    "cpp": ("-gen-pass-decls", "-name=Group"),
    "capi-header": ("-gen-pass-capi-header", "--prefix=Group"),
    "capi-impl": ("-gen-pass-capi-impl", "--prefix=Group"),
    "mlir-markdown": ("-gen-pass-doc",),
}
ROOT = Path(__file__).parents[2]
QUESTIONS = ("--version", "--help", "--completion=bash")
SMALL = "passes:\n  CountOps: {argument: count-ops, summary: Count operations}\n"
MANY = 10_000
FEW = 1_000


@dataclass(frozen=True)
class Figure:
    name: str
    value: float
    target: float


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--mlir-tblgen", default=shutil.which("mlir-tblgen-22"))
    arguments = parser.parse_args()
    if arguments.mlir_tblgen is None:
        parser.error("mlir-tblgen-22 was not found: name it with --mlir-tblgen")
    # An installation has compiled modules, whatever this shell says.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    figures = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        passgen = install(folder / "installed")
        for figure in (
            *questions(passgen, 3 * arguments.rounds),
            *tree(passgen, Path(arguments.mlir_tblgen), folder, arguments.rounds),
            *small(passgen, folder, 3 * arguments.rounds),
            *large(passgen, folder, max(1, arguments.rounds // 2)),
        ):
            print(f"{figure.name}: {figure.value:.2f}, target {figure.target:.2f}")
            figures.append(figure)
    return int(any(figure.value > figure.target for figure in figures))


def install(folder: Path) -> str:
    """Install a wheel of the checkout into `folder`; return the program `passgen`."""
    flags = ("--quiet", "--no-deps", "--no-build-isolation", "--target", str(folder))
    command = [sys.executable, "-m", "pip", "install", *flags, str(ROOT)]
    subprocess.run(command, check=True)
    os.environ["PYTHONPATH"] = str(folder)
    return str(folder / "bin" / "passgen")


def questions(passgen: str, rounds: int) -> Iterator[Figure]:
    """Yield the time for each question, by that of `passgen-opt --version`."""
    version = [str(Path(sys.executable).with_name("passgen-opt")), "--version"]
    for question in QUESTIONS:
        pairs = [(spent([passgen, question]), spent(version)) for _ in range(rounds)]
        yield Figure(f"{question} to passgen-opt --version", ratio(pairs), 0.8)


def tree(passgen: str, tblgen: Path, folder: Path, rounds: int) -> Iterator[Figure]:
    """Yield the time for all of MLIR's groups, by that of `mlir-tblgen` for them."""
    include = tblgen.resolve().parents[1] / "include"
    files = sorted(include.rglob("Passes.td"))
    generated = folder / "mlir-tblgen"
    generated.mkdir()
    one = [passgen, "-o", str(folder / "passgen"), *imported(files, include, folder)]
    for target in GENERATORS:
        one += ["--target", target]
    many = [
        [
            *(str(tblgen), *flags, str(file)),
            *(f"-I{include}", "-o", str(generated / f"{number}.{target}")),
        ]
        for number, file in enumerate(files)
        for target, flags in GENERATORS.items()
    ]
    pairs = [(spent(one), sum(map(spent, many))) for _ in range(rounds)]
    passgen_s, tblgen_s = map(min, zip(*pairs, strict=True))
    print(f"{len(files)} groups, {len(many)} files: passgen {passgen_s:.2f} s")
    print(f"mlir-tblgen, {len(many)} calls, {tblgen_s:.2f} s")
    yield Figure("whole tree", ratio(pairs), 0.75)


def small(passgen: str, folder: Path, rounds: int) -> Iterator[Figure]:
    """Yield the time for one small spec, by that of importing passgen's libraries."""
    spec = folder / "small.yaml"
    spec.write_text(SMALL, "utf-8")
    run = [passgen, "-o", str(folder / "small"), str(spec)]
    bare = [sys.executable, "-c", "import yaml, jinja2, jsonschema, black"]
    spent(run)
    pairs = [(spent(run), spent(bare)) for _ in range(rounds)]
    yield Figure("small spec to its imports", ratio(pairs), 1.35)


def large(passgen: str, folder: Path, rounds: int) -> Iterator[Figure]:
    """Yield time and memory for a pass among many, by those for a pass among few."""
    runs = {}
    for count in (FEW, MANY):
        spec = folder / f"passes{count}.yaml"
        spec.write_text("passes:\n" + "".join(map(one_pass, range(count))), "utf-8")
        runs[count] = [passgen, "-o", str(folder / "large"), str(spec)]
    empty = [passgen, "-o", str(folder / "large"), str(folder / "small.yaml")]
    growth = MANY / FEW
    times = []
    for _ in range(rounds):
        base, few, many = spent(empty), spent(runs[FEW]), spent(runs[MANY])
        times.append((many - base) / (few - base) / growth)
        print(f"{FEW:,} passes in a spec: {few:.2f} s; {MANY:,}: {many:.2f} s")
    base, few, many = (peak_bytes(each) for each in (empty, runs[FEW], runs[MANY]))
    name = f"a pass among {MANY:,} to one among {FEW:,}"
    yield Figure(f"{name}, time", statistics.median(times), 1.2)
    yield Figure(f"{name}, memory", (many - base) / (few - base) / growth, 1.2)


def one_pass(number: int) -> str:
    return (
        f"  Pass{number}:\n"
        f"    argument: pass-{number}\n"
        f"    summary: Do thing {number}\n"
        "    anchor: func.func\n"
        "    options:\n"
        "      - {name: factor, argument: factor, type: uint32, default: 4, "
        "description: How much.}\n"
        "    statistics:\n"
        "      - {name: numDone, description: How often.}\n"
    )


def imported(files: list[Path], include: Path, folder: Path) -> Iterator[str]:
    """Write what `files` declare as specs, and yield the paths of these."""
    for number, file in enumerate(files):
        found = tool.run_tool(file, [str(include)])
        source = SourceFile(str(file), file.read_text("utf-8"))
        name = f"Group{number}"
        read = dump.read_records(found, source)
        spec = folder / f"group{number}.yaml"
        spec.write_text(importer.import_dump(read, file.name, name).text, "utf-8")
        yield str(spec)


def spent(command: list[str]) -> float:
    """Run `command`; return the time that processors spent on it, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        command,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ratio(pairs: list[tuple[float, float]]) -> float:
    """Return the ratio of the least times of both sides."""
    measured = min(first for first, _ in pairs)
    baseline = min(second for _, second in pairs)
    return measured / baseline


def peak_bytes(command: list[str]) -> int:
    """Run `command`; return the most memory that it had at once.

    A process counts what its parent had when it began, so the parent is a small one.
    """
    program = (
        "import os, resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *command],
        check=True,
        capture_output=True,
    )
    return int(done.stdout) * 1024


if __name__ == "__main__":
    sys.exit(main())
