"""The examples of shipped passes are what MLIR's passes of the same names do.

`pytest` runs them on xDSL's IR; here `mlir-opt` runs them. IR is compared as it prints
it, and CHECK lines hold for its output, names of the default dialect apart.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Final

import pytest
from filecheck.finput import FInput
from filecheck.matcher import Matcher
from filecheck.options import Options
from filecheck.parser import Parser, pattern_for_opts

from passgen import read_group
from passgen.model import Example, OptionReference, Pass
from passgen.source import SourceFile
from passgen.targets.lines import Setting

SPECS: Final = Path(__file__).parents[2] / "specs"
_FILES: Final = ("affine.yaml", "transforms.yaml")

# Repeated: `cse` visits a definition before the unused operation that keeps it alive.
_CLEANUP: Final = "composite-fixed-point-pass{pipeline=cse}"

_DEFAULT_DIALECT: Final = re.compile(
    r"\bbuiltin\.(?=module \{)|\bfunc\.(?=return$)", re.MULTILINE
)
"""What `mlir-opt` leaves out of names, and xDSL prints."""


def _passes() -> Iterator[tuple[str, Pass]]:
    for file in _FILES:
        source = SourceFile(file, (SPECS / file).read_text("utf-8"))
        for pass_ in read_group(source).passes:
            if (
                pass_.examples or file != "affine.yaml"
            ):  # which has passes of MLIR alone
                yield file, pass_


PASSES: Final = [pytest.param(*each, id=each[1].argument) for each in _passes()]

EXAMPLES: Final = [
    pytest.param(file, pass_, example, id=f"{pass_.argument}[{number}]")
    for file, pass_ in _passes()
    for number, example in enumerate(pass_.examples, 1)
]


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


def _element(pass_: Pass, example: Example) -> str:
    """Return the pass with its options where it belongs in a pipeline of a module."""
    settings = " ".join(
        str(Setting(option.argument, option.value, None))
        for option in example.options
        if not isinstance(option.value, OptionReference)  # that of a pipeline
    )
    element = f"{pass_.argument}{{{settings}}}" if settings else pass_.argument
    is_of_functions = "func.func" in pass_.operation or "Function" in pass_.interface
    return f"func.func({element})" if is_of_functions else element


@pytest.mark.parametrize(("file", "pass_", "example"), EXAMPLES)
def test_example(mlir_opt: Path, file: str, pass_: Pass, example: Example) -> None:
    # Unused and repeated operations that a loop pass leaves are not shown.
    cleanup = [_CLEANUP] if file == "affine.yaml" else []
    before, _ = _run(mlir_opt, example.input, *cleanup)
    element = example.pipeline or _element(pass_, example)
    actual, printed = _run(mlir_opt, example.input, element, *cleanup)

    if example.check:
        lines = _DEFAULT_DIALECT.sub("", example.check)
        options = Options("example.mlir")
        parser = Parser(options, StringIO(lines), *pattern_for_opts(options))
        matcher = Matcher(options, FInput("printed", printed), parser)
        assert matcher.run() == 0
        assert actual == before
    else:
        expected, _ = _run(mlir_opt, example.output, *cleanup)
        assert actual == expected
        assert actual != before, "the example shows nothing"


@pytest.mark.parametrize(("file", "pass_"), PASSES)
def test_each_pass_has_examples_and_shows_no_other_ir(file: str, pass_: Pass) -> None:
    del file

    assert pass_.examples
    assert "```mlir" not in pass_.details
