"""What `passgen_runtime` holds, and what importing it costs: the core, and no more."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "runtime" / "passgen_runtime"

OF_TOOLS = re.compile(
    r"\b(worker|executor|distribut|run_record|recorder|audit|notebook|html)",
    re.IGNORECASE,
)


@pytest.mark.process
@pytest.mark.start
@pytest.mark.parametrize(
    "imports", ["import passgen_runtime", "from passgen_runtime import *"]
)
def test_the_package_imports_neither_ir_library_nor_tool(imports: str) -> None:
    code = f"{imports}\nimport sys\nprint(*sys.modules)"

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    unwanted = (
        "difflib",
        "xdsl",
        "mlir",
        "jaxlib",
        "passgen_runtime.instrumentations",
        "passgen_runtime.ir",
        "passgen_runtime.pass_manager_builder",
        "passgen_runtime.passes",
        "passgen_runtime.patterns",
        "passgen_runtime.plugins",
        "passgen_runtime.remarks",
        "passgen_runtime.runners",
        "passgen_tools",
    )
    found = [
        each
        for each in done.stdout.split()
        if any(each == name or each.startswith(f"{name}.") for name in unwanted)
    ]
    assert found == []


@pytest.mark.process
def test_the_core_names_no_tool() -> None:
    code = (
        "import sys, passgen_runtime\n"
        "for name, module in list(sys.modules.items()):\n"
        "    if name.partition('.')[0] == 'passgen_runtime': print(module.__file__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    found = {
        (path.relative_to(ROOT).as_posix(), word.lower())
        for path in map(Path, done.stdout.splitlines())
        for word in OF_TOOLS.findall(path.read_text(encoding="utf-8"))
    }
    assert found == set()
