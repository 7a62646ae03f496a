"""The examples of passes in a spec, as `passgen list --json` prints them.

`passgen` alone knows the language of specs, so that it reads them, in another process.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_LIST: Final = (sys.executable, "-P", "-m", "passgen.cli", "list", "--json")
_MISSING: Final = "No module named 'passgen'"


class SpecError(Exception):
    """A spec is wrong, or there is no `passgen` to read it; the text says why."""


@dataclass(frozen=True, slots=True)
class SpecExample:
    """An example of a pass: IR before and after it."""

    pass_: str
    """The argument of the pass."""

    number: int
    """The place among the examples of the pass, from 1."""

    input: str
    pipeline: str
    output: str
    check: str
    """CHECK lines; empty if there is an output."""

    ir: str
    """The IR library that the example names, or empty."""

    group_ir: str
    """The IR library of the group, or empty."""

    file: str
    """The spec that holds the example: the one that was read, or one it includes."""

    line: int
    result_line: int
    """The line where the value of `output` or `check` begins."""

    @property
    def name(self) -> str:
        """The name of the example in its spec."""
        return f"{self.pass_}[{self.number}]"

    @property
    def place(self) -> str:
        """The place that messages about it begin with."""
        return f"{self.file}:{self.result_line}: error:"


def read_examples(spec: Path) -> list[SpecExample]:
    """Return the examples of the passes that a spec declares.

    Raises:
        SpecError: it is wrong, or `passgen` is not installed.
    """
    done = subprocess.run(  # noqa: S603 - the words are ours
        (*_LIST, str(spec)), capture_output=True, check=False
    )
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        reason = done.stderr.decode(errors="replace").strip()
        if _MISSING in reason or "No module named passgen" in reason:
            reason = (
                f"{spec}: error: 'passgen' reads specs, and is not installed: install "
                "'mlir-passgen'"
            )
        raise SpecError(reason) from None
    if done.returncode:
        raise SpecError("\n".join(map(_message, answer.get("diagnostics", ()))))
    return list(_examples(answer))


def _message(diagnostic: dict[str, Any]) -> str:
    place = ":".join(str(diagnostic[key]) for key in ("file", "line", "column"))
    return f"{place}: {diagnostic['severity']}: {diagnostic['message']}"


def _examples(answer: dict[str, Any]) -> Iterator[SpecExample]:
    for group in answer["groups"]:
        numbers: Counter[str] = Counter()
        for pass_ in group["passes"]:
            argument = pass_["argument"]
            for example in pass_.get("examples", ()):
                numbers[argument] += 1
                yield SpecExample(
                    argument,
                    numbers[argument],
                    example["input"],
                    example["pipeline"],
                    example.get("output", ""),
                    example.get("check", ""),
                    example.get("ir", ""),
                    group.get("ir", ""),
                    example["file"],
                    example["line"],
                    example["resultLine"],
                )
