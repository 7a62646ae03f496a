"""Passes whose declarations have items of each kind, and a driver with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from passgen_runtime import (
    BOOL,
    INT32,
    STRING,
    OperationPass,
    PassOptions,
    PassRegistry,
    enum_type,
    list_option,
    option,
)
from passgen_runtime.forms import Form, FormRules
from passgen_runtime.patterns import Patterns, RewritePattern
from passgen_runtime.remarks import Remarks, remark
from passgen_tools import opt

SOURCE = "specs/to-cover.yaml"
TWICE = """\
func.func @twice(%x: i32) -> i32 {
  %two = arith.constant 2 : i32
  %0 = arith.muli %x, %two : i32
  func.return %0 : i32
}
"""


class Mode(StrEnum):
    FAST = "fast"
    SMALL = "small"


@dataclass(kw_only=True)
class ReduceOptions(PassOptions):
    eager: bool = option("eager", BOOL, default=False, description="")
    mode: Mode = option("mode", enum_type(Mode), default=Mode.FAST, description="")
    modes: list[Mode] = list_option("modes", enum_type(Mode), description="")
    sizes: list[int] = list_option("sizes", INT32, description="")
    disabled_patterns: list[str] = list_option("disable", STRING, description="")
    limit: int = option("limit", INT32, default=3, description="")


class ReduceBase(Patterns, Remarks, OperationPass[ReduceOptions]):
    argument = "reduce"
    declared_in = SOURCE
    anchor = "func.func"
    forms = FormRules(
        needs=(Form("no-loops", absent=("scf.for",)),),
        gives=(Form("no-products", absent=("arith.muli",)),),
    )
    patterns = (
        RewritePattern(
            name="mulToAdd",
            before="%two = arith.constant 2 : i32\n%0 = arith.muli %x, %two : i32",
            after="%0 = arith.addi %x, %x : i32",
            line=7,
        ),
        RewritePattern(
            name="mulByOne",
            before="%one = arith.constant 1 : i32\n%0 = arith.muli %x, %one : i32",
            after="%0 = %x",
            line=9,
        ),
        RewritePattern(
            name="subOfEqual",
            before="%0 = arith.subi %x, %x : i32",
            after="%0 = arith.constant 0 : i32",
            line=11,
        ),
    )

    @remark("reduced", "passed", "a function was reduced")
    def remark_reduced(self, operation: object = None, /) -> None: ...

    @remark("skipped", "missed", "a function stays")
    def remark_skipped(self, operation: object = None, /) -> None: ...


class Reduce(ReduceBase):
    def run_on_operation(self) -> None:
        self.apply_patterns()
        self.remark_reduced()


class NeverRun(OperationPass[PassOptions]):
    argument = "never-run"
    declared_in = SOURCE

    def run_on_operation(self) -> None:
        raise NotImplementedError


class ByHand(OperationPass[PassOptions]):
    argument = "by-hand"

    def run_on_operation(self) -> None:
        self.mark_unchanged()


REGISTRY = PassRegistry()
for _cls in (Reduce, NeverRun, ByHand):
    REGISTRY.register_pass(_cls)


def main(arguments: Sequence[str]) -> int:
    return opt.main(arguments, registry=REGISTRY)
