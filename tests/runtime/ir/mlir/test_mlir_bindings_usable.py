"""Bindings that do not import, or lack what this package needs, are one error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from passgen_runtime.ir.mlir import BindingsError, MLIRContext
from passgen_runtime.ir.mlir.bindings import bindings_of

AddPackage = Callable[[Mapping[str, str]], None]
"""Adds modules to the path, by their names in it."""

ABLE = '''
class Context:
    """A context of MLIR."""
    emit_error_diagnostics = False
    append_dialect_registry = attach_diagnostic_handler = None
    get_dialect_descriptor = get_num_threads = is_registered_operation = None

class Module:
    """A module."""
    parseFile = None

class Operation:
    """An operation."""
    clone = get_asm = parse = verify = walk = None

class SymbolTable:
    """The symbols of an operation."""
    walk_symbol_tables = None

WalkOrder = WalkResult = None
'''

ABLE_PASSES = '''
class PassManager:
    """A pass manager."""
    def __init__(self, anchor, context): ...
    def add(self, pass_): ...
    def enable_ir_printing(self, **flags): ...
'''


@pytest.fixture
def add_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[AddPackage]:
    """Add packages with bindings, which the test may import."""
    monkeypatch.syspath_prepend(tmp_path)
    before = {*sys.modules}

    def add(modules: Mapping[str, str]) -> None:
        for name, text in modules.items():
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    yield add
    for name in {*sys.modules} - before:
        if name.startswith("made_"):
            del sys.modules[name]


def error_of(package: str) -> str:
    """Return the error about the bindings in `package`."""
    with pytest.raises(BindingsError) as error:
        MLIRContext(package)
    return str(error.value)


@pytest.mark.parametrize(
    ("package", "removed", "missing"),
    [
        ("made_one", "parseFile = None", "Module.parseFile"),
        ("made_two", "WalkOrder = ", "WalkOrder"),
        (
            "made_three",
            "emit_error_diagnostics = False",
            "a readable Context.emit_error_diagnostics",
        ),
        ("made_four", "def add(self, pass_): ...", "PassManager.add(callable)"),
        (
            "made_five",
            "def enable_ir_printing(self, **flags): ...",
            "PassManager.enable_ir_printing(tree_printing_dir_path=...)",
        ),
    ],
)
def test_what_bindings_lack_is_named(
    add_package: AddPackage, package: str, removed: str, missing: str
) -> None:
    add_package(
        {
            f"{package}/ir.py": ABLE.replace(removed, ""),
            f"{package}/passmanager.py": ABLE_PASSES.replace(removed, ""),
        }
    )

    for _ in range(2):
        assert error_of(package) == (
            f"the bindings of MLIR in the package '{package}' lack {missing}\n"
            "note: those of LLVM 22 and newer can be used; the extra 'mlir' of "
            "mlir-passgen-runtime brings them"
        )


def test_a_package_without_passmanager_has_that_of_its_extension(
    add_package: AddPackage,
) -> None:
    add_package(
        {
            "made_bare/ir.py": ABLE,
            "made_bare/_mlir_libs/_mlir.py": "class passmanager:\n    PassManager = 1\n",
        }
    )

    bindings = bindings_of("made_bare")

    assert bindings.passmanager.PassManager == 1
    assert bindings.rewrite is None


@pytest.mark.parametrize("raised", ["RuntimeError", "SystemExit", "ImportError"])
def test_any_exception_of_an_import_is_an_error(
    add_package: AddPackage, raised: str
) -> None:
    package = f"made_{raised}"
    text = f"raise {raised}('no device')"
    add_package({f"{package}/__init__.py": text, f"{package}/ir.py": ""})

    assert error_of(package) == (
        f"the bindings of MLIR in the package '{package}' do not import: "
        f"{raised}: no device"
    )


def test_the_second_attempt_reports_the_first_error(add_package: AddPackage) -> None:
    text = (
        "import sys\nattempt = vars(sys).setdefault('made_attempts', [])\n"
        "attempt.append(1)\nraise (RuntimeError if len(attempt) == 1 else KeyError)(1)\n"
    )
    add_package({"made_twice/__init__.py": text, "made_twice/ir.py": ""})

    first = error_of("made_twice")

    assert first.endswith("do not import: RuntimeError: 1")
    assert error_of("made_twice") == first


def test_bindings_can_be_installed_after_an_error(add_package: AddPackage) -> None:
    assert "No module named 'made_later'" in error_of("made_later")

    add_package({"made_later/ir.py": ABLE, "made_later/passmanager.py": ABLE_PASSES})
    sys.path_importer_cache.clear()

    assert bindings_of("made_later").package == "made_later"


def test_imported_bindings_with_libraries_of_the_same_name_are_named(
    add_package: AddPackage,
) -> None:
    for package in ("made_first", "made_second"):
        add_package(
            {
                f"{package}/_mlir_libs/__init__.py": "",
                f"{package}/_mlir_libs/_mlir.so": "",
                f"{package}/_mlir_libs/libmade.so": "",
                f"{package}/ir.py": "import made_first._mlir_libs",
                f"{package}/passmanager.py": "",
            }
        )
    add_package({"made_second/ir.py": "raise ImportError('undefined symbol: f')"})
    bindings_of("made_first")

    assert error_of("made_second") == (
        "the bindings of MLIR in the package 'made_second' do not import: "
        "ImportError: undefined symbol: f\n"
        "note: 'made_first' is imported in this process, and libraries of both are "
        "called libmade.so: use each in a process of its own"
    )
