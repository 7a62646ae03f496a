"""The code blocks of the pages, run in order in one folder as a reader would.

A block of YAML, Python or MLIR after the words "in `name`" is written to that file; each
`$ command` of a console block is run, and what it prints is compared exactly.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from sybil import Example, Sybil
from sybil.parsers.markdown import CodeBlockParser

ROOT = Path(__file__).parents[2]
_COMMAND = re.compile(r"^\$ (.+)$", re.MULTILINE)
_FILE_NAME = re.compile(r"in `([\w.]+)`:\s*$")
_TIMEOUT_S = 120


PAGES = ["README.md"]


@pytest.mark.parametrize("page", PAGES)
def test_code_blocks(page: str, tmp_path: Path) -> None:
    shutil.copy(Path(__file__).with_name("square.mlir"), tmp_path)
    parsers = [
        CodeBlockParser(language="yaml", evaluator=write_file),
        CodeBlockParser(language="python", evaluator=write_file),
        CodeBlockParser(language="console", evaluator=run_console),
    ]
    document = Sybil(parsers=parsers, path=str(ROOT)).parse(ROOT / page)
    document.namespace["folder"] = tmp_path

    examples = list(document.examples())

    assert examples
    for example in examples:
        example.evaluate()


def write_file(example: Example) -> None:
    before = example.document.text[: example.start]
    named = _FILE_NAME.search(before.rstrip())
    if named is None:
        raise AssertionError(f"no text like 'in `name`:' before line {example.line}")
    path = example.namespace["folder"] / named[1]
    path.write_text(example.parsed, encoding="utf-8")


def run_console(example: Example) -> None:
    pieces = _COMMAND.split(example.parsed)
    for command, expected in zip(pieces[1::2], pieces[2::2], strict=True):
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-c", command],  # noqa: S607 - the reader's shell
            cwd=example.namespace["folder"],
            env={**os.environ, "PATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=_TIMEOUT_S,
        )
        assert done.stdout == expected.removeprefix("\n"), f"$ {command}"
