"""The rules of `docs/architecture.md` on imports that import-linter cannot check."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = {"passgen": ROOT, "passgen_runtime": ROOT / "runtime"}


def sources(pattern: str) -> list[str]:
    """Return the files of both packages that match, but for generated ones."""
    return [
        path.relative_to(ROOT).as_posix()
        for package, folder in PACKAGES.items()
        for path in sorted((folder / package).rglob(pattern))
        if "generated" not in path.parts
    ]


def syntax_tree(path: str) -> ast.Module:
    return ast.parse((ROOT / path).read_text(encoding="utf-8"), path)


def implementation(module: ast.Module) -> Iterator[ast.stmt]:
    """Yield the statements that are neither docstring, import nor `__all__`."""
    has_docstring = ast.get_docstring(module) is not None
    for statement in module.body[has_docstring:]:
        match statement:
            case ast.Import() | ast.ImportFrom():
                pass
            case ast.Assign(targets=[ast.Name(id="__all__")]):
                pass
            case _:
                yield statement


@pytest.mark.parametrize("facade", sources("__init__.py"))
def test_a_facade_holds_no_implementation(facade: str) -> None:
    module = syntax_tree(facade)

    assert ast.get_docstring(module)
    assert [ast.unparse(statement) for statement in implementation(module)] == []
