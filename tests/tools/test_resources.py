"""Resources that IR refers to: what compares IR compares their contents too."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface

from passgen_runtime.context import Context
from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_tools.ir_libraries import inspector_of
from passgen_tools.pipeline_run import run
from tests.recording import Running, Session, step

SOURCE = """\
module {
  func.func @f() {
    %0 = arith.constant dense_resource<weights> : tensor<2xi32>
    return
  }
  module @inner attributes {func.weights = dense_resource<inner> : tensor<1xi32>} {
    func.func @g() {
      return
    }
  }
}
{-#
  dialect_resources: {
    builtin: {
      weights: "0x040000000100000002000000",
      inner: "0x0400000003000000",
      unused: "0x0400000004000000"
    }
  }
#-}
"""
WEIGHTS = {("builtin", "weights"): '"0x040000000100000002000000"'}
INNER = {("builtin", "inner"): '"0x0400000003000000"'}


both_libraries = pytest.mark.parametrize(
    "make",
    [XDSLContext, pytest.param(MLIRContext, marks=pytest.mark.bindings)],
    ids=["xdsl", "mlir"],
)


@both_libraries
def test_an_inspector_finds_the_resources_of_an_operation(
    make: Callable[[], Context],
) -> None:
    context = make()
    module = context.parse(SOURCE, "input.mlir")
    function, inner = context.children(module)
    inspector = inspector_of(context)

    assert inspector.resources(module) == WEIGHTS | INNER
    assert inspector.resources(module, recursive=False) == {}
    assert inspector.resources(function) == WEIGHTS
    assert inspector.resources(inner) == INNER
    assert inspector.resources(inner, recursive=False) == INNER


QUOTED = SOURCE.replace("<weights>", '<"a\\22 key">').replace(
    "      weights:", '      "a\\22 key":'
)


@both_libraries
def test_a_key_may_be_in_quotes(make: Callable[[], Context]) -> None:
    context = make()
    # Another text may have the key with other contents.
    context.parse(QUOTED.replace("01000000", "09000000"), "first.mlir")
    module = context.parse(QUOTED, "input.mlir")
    printed = context.print(module)
    again = make()

    resources = inspector_of(context).resources(module)

    assert sorted(resources.values()) == sorted((WEIGHTS | INNER).values())
    assert all(key.startswith(('a" key', "inner")) for _, key in resources)
    parsed = again.parse(printed, "printed.mlir")
    assert inspector_of(again).resources(parsed) == resources


@both_libraries
@pytest.mark.parametrize(
    ("content", "differs"), [("01000000", [True, False]), ("03000000", [False, True])]
)
def test_fingerprints_differ_with_the_contents_of_resources(
    make: Callable[[], Context], content: str, differs: list[bool]
) -> None:
    fingerprints = []
    for text in (SOURCE, SOURCE.replace(content, "09000000")):
        context = make()
        module = context.parse(text, "input.mlir")
        operations = [module, *context.children(module)]
        fingerprints.append(list(map(context.fingerprint, operations)))

    found = [one != other for one, other in zip(*fingerprints, strict=True)]
    assert found == [True, *differs]


def replace_weights(running: Running) -> None:
    """Replace the content of a resource under its key."""
    builtin = running.context.xdsl.get_dialect("builtin")
    builtin.get_interface(OpAsmDialectInterface).parse_resource("weights", "0x0400")


def test_a_replaced_content_is_a_change() -> None:
    session = Session(SOURCE)
    inspector = inspector_of(session.context)
    function = session.context.children(session.module)[0]
    snapshot = inspector.snapshot(function)
    shallow = inspector.shallow_fingerprint(
        constant := session.context.children(function)[0]
    )
    session.manager.add_pass(step("replaces", do=replace_weights))
    session.run()

    assert inspector.snapshot(function) != snapshot
    assert inspector.shallow_fingerprint(constant) != shallow


@both_libraries
def test_a_run_that_changes_nothing_shows_no_change_of_resources(
    make: Callable[[], Context],
) -> None:
    assert run("symbol-dce", SOURCE, context=make()).changes == ""


def test_a_run_shows_the_content_that_a_pass_has_replaced() -> None:
    changes = run([step("replaces", do=replace_weights)], SOURCE).changes

    assert '-      inner: "0x0400000003000000",weights: "0x04000000010000' in changes
    assert 'weights: "0x0400"' in changes
