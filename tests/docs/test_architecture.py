"""`docs/architecture.md` lists every module with the first line of its docstring."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/architecture.md"
PACKAGES = {
    "passgen": ROOT / "passgen",
    "passgen_runtime": ROOT / "runtime/passgen_runtime",
}


def modules(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*.py")):
        if "generated" not in path.parts:
            yield path


def table(package: str) -> str:
    rows = ["| module | what it is |", "|---|---|"]
    for path in modules(PACKAGES[package]):
        parts = path.relative_to(PACKAGES[package]).with_suffix("").parts
        name = ".".join(part for part in parts if part != "__init__") or package
        docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        assert docstring, f"{path} has no docstring"
        rows.append(f"| `{name}` | {docstring.splitlines()[0].removesuffix('.')} |")
    return "\n".join(rows)


@pytest.mark.parametrize("package", PACKAGES)
def test_modules_are_listed(package: str, golden: Callable[[Path, str], None]) -> None:
    begin, end = f"<!-- modules of {package} -->\n\n", "\n\n<!-- end -->"
    text = PAGE.read_text(encoding="utf-8")
    pattern = re.compile(f"(?<={re.escape(begin)}).*?(?={re.escape(end)})", re.DOTALL)

    assert pattern.search(text)

    golden(PAGE, pattern.sub(lambda _: table(package), text))
