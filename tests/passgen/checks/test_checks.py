"""Rules about a whole group: its name, and reserved names.

Specs that break others are in `invalid/`, `warned/` and `allowed/`.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from types import ModuleType

import pytest

import passgen_runtime
from passgen import checks, naming
from passgen.diagnostics import SpecError
from passgen.source import SourceFile
from passgen.spec import read
from passgen_runtime import pass_manager_builder as builder
from passgen_runtime import patterns, remarks

SPEC = "passes:\n  TileLoops:\n    argument: tile-loops\n    summary: Tile loops\n"


@pytest.mark.parametrize("name", ["My-Loops", "2D", "_A", "Ä", "A\n"])
def test_name_given_on_the_command_line(name: str) -> None:
    with pytest.raises(SpecError) as caught:
        checks.check(read(SourceFile("spec.yaml", SPEC), name))

    (error,) = caught.value.diagnostics
    assert error.message == (
        f"name of the group: found '{name}', expected a letter, then letters, "
        "digits and underscores, such as 'MyDialect'"
    )


def members_of(class_: type) -> set[str]:
    """Return the public members of a class of the runtime, annotated ones too."""
    found = set()
    for base in class_.__mro__:
        found |= {*vars(base), *getattr(base, "__annotations__", {})}
    return {name for name in found if not name.startswith("_")}


def names_of(package: ModuleType) -> set[str]:
    """Return the public names that a facade offers; its modules are no part of it."""
    return {
        name
        for name, value in vars(package).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }


def test_reserved_members_are_those_of_the_runtime() -> None:
    passes = members_of(passgen_runtime.OperationPass)
    passes |= members_of(passgen_runtime.InterfacePass)

    assert passes == naming.PASS_MEMBERS
    assert members_of(passgen_runtime.PassOptions) == naming.OPTIONS_MEMBERS


def test_reserved_imports_are_all_that_the_runtime_offers_or_python_has() -> None:
    of_python = {"Any", "StrEnum", "TYPE_CHECKING", "dataclass"}
    of_remarks = {"Operation"} | names_of(remarks)
    offered = names_of(passgen_runtime) | names_of(builder) | {*patterns.__all__}
    offered |= {"Form", "FormRules"}

    assert offered | of_python | of_remarks >= naming.IMPORTS


def test_generated_files_import_nothing_else() -> None:
    root = Path(__file__).parents[3]
    for path in (root / "runtime/passgen_runtime/passes/generated").glob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                assert {each.name for each in node.names} <= naming.IMPORTS, path


def test_python_target_writes_no_name_into_a_class_that_is_not_reserved() -> None:
    """The lower-case names that the templates write where options can hide them."""
    root = Path(__file__).parents[3]
    text = (root / "templates/python/_option.py.j2").read_text("utf-8")
    called = set(re.findall(r"\b([a-z_]+)\(", re.sub(r"\{\{.*?\}\}", "", text)))

    assert called
    assert called <= naming.OPTION_SCOPE
