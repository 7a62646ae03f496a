"""Namespaces of dialects: read from `.td` files, guessed from classes, and settled."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from passgen.cpp import group_records
from passgen.source import SourceFile
from passgen.spec import read
from passgen.tablegen import import_dump
from passgen.tablegen.dialects import Dialects, declare
from passgen.tablegen.dump import Dump, read_records

TRITON = """\
include "mlir/IR/OpBase.td"
// def Old_Dialect : Dialect { let name = "old"; }
def Triton_Dialect : Dialect {
  let name = "tt";
  let cppNamespace = "::mlir::triton";
  let extraClassDeclaration = [{
    void f() {
}
  }];
}
def TT_Op : Op<Triton_Dialect, "op"> { let name = "other"; }
def Short_Dialect : Dialect { let name = "short"; }
"""

CLASS = "mlir::triton::TritonDialect"


def dump(*dialects: str, included: bool = False) -> Dump:
    """Return the dump of two passes that depend on `dialects`."""
    record = {
        "!anonymous": False, "!superclasses": ["PassBase", "Pass"],
        "!locs": ["Passes.td:1"], "argument": "a", "baseClass": "::mlir::OperationPass<>",
        "constructor": "", "dependentDialects": list(dialects), "description": "",
        "options": [], "statistics": [], "summary": "A",
    }  # fmt: skip
    dialect = {
        "!anonymous": False, "!superclasses": ["Dialect"], "!locs": ["Dialect.td:1"],
        "name": "tt", "cppNamespace": "::mlir::triton",
    }  # fmt: skip
    records = {"A": record, "B": {**record, "argument": "b"}}
    instances = {"PassBase": list(records)}
    if included:
        records["Triton_Dialect"] = dialect
        instances["Dialect"] = ["Triton_Dialect"]
    text = json.dumps({"!instanceof": instances, **records})
    return read_records(text, SourceFile("Passes.td", ""))


def test_a_td_file_declares_dialects() -> None:
    assert dict(declare([TRITON])) == {CLASS: "tt", "short::ShortDialect": "short"}


OF_CLASSES = """\
class DB<string n> : Dialect { let name = n; }
class Named<string prefix, string suffix = "_ir", string scope = "::my"> : DB<prefix # suffix> {
  let cppNamespace = scope # "::" # prefix;
  let extraClassDeclaration = [{
class Hidden;
  }];
  let description = [{ let name = "wrong"; }];
}
"""


@pytest.mark.parametrize(
    ("record", "found"),
    [
        ('def D : DB<"dbg">;', {"dbg::D": "dbg"}),
        ('def D_Dialect : DB<"dbg"> {}', {"dbg::DDialect": "dbg"}),
        ('def D : Named<"loops">;', {"my::loops::D": "loops_ir"}),
        (
            'def D : Other<1>, Named<"loops", "", "a"> {\n  let name = "x";\n}',
            {"a::loops::D": "x"},
        ),
        (
            'class C<string n> : Dialect { let name = n; } def D : C<"dbg">;',
            {"dbg::D": "dbg"},
        ),
        ("def D : DB<unknown>;", {}),
        ('def D : Other<"dbg">;', {}),
    ],
)
def test_a_dialect_may_derive_from_a_class_in_another_file(
    record: str, found: dict[str, str]
) -> None:
    assert dict(declare([record, OF_CLASSES])) == found


@pytest.mark.parametrize(
    ("name", "namespace"),
    [
        (CLASS, "tt"),
        (f"::{CLASS}", "tt"),
        ("triton::TritonDialect", "tt"),
        ("TritonDialect", "tt"),
        ("scf::SCFDialect", "scf"),
        ("my::TritonDialect", None),
        ("FooDialect", None),
    ],
)
def test_scopes_may_be_left_out_unless_that_is_ambiguous(
    name: str, namespace: str | None
) -> None:
    classes = {CLASS: "tt", "a::FooDialect": "a", "b::FooDialect": "b"}

    assert Dialects(classes).namespace(name) == namespace


def test_namespaces_are_read_from_files_in_the_folders(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "Triton.td").write_text(TRITON)

    found = Dialects({}).with_declared_in([str(tmp_path), "absent"])

    assert found.namespace(CLASS) == "tt"


def test_a_dialect_that_the_file_includes_is_no_guess() -> None:
    imported = import_dump(dump(CLASS, included=True), "Passes.td")

    assert "dependentDialects: [tt]" in imported.text
    assert "guess" not in imported.text
    assert not [each for each in imported.warnings if "guess" in each.message]


def test_a_guess_is_marked_and_warned_of_once() -> None:
    imported = import_dump(dump(CLASS), "Passes.td")

    [warning] = imported.warnings
    assert warning.message == (
        f"pass 'A': namespace 'triton' of dialect class '{CLASS}' is a guess; "
        "1 more pass has it"
    )
    assert f"""\
cpp:
  dialects:
    triton:
      class: {CLASS}
      namespace: triton  # a guess
""" in imported.text


def test_one_key_of_the_group_settles_a_guess() -> None:
    given = dump(CLASS)
    text = import_dump(given, "Passes.td").text
    settled = text.replace("namespace: triton", "namespace: tt")

    group = read(SourceFile("passes.yaml", settled))

    assert [
        [each.name for each in pass_.dependent_dialects] for pass_ in group.passes
    ] == [["tt"], ["tt"]]
    assert group_records(group) == tuple(each.record for each in given.passes)
