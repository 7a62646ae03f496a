"""Names of dialects and operations: read from `.td` files, guessed from classes, and settled."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from passgen.cpp import group_records
from passgen.source import SourceFile
from passgen.spec import read
from passgen.tablegen import import_dump
from passgen.tablegen.dialects import (
    Dialects,
    declare,
    declare_operations,
    find_records,
)
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


def dump(
    *dialects: str, included: bool = False, base_class: str = "::mlir::OperationPass<>"
) -> Dump:
    """Return the dump of two passes that depend on `dialects`.

    Args:
        dialects: their classes.
        included: whether the file includes the dialect of Triton and an operation.
        base_class: that of both passes.
    """
    record = {
        "!anonymous": False, "!superclasses": ["PassBase", "Pass"],
        "!locs": ["Passes.td:1"], "argument": "a", "baseClass": base_class,
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
        records["TT_FuncOp"] = {
            "!anonymous": False, "!superclasses": ["Op"], "!locs": ["Ops.td:1"],
            "opDialect": {"def": "Triton_Dialect"}, "opName": "func",
            "cppNamespace": "::mlir::triton",
        }  # fmt: skip
        instances["Op"] = ["TT_FuncOp"]
    text = json.dumps({"!instanceof": instances, **records})
    return read_records(text, SourceFile("Passes.td", ""))


def test_a_td_file_declares_dialects() -> None:
    assert dict(declare(find_records([TRITON]))) == {
        CLASS: "tt",
        "short::ShortDialect": "short",
    }


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
    assert dict(declare(find_records([record, OF_CLASSES]))) == found


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


OPERATIONS = """\
def FIRRTLDialect : Dialect { let name = "firrtl"; let cppNamespace = "::circt::firrtl"; }
class FIRRTLOp<string mnemonic, list<Trait> traits = []> :
    Op<FIRRTLDialect, mnemonic, traits>;
class ReferableDeclOp<string mnemonic, list<Trait> traits = []> :
  FIRRTLOp<mnemonic, !listconcat(traits, [NonLeaf<"Block">])> {
  let hasVerifier = 1;
}
class AnyOp<Dialect dialect, string name> : Op<dialect, name # ".any">;
def CircuitOp : FIRRTLOp<"circuit",
      [IsolatedFromAbove, ParentOneOf<["A<1>", "B"]>]> {
  let summary = "A circuit";
}
def FIRRTL_WireOp : ReferableDeclOp<"wire"> { let cppNamespace = "::other"; }
def TheOp : AnyOp<FIRRTLDialect, "the">;
def LostOp : Op<UnknownDialect, "lost">;
def NumberedOp : FIRRTLOp<!strconcat("a", "b")>;
"""


def test_a_td_file_declares_operations_of_its_dialects() -> None:
    assert dict(declare_operations(find_records([OPERATIONS]))) == {
        "circt::firrtl::CircuitOp": "firrtl.circuit",
        "other::WireOp": "firrtl.wire",
        "circt::firrtl::TheOp": "firrtl.the.any",
    }


def test_operations_are_read_from_files_in_the_folders(tmp_path: Path) -> None:
    (tmp_path / "Ops.td").write_text(OPERATIONS)

    found = Dialects({}).with_declared_in([str(tmp_path)])

    assert found.operation("firrtl::CircuitOp") == "firrtl.circuit"
    assert found.operation("func::FuncOp") == "func.func"
    assert found.operation("hw::CircuitOp") is None


def test_an_operation_that_the_file_includes_is_known() -> None:
    given = dump(
        included=True, base_class="::mlir::OperationPass<mlir::triton::FuncOp>"
    )

    imported = import_dump(given, "Passes.td")

    assert "anchor: tt.func" in imported.text
    assert not imported.warnings
    group = read(SourceFile("passes.yaml", imported.text))
    assert group_records(group) == tuple(dumped.record for dumped in given.passes)


def test_one_key_of_the_group_settles_an_unknown_operation() -> None:
    given = dump(base_class="::mlir::OperationPass<hw::HWModuleOp>")
    imported = import_dump(given, "Passes.td")
    [warning] = imported.warnings
    assert "'cpp: {operations: {NAME: hw::HWModuleOp}}'" in warning.notes[0].message
    settled = f"cpp: {{operations: {{hw.module: hw::HWModuleOp}}}}\n{imported.text}"

    group = read(SourceFile("passes.yaml", settled))

    assert [pass_.operation for pass_ in group.passes] == ["hw.module", "hw.module"]
    assert not any(pass_.unknown_anchor for pass_ in group.passes)
    assert group_records(group) == tuple(dumped.record for dumped in given.passes)


@pytest.mark.parametrize("namespace", ["RTLx", "money$v2", "_x"])
def test_every_namespace_of_mlir_is_one_of_a_spec(namespace: str) -> None:
    known = Dialects({"my::MyDialect": namespace})
    read_dump = replace(dump("my::MyDialect"), dialects=known)

    group = read(SourceFile("a.yaml", import_dump(read_dump, "Passes.td").text))

    assert [str(each) for each in group.passes[0].dependent_dialects] == [namespace]
    assert group_records(group) == tuple(each.record for each in read_dump.passes)


def test_a_namespace_that_no_dialect_can_have_stays_out_of_the_spec() -> None:
    known = Dialects({"my::MyDialect": "a b"})
    read_dump = replace(dump("my::MyDialect"), dialects=known)

    group = read(SourceFile("a.yaml", import_dump(read_dump, "Passes.td").text))

    assert group_records(group) == tuple(each.record for each in read_dump.passes)


@pytest.mark.parametrize("interface", ["My_Interface", "interface"])
def test_an_interface_may_have_every_name_of_a_class(interface: str) -> None:
    read_dump = dump(base_class=f"::mlir::InterfacePass<my::{interface}>")

    group = read(SourceFile("a.yaml", import_dump(read_dump, "Passes.td").text))

    assert group.passes[0].interface == interface
    assert group_records(group) == tuple(each.record for each in read_dump.passes)
