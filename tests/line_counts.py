"""The sizes of the packages, in lines of Python with generated code: `make bounds`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
RUNTIME: Final = ROOT / "runtime" / "passgen_runtime"
PASSES: Final = RUNTIME / "passes"

_NAME_MODULES: Final = """
import sys, passgen_runtime
for name, module in [*sys.modules.items()]:
    if name.partition(".")[0] == "passgen_runtime":
        print(module.__file__)
"""


def counts() -> dict[str, int]:
    """Return all counts."""
    core = _core()
    in_runtime = set(RUNTIME.rglob("*.py"))
    in_passes = set(PASSES.rglob("*.py"))
    tools = ROOT / "runtime" / "tools" / "passgen_tools"
    return {
        "modules of the core": len(core),
        "lines of the core": _lines(core),
        "runtime without passes": _lines(in_runtime - in_passes),
        "passes of the runtime": _lines(in_passes),
        "tools": _lines(tools.rglob("*.py")),
        "generator": _lines((ROOT / "passgen").rglob("*.py")),
    }


def _core() -> list[Path]:
    """Return the modules that `import passgen_runtime` loads."""
    done = subprocess.run(
        [sys.executable, "-c", _NAME_MODULES],
        capture_output=True,
        text=True,
        check=True,
    )
    return list(map(Path, done.stdout.split()))


def _lines(paths: Iterable[Path]) -> int:
    return sum(path.read_bytes().count(b"\n") for path in paths)


if __name__ == "__main__":
    rows = (f"{what:24}{count:8}\n" for what, count in counts().items())
    sys.stdout.write("".join(rows))
