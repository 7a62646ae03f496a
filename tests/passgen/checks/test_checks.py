"""Rules about a whole group: specs that only look wrong, and reserved names.

Wrong specs are in `invalid/` and `warned/`.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import passgen_runtime
from passgen import checks, naming
from passgen.diagnostics import Diagnostic, SpecError
from passgen.source import SourceFile
from passgen.spec import read
from passgen_runtime.extensions import builder

SPEC = "passes:\n  TileLoops:\n    argument: tile-loops\n    summary: Tile loops\n"


def warnings(text: str, name: str | None = None) -> tuple[Diagnostic, ...]:
    return checks.check(read(SourceFile("spec.yaml", text), name))


def with_options(*options: str) -> str:
    return f"{SPEC}    options:\n" + "".join(
        f"      - {{{each}}}\n" for each in options
    )


def option(rest: str) -> str:
    return with_options(f"name: tileSize, argument: tile-size, {rest}")


@pytest.mark.parametrize(
    "text",
    [
        option("type: {python: 'my.options:PERCENT'}, default: '50'"),
        with_options("name: type, argument: type, type: bool"),
        with_options("name: match, argument: match, type: bool"),
        with_options("name: operation, argument: operation, type: bool"),
        SPEC + "    statistics: [{name: int}, {name: parse}]\n",
        with_options(
            "name: a, argument: a, type: enum, values: [x, y], enumName: Mode",
            "name: b, argument: b, listOf: enum, values: [x, y], enumName: Mode",
        ),
        SPEC + "  TileAll: {argument: tile-all, summary: Tile}\n",
    ],
)
def test_allowed(text: str) -> None:
    assert warnings(text) == ()


def test_same_option_and_statistic_in_two_passes() -> None:
    entry = """\
    options: [{name: a, argument: a, type: bool}]
    statistics: [{name: b}]
"""
    second = "  TileAll:\n    argument: tile-all\n    summary: Tile all\n"

    assert warnings(SPEC + entry + second + entry) == ()


@pytest.mark.parametrize(
    ("ir", "count"), [("", 0), ("ir: mlir\n", 0), ("ir: xdsl\n", 1)]
)
def test_a_statistic_may_not_hide_the_library_of_the_types(ir: str, count: int) -> None:
    text = f"{ir}passes: {{A: {{argument: a, summary: A, statistics: [name: xdsl]}}}}\n"

    found = messages(text) if count else warnings(text)

    assert len(found) == count


def test_an_enum_that_cpp_declares_elsewhere_may_have_one_value() -> None:
    assert warnings(option("type: enum, values: [only], cpp: {type: 'my::E'}")) == ()


def messages(text: str, name: str | None = None) -> list[str]:
    with pytest.raises(SpecError) as caught:
        warnings(text, name)
    return [each.message for each in caught.value.diagnostics]


@pytest.mark.parametrize("name", ["My-Loops", "2D", "_A", "Ä", "A\n"])
def test_name_given_on_the_command_line(name: str) -> None:
    assert messages(SPEC, name) == [
        (
            f"name of the group: found '{name}', expected a letter, then letters, "
            "digits and underscores, such as 'MyDialect'"
        )
    ]


def members_of(class_: type) -> set[str]:
    """Return the public members of a class of the runtime, annotated ones too."""
    found = set()
    for base in class_.__mro__:
        found |= {*vars(base), *getattr(base, "__annotations__", {})}
    return {name for name in found if not name.startswith("_")}


def test_reserved_members_are_those_of_the_runtime() -> None:
    passes = members_of(passgen_runtime.OperationPass)
    passes |= members_of(passgen_runtime.InterfacePass)

    assert passes == naming.PASS_MEMBERS
    assert members_of(passgen_runtime.PassOptions) == naming.OPTIONS_MEMBERS


def test_reserved_imports_are_all_that_the_runtime_offers_or_python_has() -> None:
    of_python = {"Any", "StrEnum", "TYPE_CHECKING", "dataclass"}
    offered = {*passgen_runtime.__all__, *builder.__all__}

    assert offered | of_python >= naming.IMPORTS


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
    text = (root / "templates/python/_options.py.j2").read_text("utf-8")
    # `dataclass` stands before the class opens.
    called = set(re.findall(r"\b([a-z_]+)\(", re.sub(r"\{\{.*?\}\}", "", text)))

    assert called - {"dataclass"} <= naming.OPTION_SCOPE
