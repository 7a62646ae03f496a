"""`--verify-roundtrip` compares the IR that is read back, not its text."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl.context import Context as XDSLIRContext
from xdsl.dialects.builtin import Builtin
from xdsl.dialects.test import Test
from xdsl.ir import Data, Dialect
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from passgen_runtime.context import Context
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_tools.opt import main
from passgen_tools.testing import round_trip


@irdl_attr_definition
class Forgetful(Data[int]):
    """A number that is printed as 0, whatever it is."""

    name = "forgetful.number"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> int:
        with parser.in_angle_brackets():
            return parser.parse_integer()

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string("<0>")


def make_context(*, allow_unregistered: bool) -> Context:
    xdsl = XDSLIRContext(allow_unregistered=allow_unregistered)
    for dialect in (Builtin, Test, Dialect("forgetful", [], [Forgetful])):
        xdsl.load_dialect(dialect)
    return XDSLContext(xdsl)


def exit_code(text: str, folder: Path) -> int:
    file = folder / "f.mlir"
    file.write_text(text)
    return main(["--verify-roundtrip", str(file)], make_context=make_context)


def test_a_value_that_is_not_printed_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ir = '"test.op"() {v = 1 : i8} : () -> ()\n"test.op"() {v = #forgetful.number<N>}'
    ir += " : () -> ()\n"

    assert exit_code(ir.replace("N", "7"), tmp_path) == 1
    errors = capsys.readouterr().err
    assert "error: 'builtin.module' op text roundTrip testing" in errors
    assert "f.mlir:2:1: note: 'test.op' op is not read back as it was" in errors
    assert exit_code(ir.replace("N", "0"), tmp_path) == 0


def test_the_check_of_passes_finds_it_too() -> None:
    context = make_context(allow_unregistered=False)
    ir = '"test.op"() {v = #forgetful.number<N>} : () -> ()'

    round_trip(context.parse(ir.replace("N", "0"), "f.mlir"), context)
    with pytest.raises(AssertionError, match="does not parse to the same IR"):
        round_trip(context.parse(ir.replace("N", "7"), "f.mlir"), context)


BLOCKS = """\
"test.op"() ({
^bb0(%x: i32):
  "test.termop"() [^bb1] : () -> ()
^bb1:
  "test.termop"(%x) [^bb1] : (i32) -> ()
}) : () -> ()
"""


@pytest.mark.parametrize(
    "ir",
    [
        '"test.op"() {v = dense<[0x7E01, -0.0]> : tensor<2xf16>} : () -> ()',
        '%0 = "test.op"(%1) : (i32) -> i32\n%1 = "test.op"(%0) : (i32) -> i32',
        BLOCKS,
    ],
)
def test_what_is_read_back_is_equal(ir: str, tmp_path: Path) -> None:
    assert exit_code(ir, tmp_path) == 0


RESOURCE = """\
module {
  func.func @f() -> tensor<1xi32> {
    %0 = arith.constant dense_resource<weights> : tensor<1xi32>
    func.return %0 : tensor<1xi32>
  }
}
{-# dialect_resources: {builtin: {weights: "0x0400000001000000"}} #-}
"""


@pytest.mark.parametrize(
    "library", ["xdsl", pytest.param("mlir", marks=pytest.mark.bindings)]
)
def test_resources_keep_their_keys(library: str, tmp_path: Path) -> None:
    file = tmp_path / "f.mlir"
    file.write_text(RESOURCE)

    flags = ["--verify-roundtrip", f"--ir={library}", "-o", f"{tmp_path / 'out'}"]
    assert main([*flags, str(file)]) == 0
