"""The examples in the specs' descriptions are what MLIR really does.

A description opens with an `mlir` block, the IR before the pass. It is followed by one
or more results for that IR, each with a line of its own and a blank line in front:

    After `affine-loop-tile{tile-size=16}`:          then an `mlir` block: the IR after
    Prints with `print-op-stats`:                    then a `text` block: on stderr

The backquoted text is the pass as written in a pipeline. No other blocks are allowed,
so that none goes untested. Passes with `examples` are in `test_spec_examples`.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.cases.reader import read_yaml

SPECS = Path(__file__).parents[2] / "specs"

_BLOCK = re.compile(
    r"^(?:(?P<result>After|Prints with) `(?P<element>[^`\n]+)`:\n\n)?"
    r"```(?P<language>\w*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Example:
    """One claim of a description."""

    before: str
    element: str
    """The pass and its options, as in a pipeline."""

    result: str
    """`After` or `Prints with`."""

    expected: str
    is_nested: bool
    """Whether the pass runs on functions; the others run on the module."""

    @property
    def pipeline(self) -> str:
        """The pipeline that runs the pass where it belongs."""
        return f"func.func({self.element})" if self.is_nested else self.element


def _specs() -> Iterator[dict[str, Any]]:
    for spec in read_yaml(SPECS / "affine.yaml")["passes"].values():
        if "examples" not in spec:
            yield spec


def _examples(spec: dict[str, Any]) -> Iterator[Example]:
    before = ""
    for block in _BLOCK.finditer(spec["description"]):
        if not block["result"]:
            before = block["text"]
            continue
        yield Example(
            before,
            block["element"],
            block["result"],
            block["text"],
            is_nested="anchor" in spec or "interface" in spec,
        )


EXAMPLES = [
    pytest.param(example, id=example.element)
    for spec in _specs()
    for example in _examples(spec)
]


# Unused and repeated operations that a pass leaves are not shown. It is repeated, since
# `cse` visits a definition before the unused operation that keeps it alive.
_CLEANUP = "composite-fixed-point-pass{pipeline=cse}"


def _run(mlir_opt: Path, ir: str, *elements: str) -> tuple[str, str]:
    """Return what `mlir-opt` prints to stdout and stderr for `ir`."""
    pipeline = f"--pass-pipeline=builtin.module({','.join(elements)})"
    locations = ["--mlir-print-debuginfo"] if " loc(" in ir else []
    run = subprocess.run(
        [mlir_opt, pipeline, *locations],
        input=ir,
        capture_output=True,
        check=False,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout, run.stderr


@pytest.mark.parametrize("example", EXAMPLES)
def test_example(mlir_opt: Path, example: Example) -> None:
    before, _ = _run(mlir_opt, example.before, _CLEANUP)
    actual, printed = _run(mlir_opt, example.before, example.pipeline, _CLEANUP)

    if example.result == "Prints with":
        assert printed == example.expected
        assert actual == before
    else:
        expected, _ = _run(mlir_opt, example.expected, _CLEANUP)
        assert actual == expected
        assert actual != before, "the example shows nothing"


@pytest.mark.parametrize(
    "spec", [pytest.param(spec, id=spec["argument"]) for spec in _specs()]
)
def test_blocks_follow_the_convention(spec: dict[str, Any]) -> None:
    description = spec["description"]
    blocks = list(_BLOCK.finditer(description))
    kinds = [(block["result"], block["language"]) for block in blocks]

    assert description.startswith("```mlir\n")
    assert description.count("```") == 2 * len(blocks)
    assert kinds[0] == (None, "mlir")
    assert kinds[1:]
    assert set(kinds[1:]) <= {("After", "mlir"), ("Prints with", "text")}
    assert {example.element.partition("{")[0] for example in _examples(spec)} == {
        spec["argument"]
    }
