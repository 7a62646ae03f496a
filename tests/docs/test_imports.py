"""The rules of `docs/architecture.md` on imports that import-linter cannot check."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = {
    "passgen": ROOT,
    "passgen_rules": ROOT / "runtime",
    "passgen_runtime": ROOT / "runtime",
    "passgen_tools": ROOT / "runtime" / "tools",
}

NAMED_BY_USERS = {
    "passgen/probing/probe.py": {
        "package": "a module that a spec names, which drift tries to import",
        "module": "the context of the IR library of a spec",
    },
    "passgen/module_passes/probe.py": {
        "module": "a module with passes of xDSL, which the user names",
        "name": "a module inside it",
    },
    "runtime/passgen_runtime/analysis/declarations.py": {
        "module": "the class of an analysis, which a spec names",
    },
    "runtime/passgen_runtime/ir/mlir/bindings.py": {
        "f'{package}.ir'": "a copy of MLIR's bindings, which the user names",
        "f'{self.package}.{name}'": "as above",
        "f'{self.package}._mlir_libs._mlir'": "as above",
        "f'{self.package}.dialects.{dialect}'": "as above",
        "extension": "as above",
        "f'{self.package}._mlir_libs.{module}'": "as above",
    },
    "runtime/passgen_runtime/patterns/functions.py": {
        "module_name": "a function of a pattern, which its spec names",
    },
    "runtime/passgen_runtime/plugins.py": {
        "module": "a plugin, which its package or the user names",
    },
    "runtime/passgen_runtime/pass_registry/entries.py": {
        "module_name": "the class of a pass, which its spec names",
    },
}
"""What is imported by string because no import statement can name it, and why."""


def sources(pattern: str) -> list[str]:
    """Return the files of all packages that match, but for generated ones."""
    return [
        path.relative_to(ROOT).as_posix()
        for package, folder in PACKAGES.items()
        for path in sorted((folder / package).rglob(pattern))
        if "generated" not in path.parts
    ]


def core_sources() -> list[str]:
    """Return the files but for tools, which import what a flag or a message names."""
    return [path for path in sources("*.py") if not path.startswith("runtime/tools/")]


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


LAZY_FACADES = {
    "passgen/__init__.py": "the program imports the package first",
    "runtime/tools/passgen_tools/__init__.py": "each tool imports the package first",
}
"""The facades that import what they export on first use, and why."""

CHECKING_FACADES = {
    "runtime/passgen_runtime/ir/xdsl/__init__.py": "require_supported_xdsl()",
}
"""The facades that check first what their imports need, and the statement."""


@pytest.mark.parametrize("facade", sources("__init__.py"))
def test_a_facade_holds_no_implementation(facade: str) -> None:
    module = syntax_tree(facade)

    assert ast.get_docstring(module)
    found = [*map(ast.unparse, implementation(module))]
    if facade in LAZY_FACADES:
        for_checkers, on_first_use = found
        assert for_checkers.startswith("if TYPE_CHECKING:")
        assert on_first_use.startswith("def __getattr__(name: str) -> object:")
        found = []
    check = CHECKING_FACADES.get(facade)
    assert found == ([] if check is None else [check])


def imports_by_string(module: ast.Module) -> Iterator[ast.Call]:
    for node in ast.walk(module):
        match node:
            case ast.Call(
                func=ast.Name(id="import_module" | "__import__")
                | ast.Attribute(attr="import_module" | "__import__")
            ):
                yield node


@cache
def arguments_of_imports_by_string() -> dict[str, dict[str, bool]]:
    """Return for each file the arguments, and whether they are constants."""
    found = {
        path: {
            ast.unparse(call.args[0]): isinstance(call.args[0], ast.Constant)
            for call in imports_by_string(syntax_tree(path))
        }
        for path in core_sources()
    }
    return {path: arguments for path, arguments in found.items() if arguments}


WITHOUT_STATEMENTS = {
    "passgen/probing/probe.py": "the generator has no runtime, and runs without",
}
"""The files that import modules with constant names by strings, and why."""


def test_a_module_with_a_constant_name_is_imported_by_a_statement() -> None:
    names = {
        (path, argument)
        for path, arguments in arguments_of_imports_by_string().items()
        if path not in WITHOUT_STATEMENTS
        for argument, is_constant in arguments.items()
        if is_constant
    }

    assert names == set()


def test_only_modules_that_users_name_are_imported_by_another_string() -> None:
    found = {
        path: {
            argument for argument, is_constant in arguments.items() if not is_constant
        }
        for path, arguments in arguments_of_imports_by_string().items()
    }

    assert {path: arguments for path, arguments in found.items() if arguments} == {
        path: set(reasons) for path, reasons in NAMED_BY_USERS.items()
    }
