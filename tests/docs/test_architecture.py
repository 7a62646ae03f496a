"""`docs/architecture.md` lists every module with the first line of its docstring."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.docs.marked_parts import table, with_part

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/architecture.md"
PACKAGES = {
    "passgen": ROOT / "passgen",
    "passgen_runtime": ROOT / "runtime/passgen_runtime",
}


@pytest.mark.parametrize("package", PACKAGES)
def test_modules_are_listed(package: str, golden: Callable[[Path, str], None]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    modules = table(("module", "what it is"), described_modules(package))

    golden(PAGE, with_part(text, f"modules of {package}", modules))


def described_modules(package: str) -> Iterator[tuple[str, str]]:
    folder = PACKAGES[package]
    for path in sorted(folder.rglob("*.py")):
        if "generated" in path.parts:
            continue
        parts = path.relative_to(folder).with_suffix("").parts
        name = ".".join(part for part in parts if part != "__init__") or package
        docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        assert docstring, f"{path} has no docstring"
        yield f"`{name}`", docstring.splitlines()[0].removesuffix(".")
