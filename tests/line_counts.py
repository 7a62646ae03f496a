"""The sizes of the packages, in lines of Python with generated code: `make bounds`.

What a user's program loads is bounded, and so is a module that is written by hand;
other sizes are printed. Imports between modules are checked by `make imports`.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
GENERATOR: Final = ROOT / "passgen"
RULES: Final = ROOT / "runtime" / "passgen_rules"
RUNTIME: Final = ROOT / "runtime" / "passgen_runtime"
PASSES: Final = RUNTIME / "passes"
TOOLS: Final = ROOT / "runtime" / "tools" / "passgen_tools"

MAX_MODULE_LINES: Final = 450
"""The lines of a module that is written by hand."""

_IMPORT: Final = "import passgen_runtime"
_XDSL_RUN: Final = """
from passgen_runtime import PassManager
from passgen_runtime.ir.xdsl import XDSLContext
context = XDSLContext()
module = context.parse("func.func @f() { return }", "input.mlir")
PassManager(context).run(module)
"""
_NAME_MODULES: Final = """
import sys
for name, module in [*sys.modules.items()]:
    if name.partition(".")[0] in {"passgen_rules", "passgen_runtime"}:
        print(module.__file__)
"""


@dataclass(frozen=True)
class Count:
    """A printed number, and the largest that is allowed."""

    what: str
    number: int
    bound: int | None = None

    @property
    def is_exceeded(self) -> bool:
        """Whether it has a bound and is larger."""
        return self.bound is not None and self.number > self.bound

    def __str__(self) -> str:
        """Return a line of the table."""
        bound = "" if self.bound is None else f"  of {self.bound:6}"
        return f"{self.what:36}{self.number:8}{bound}{' !' * self.is_exceeded}"


def counts() -> Iterator[Count]:
    """Yield all counts."""
    core, run = _loaded_by(_IMPORT), _loaded_by(_XDSL_RUN)
    yield Count("modules of `import passgen_runtime`", len(core), 48)
    yield Count("lines of `import passgen_runtime`", _lines(core), 8_400)
    yield Count("modules of a run on xDSL", len(run), 62)
    yield Count("lines of a run on xDSL", _lines(run), 10_700)
    in_passes = set(PASSES.rglob("*.py"))
    yield Count("runtime without passes", _lines({*RUNTIME.rglob("*.py")} - in_passes))
    yield Count("passes of the runtime", _lines(in_passes))
    yield Count("rules", _lines(RULES.rglob("*.py")))
    yield Count("tools", _lines(TOOLS.rglob("*.py")))
    yield Count("generator", _lines(_generator()))


def too_long() -> Iterator[tuple[Path, int]]:
    """Yield the modules written by hand that are too long, and their lines."""
    for path in (*_generator(), *(ROOT / "runtime").rglob("*.py")):
        is_generated = "generated" in path.parts
        if not is_generated and (lines := _lines([path])) > MAX_MODULE_LINES:
            yield path.relative_to(ROOT), lines


def _generator() -> set[Path]:
    """Return the modules of the generator, but not the rules, which it links to."""
    linked = GENERATOR / "passgen_rules"
    return {path for path in GENERATOR.rglob("*.py") if linked not in path.parents}


def _loaded_by(code: str) -> list[Path]:
    """Return the modules of rules and runtime that a program loads."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{_NAME_MODULES}"],
        capture_output=True,
        text=True,
        check=True,
    )
    return list(map(Path, done.stdout.split()))


def _lines(paths: Iterable[Path]) -> int:
    return sum(path.read_bytes().count(b"\n") for path in paths)


def main() -> int:
    """Print the counts; return 1 if a bound is exceeded."""
    found = list(counts())
    for count in found:
        sys.stdout.write(f"{count}\n")
    long_modules = list(too_long())
    for path, lines in long_modules:
        message = f"{path}: {lines} lines, at most {MAX_MODULE_LINES} are allowed\n"
        sys.stdout.write(message)
    return int(bool(long_modules) or any(count.is_exceeded for count in found))


if __name__ == "__main__":
    sys.exit(main())
