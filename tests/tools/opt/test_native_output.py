"""Standard output of native code, and of passes, between the parts of the input."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mlir_bindings_needed import require_bindings

PARTS = "func.func @a() { func.return }\n// -----\nfunc.func @b() { func.return }\n"
PROGRAM = """\
import ctypes
from passgen_runtime import OperationPass, PassOptions, register_pass
from passgen_tools.opt import console_main

class Speak(OperationPass[PassOptions]):
    argument = "speak"

    def run_on_operation(self):
        ctypes.CDLL(None).printf(b"native\\n")
        print("of Python")

register_pass(Speak)
console_main()
"""

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(os.name != "posix", reason="printf is found by its name"),
]


def speak(folder: Path, *arguments: str) -> list[str]:
    (folder / "speak.py").write_text(PROGRAM, encoding="utf-8")
    # Where Python does not buffer its output, neither does C.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
    done = subprocess.run(
        [sys.executable, "speak.py", "--speak", *arguments],
        input=PARTS, capture_output=True, text=True, check=True,
        cwd=folder, env=environment,
    )  # fmt: skip
    kept = "native", "of Python", "@", "//"
    lines = map(str.strip, done.stdout.splitlines())
    return [line for line in lines if any(word in line for word in kept)]


def check_order(folder: Path, *arguments: str) -> None:
    assert speak(folder, "--split-input-file", *arguments) == [
        "native",
        "of Python",
        "func.func @a() {",
        "// -----",
        "native",
        "of Python",
        "func.func @b() {",
    ]


@pytest.mark.parametrize("contain", ["--contain", "--contain=false"])
def test_the_output_of_each_part_follows_what_its_passes_print(
    tmp_path: Path, contain: str
) -> None:
    check_order(tmp_path, contain)


@pytest.mark.bindings
def test_so_it_is_on_mlir_s_ir(tmp_path: Path) -> None:
    require_bindings("mlir")
    check_order(tmp_path, "--ir=mlir")


def test_native_output_is_not_lost_beside_a_file(tmp_path: Path) -> None:
    assert speak(tmp_path, "-o=out.mlir") == ["native", "of Python"]
    assert "@b" in (tmp_path / "out.mlir").read_text(encoding="utf-8")
