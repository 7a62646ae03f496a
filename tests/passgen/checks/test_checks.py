"""Rules about a whole group: warnings, and specs that only look invalid.

Invalid specs are in `invalid/`.
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


def test_enum_with_one_value_is_a_warning() -> None:
    (warning,) = warnings(option("type: enum, values: [only]"))

    assert warning.render() == """\
spec.yaml:6:68: warning: enum of option 'tile-size' of pass 'TileLoops' has one value, \
which leaves no choice
      - {name: tileSize, argument: tile-size, type: enum, values: [only]}
                                                                   ^~~~"""


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


def test_empty_summary_is_a_warning() -> None:
    (warning,) = warnings("passes:\n  TileLoops: {argument: tile, summary: ''}\n")

    assert warning.render() == """\
spec.yaml:2:40: warning: summary of pass 'TileLoops' is empty
  TileLoops: {argument: tile, summary: ''}
                                       ^~
note: lists of passes show it"""


def test_text_that_ends_a_raw_string_of_mlir_tblgen_is_a_warning() -> None:
    found = warnings("""\
passes:
  TileLoops:
    argument: tile
    summary: Tile )PD"
    options: [{name: a, argument: a, type: bool, description: 'As )PO" )PD"'}]
    statistics: [{name: numTiled, description: 'Of )PS" )PO"'}]
""")

    assert [
        f"{each.location.line}: {each.message}" for each in found if each.location
    ] == [
        "4: summary of pass 'TileLoops' contains ')PD\"', which ends the text in C++ of mlir-tblgen",
        (
            "5: description of option 'a' of pass 'TileLoops' contains ')PO\"', which "
            "ends the text in C++ of mlir-tblgen"
        ),
        (
            "6: description of statistic 'numTiled' of pass 'TileLoops' contains "
            "')PS\"', which ends the text in C++ of mlir-tblgen"
        ),
    ]


_OF_A_FUNCTION = "of pass 'TileLoops' has the name of a function of its class in C++"


def test_members_that_clash_in_cpp_alone_are_warnings() -> None:
    found = warnings("""\
passes:
  TileLoops:
    argument: tile
    summary: Tile
    options:
      - {name: numTiled, argument: a, type: bool}
      - {name: getName, argument: b, type: bool}
      - {name: numFused, argument: c, type: bool, cpp: {name: fuses}}
    statistics: [{name: numTiled}, {name: classof}, {name: numFused}]
""")

    assert [each.message for each in found] == [
        f"option 'getName' {_OF_A_FUNCTION}",
        "statistic 'numTiled' of pass 'TileLoops' has the name of an option in C++",
        f"statistic 'classof' {_OF_A_FUNCTION}",
    ]
    assert [note.message for note in found[1].notes] == [
        "the option is defined here",
        "give it another name in C++: 'cpp: {name: ...}'",
    ]


def test_errors_come_without_warnings() -> None:
    text = with_options(
        "name: a, argument: a, type: enum, values: [only]",
        "name: a, argument: b, type: bool",
    )

    assert messages(text) == ["duplicate option name 'a' of pass 'TileLoops'"]


@pytest.mark.parametrize("name", ["My-Loops", "2D", "_A", "Ä", "A\n"])
def test_name_given_on_the_command_line(name: str) -> None:
    assert messages(SPEC, name) == [
        (
            f"name of the group: found '{name}', expected a letter, then letters, "
            "digits and underscores, such as 'MyDialect'"
        )
    ]


def test_all_mistakes_at_once_in_the_order_of_the_text() -> None:
    text = """\
passes:
  A:
    argument: a
    summary: A
    options:
      - {name: b, argument: b, type: bool, default: ''}
      - {name: b, argument: c, type: bool}
  B:
    argument: a
    summary: B
    statistics: [{name: if}]
"""

    assert messages(text) == [
        "default of option 'b' of pass 'A': found '', expected true or false",
        "duplicate option name 'b' of pass 'A'",
        "duplicate argument 'a' of pass 'B', which pass 'A' has",
        "name of statistic 'if' of pass 'B' is 'if' in Python, a keyword",
    ]


def test_third_of_a_kind_points_at_the_first() -> None:
    text = SPEC + "    dependentDialects: [a, a, a]\n"
    with pytest.raises(SpecError) as caught:
        warnings(text)

    assert [
        (each.location.column, each.notes[0].location.column)
        for each in caught.value.diagnostics
        if each.location and each.notes[0].location
    ] == [(28, 25), (31, 25)]


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
