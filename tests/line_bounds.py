"""The bounds on the size of the packages: `make bounds`.

Lines of Python, generated code included. A bound is raised by nobody but the owner: a
feature that needs more brings the removal of as many lines.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Bound:
    """What is counted, how much there is, and how much there may be."""

    what: str
    found: int
    bound: int
    goal: int
    """The bound that is meant to hold; `bound` is today's where it does not yet."""


def bounds() -> list[Bound]:
    """Return all bounds."""
    core = _core()
    in_runtime = set(RUNTIME.rglob("*.py"))
    in_passes = set(PASSES.rglob("*.py"))
    tools = ROOT / "runtime" / "tools" / "passgen_tools"
    return [
        Bound("modules of the core", len(core), 38, 38),
        Bound("lines of the core", _lines(core), 7_660, 7_400),
        Bound("runtime without passes", _lines(in_runtime - in_passes), 19_500, 18_600),
        Bound("passes of the runtime", _lines(in_passes), 4_770, 4_700),
        Bound("tools", _lines(tools.rglob("*.py")), 25_200, 25_200),
        Bound("generator", _lines((ROOT / "passgen").rglob("*.py")), 22_500, 22_500),
    ]


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


def main() -> int:
    """Print the table; return 1 if a bound is exceeded."""
    lines = [f"{'':24}{'found':>8}{'bound':>8}{'goal':>8}"]
    rows = bounds()
    for row in rows:
        numbers = f"{row.found:8}{row.bound:8}{row.goal:8}"
        mark = "" if row.found <= row.bound else "  exceeded"
        lines.append(f"{row.what:24}{numbers}{mark}")
    sys.stdout.write("\n".join((*lines, "")))
    return 1 if any(row.found > row.bound for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
