"""The page of the documentation about what `make versions` found."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from tests.versions.environments import ROOT, Trial

PAGE: Final = ROOT / "docs" / "versions.md"

_NAMES: Final = ROOT.joinpath(
    *("runtime", "passgen_runtime", "ir", "mlir", "pass_versions.json")
)

_WHAT_IT_RUNS: Final = (
    "It installs each package in an environment of its own, where "
    "`tests/versions/probe.py` runs a pass in Python, passes of the library, patterns, "
    "and forms, counts in a statistic, and runs a reproducer."
)

_WHAT_NAMES_ARE_FOR: Final = (
    "A package that is found by itself needs no name, where it is the only one: "
    "[how to choose](mlir-ir.md)."
)

_WHERE_NAMES_ARE: Final = (
    "All names are in `specs/known-passes/llvm-*.txt`. "
    "[Changes of MLIR's passes](llvm-versions.md) has what `passgen diff` finds in the "
    "declarations of LLVM 16 to 22."
)

_COLUMNS: Final = (
    *("Python pass", "native passes", "patterns", "forms", "statistics"),
    "reproducers",
)
_SIGNS: Final = {True: "yes", False: "no"}

Result = tuple[Trial, Mapping[str, Any]]
"""A trial, and the row that its probe has printed."""


def page(results: Sequence[Result], date: str) -> str:
    """Return the text of the page."""
    of_mlir = [each for each in results if each[0].ir.startswith("mlir")]
    of_xdsl = [each for each in results if not each[0].ir.startswith("mlir")]
    lines = (
        "# What runs on which versions",
        "",
        "<!-- Written by make versions; do not edit. -->",
        "",
        f"`make versions` wrote this page on {date}.",
        _WHAT_IT_RUNS,
        "",
        "## MLIR's bindings",
        "",
        _WHAT_NAMES_ARE_FOR,
        "",
        *_table(of_mlir, with_passes=True),
        "",
        *_reasons(of_mlir),
        "## xDSL",
        "",
        *_table(of_xdsl, with_passes=False),
        "",
        *_reasons(of_xdsl),
        *names_section(),
    )
    return "\n".join(lines).rstrip() + "\n"


def _table(results: Iterable[Result], *, with_passes: bool) -> Iterator[str]:
    versions: list[str] = json.loads(_NAMES.read_bytes())["versions"]
    heads = ["package", "version", "Python"]
    if with_passes:
        heads += ["`--ir`", "found by itself"]
    heads += _COLUMNS
    if with_passes:
        heads += [f"passes of LLVM {version}" for version in versions]
    yield _row(heads)
    yield _row("---" for _ in heads)
    for trial, row in results:
        cells = [f"`{trial.distribution}`", row.get("version", trial.requirement)]
        cells.append(row.get("python", ""))
        if with_passes:
            cells += [f"`{trial.ir}`", _SIGNS[row.get("found", False)]]
        failures = row.get("trials", {})
        cells += [_SIGNS[failures.get(name) == ""] for name in _COLUMNS]
        if with_passes:
            passes = row.get("passes", {})
            cells += [passes.get(version, "") for version in versions]
        yield _row(cells)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _reasons(results: Iterable[Result]) -> Iterator[str]:
    """Yield a list of what failed, if anything did."""
    reasons = [
        f"- `{trial.distribution}` {row.get('version', trial.requirement)}{reason}"
        for trial, row in results
        for reason in _failures(row)
    ]
    if reasons:
        yield from ("What is missing:", "", *reasons, "")


def _failures(row: Mapping[str, Any]) -> Iterator[str]:
    if "error" in row:
        yield f": {_one_line(row['error'])}"
    for name, error in row.get("trials", {}).items():
        if error:
            yield f", {name}: {_one_line(error)}"


def _one_line(error: str) -> str:
    """Return the first line of an error, without paths of the machine."""
    line = error.strip().partition("\n")[0]
    return re.sub(r"(?:/[\w.+-]+)+/", "", line)


def names_section() -> Iterator[str]:
    """Yield the lines about passes and options that not all versions of LLVM have."""
    table = json.loads(_NAMES.read_bytes())
    versions = table["versions"]
    yield from (
        "## Passes and options that not all versions of LLVM have",
        "",
        f"The versions are {' and '.join(versions)}. {_WHERE_NAMES_ARE}",
        "",
        "| only in | passes | options |",
        "|---|---|---|",
    )
    for having in (*([version] for version in versions), []):
        passes = [name for name, found in table["passes"].items() if found == having]
        options = [
            f"{name}{{{option}}}"
            for name, found in table["options"].items()
            for option, those in found.items()
            if those == having
        ]
        title = f"LLVM {having[0]}" if having else "one build of MLIR"
        yield _row((title, _listed(passes), _listed(options)))


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
