"""Rewrites of integers and floats as MLIR's dialect `arith` has them, by example.

The names are those of its declarations. `verdict` is that of `passgen-verify` on
integers of a few bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

from passgen_runtime.patterns import Patterns, PatternVariable, RewritePattern
from tests.pattern_cases import pass_of

Attribute: TypeAlias = Any


@dataclass(frozen=True)
class ArithRewrite:
    """A rewrite of the table."""

    before: str
    after: str
    verdict: str = "proved"
    variables: tuple[PatternVariable, ...] = ()
    unused: tuple[str, ...] = ()
    mlir_only: str = ""
    """Why xDSL cannot parse the example; empty if it can."""

    few_bits: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Examples of types and constants for a short verification."""


def _type(
    name: str, *examples: str, kind: str = "integer", where: str = ""
) -> PatternVariable:
    return PatternVariable(name=name, examples=examples, any=kind, where=where)  # type: ignore[arg-type]


def _attribute(
    name: str, *examples: str, where: str = "", make: str = ""
) -> PatternVariable:
    return PatternVariable(
        name=name, examples=examples, is_attribute=True, where=where, make=make
    )


T: Final = _type("T", "i32", "i64")
S: Final = _type("S", "i8", "i16")
WIDE: Final = _type("T", "i32", "i64")
FLOAT: Final = _type("T", "f32", "f64", kind="float")
C0, C1 = _attribute("c0", "1", "0"), _attribute("c1", "1", "-1")
FLAGS: Final = (
    _attribute("f", "nsw", "nuw"),
    _attribute("g", "nsw", "nuw"),
    _attribute("h", "nsw", "nuw", make="commonFlags(f, g)"),
)


def _constants(  # noqa: PLR0913 - the last three are named
    inner: str,
    outer: str,
    result: str,
    make: str,
    *,
    example: str,
    verdict: str,
    merges: bool = True,
) -> ArithRewrite:
    """Return a rewrite of two operations with a constant each to one with a third.

    Args:
        inner: the first operation, with `%c0`.
        outer: the second one, with `%a` and `%c1`.
        result: the new one, with `%c`.
        make: the function that makes the constant.
        example: the constant that it makes of two ones.
        verdict: of the verification.
        merges: whether the new operation has flags.
    """
    flags, more, merged = "overflow<$f>", "overflow<$g>", "overflow<$h>"
    if not merges:
        flags, more, merged = "", "", ""
    before = (
        f"%c0 = arith.constant $c0 : $T\n%a = {inner} {flags} : $T\n"
        f"%c1 = arith.constant $c1 : $T\n%0 = {outer} {more} : $T"
    )
    after = f"%c = arith.constant $c : $T\n%0 = {result} {merged} : $T"
    made = _attribute("c", example, "-1", make=make)
    variables = (T, C0, C1, made, *(FLAGS if merges else ()))
    return ArithRewrite(before, after, verdict, variables)


def _of_extensions(operation: str, extension: str) -> ArithRewrite:
    return ArithRewrite(
        f"%a = arith.{extension} %x : $S to $T\n"
        f"%b = arith.{extension} %y : $S to $T\n%0 = arith.{operation} %a, %b : $T",
        f"%c = arith.{operation} %x, %y : $S\n%0 = arith.{extension} %c : $S to $T",
        variables=(S, WIDE),
    )


def _comparison_of(extension: str) -> ArithRewrite:
    return ArithRewrite(
        f"%a = arith.{extension} %x : $S to $T\n"
        f"%b = arith.{extension} %y : $S to $T\n%0 = arith.cmpi $p, %a, %b : $T",
        "%0 = arith.cmpi $p, %x, %y : $S",
        variables=(S, WIDE, _attribute("p", "eq", "ne", where="isEquality")),
    )


def _low_half(operation: str) -> ArithRewrite:
    return ArithRewrite(
        f"%0, %1 = arith.{operation} %x, %y : $T",
        "%0 = arith.muli %x, %y : $T\n%1 = %x",
        variables=(T,),
        unused=("1",),
    )


def _truncation_of(extension: str) -> ArithRewrite:
    return ArithRewrite(
        f"%a = arith.{extension} %x : $S to $T\n%0 = arith.trunci %a : $T to $U",
        f"%0 = arith.{extension} %x : $S to $U",
        variables=(
            S,
            _type("T", "i64", "i128"),
            _type("U", "i32", "i33", where="wider(U, S)"),
        ),
    )


def _rounding_of(conversion: str) -> ArithRewrite:
    return ArithRewrite(
        f"%a = arith.{conversion} %x : $S to $T\n%0 = arith.truncf %a $r : $T to $U",
        f"%0 = arith.{conversion} %x : $S to $U",
        "not-checked",
        (
            S,
            _type("T", "f64", "f80", kind="float"),
            _type("U", "f32", "f16", kind="float"),
            _attribute("r", "to_nearest_even", "", where="absent"),
        ),
        mlir_only="`arith.truncf` has no rounding mode",
    )


def _of_negations(operation: str) -> ArithRewrite:
    return ArithRewrite(
        "%a = arith.negf %x : $T\n%b = arith.negf %y : $T\n"
        f"%0 = arith.{operation} %a, %b fastmath<$f> : $T",
        f"%0 = arith.{operation} %x, %y fastmath<$f> : $T",
        "not-checked",
        (FLOAT, _attribute("f", "nnan", "ninf")),
    )


_MINUS_ONE: Final = "%m = arith.constant -1 : $T\n%a = arith.muli {}, %m : $T\n"
_NO_UNSIGNED_CASTS: Final = "`arith.index_castui` is not registered"

ARITH_REWRITES: Final = {
    "AddIAddConstant": _constants(
        "arith.addi %x, %c0",
        "arith.addi %a, %c1",
        "arith.addi %x, %c",
        "add(c0, c1)",
        example="2",
        verdict="wrong",
    ),
    "AddISubConstantRHS": _constants(
        "arith.subi %x, %c0",
        "arith.addi %a, %c1",
        "arith.addi %x, %c",
        "sub(c1, c0)",
        example="0",
        verdict="wrong",
    ),
    "AddISubConstantLHS": _constants(
        "arith.subi %c0, %x",
        "arith.addi %a, %c1",
        "arith.subi %c, %x",
        "add(c0, c1)",
        example="2",
        verdict="wrong",
    ),
    "AddIMulNegativeOneRhs": ArithRewrite(
        _MINUS_ONE.format("%y") + "%0 = arith.addi %x, %a : $T",
        "%0 = arith.subi %x, %y : $T",
        variables=(T,),
    ),
    "AddIMulNegativeOneLhs": ArithRewrite(
        _MINUS_ONE.format("%x") + "%0 = arith.addi %a, %y : $T",
        "%0 = arith.subi %y, %x : $T",
        variables=(T,),
    ),
    "MulIMulIConstant": _constants(
        "arith.muli %x, %c0",
        "arith.muli %a, %c1",
        "arith.muli %x, %c",
        "mul(c0, c1)",
        example="1",
        verdict="wrong",
    ),
    "AddUIExtendedToAddI": ArithRewrite(
        "%0, %1 = arith.addui_extended %x, %y : $T, i1",
        "%0 = arith.addi %x, %y : $T\n%no = arith.constant false\n%1 = %no",
        variables=(T,),
        unused=("1",),
    ),
    "SubIRHSAddConstant": _constants(
        "arith.addi %x, %c0",
        "arith.subi %a, %c1",
        "arith.addi %x, %c",
        "sub(c0, c1)",
        example="0",
        verdict="proved",
        merges=False,
    ),
    "SubILHSAddConstant": _constants(
        "arith.addi %x, %c0",
        "arith.subi %c1, %a",
        "arith.subi %c, %x",
        "sub(c1, c0)",
        example="0",
        verdict="wrong",
    ),
    "SubIRHSSubConstantRHS": _constants(
        "arith.subi %x, %c0",
        "arith.subi %a, %c1",
        "arith.subi %x, %c",
        "add(c0, c1)",
        example="2",
        verdict="wrong",
    ),
    "SubIRHSSubConstantLHS": _constants(
        "arith.subi %c0, %x",
        "arith.subi %a, %c1",
        "arith.subi %c, %x",
        "sub(c0, c1)",
        example="0",
        verdict="wrong",
    ),
    "SubILHSSubConstantRHS": _constants(
        "arith.subi %x, %c0",
        "arith.subi %c1, %a",
        "arith.subi %c, %x",
        "add(c0, c1)",
        example="2",
        verdict="wrong",
    ),
    "SubILHSSubConstantLHS": _constants(
        "arith.subi %c0, %x",
        "arith.subi %c1, %a",
        "arith.addi %x, %c",
        "sub(c1, c0)",
        example="0",
        verdict="wrong",
    ),
    "SubISubILHSRHSLHS": ArithRewrite(
        "%a = arith.subi %x, %y overflow<$f> : $T\n"
        "%0 = arith.subi %a, %x overflow<$g> : $T",
        "%z = arith.constant 0 : $T\n%0 = arith.subi %z, %y overflow<$h> : $T",
        variables=(T, *FLAGS),
    ),
    "MulSIExtendedToMulI": _low_half("mulsi_extended"),
    "MulSIExtendedRHSOne": ArithRewrite(
        "%one = arith.constant 1 : $T\n%0, %1 = arith.mulsi_extended %x, %one : $T",
        "%0 = %x\n%z = arith.constant 0 : $T\n%n = arith.cmpi slt, %x, %z : $T\n"
        "%1 = arith.extsi %n : $B to $T",
        variables=(
            _type("T", "i32", "i64", where="wider(T, B)"),
            PatternVariable(name="B", examples=("i1",)),
        ),
    ),
    "MulUIExtendedToMulI": _low_half("mului_extended"),
    "XOrINotCmpI": ArithRewrite(
        "%a = arith.cmpi $p, %x, %y : $T\n%true = arith.constant true\n"
        "%0 = arith.xori %a, %true : i1",
        "%0 = arith.cmpi $q, %x, %y : $T",
        variables=(
            T,
            _attribute("p", "slt", "ult"),
            _attribute("q", "sge", "uge", make="invertPredicate(p)"),
        ),
    ),
    "XOrIOfExtUI": _of_extensions("xori", "extui"),
    "XOrIOfExtSI": _of_extensions("xori", "extsi"),
    "CmpIExtSI": _comparison_of("extsi"),
    "CmpIExtUI": _comparison_of("extui"),
    "SelectNotCond": ArithRewrite(
        "%true = arith.constant true\n%n = arith.xori %c, %true : i1\n"
        "%0 = arith.select %n, %x, %y : $T",
        "%0 = arith.select %c, %y, %x : $T",
        variables=(T,),
    ),
    "RedundantSelectTrue": ArithRewrite(
        "%a = arith.select %c, %x, %y : $T\n%0 = arith.select %c, %a, %z : $T",
        "%0 = arith.select %c, %x, %z : $T",
        variables=(T,),
    ),
    "RedundantSelectFalse": ArithRewrite(
        "%a = arith.select %c, %x, %y : $T\n%0 = arith.select %c, %z, %a : $T",
        "%0 = arith.select %c, %z, %y : $T",
        variables=(T,),
    ),
    "SelectI1ToNot": ArithRewrite(
        "%false = arith.constant false\n%true = arith.constant true\n"
        "%0 = arith.select %c, %false, %true : i1",
        "%one = arith.constant true\n%0 = arith.xori %c, %one : i1",
    ),
    "IndexCastOfIndexCast": ArithRewrite(
        "%a = arith.index_cast %x : $T to index\n%0 = arith.index_cast %a : index to $T",
        "%0 = %x",
        variables=(T,),
    ),
    "IndexCastOfExtSI": ArithRewrite(
        "%a = arith.extsi %x : $S to $T\n%0 = arith.index_cast %a : $T to index",
        "%0 = arith.index_cast %x : $S to index",
        variables=(S, WIDE),
    ),
    "IndexCastUIOfIndexCastUI": ArithRewrite(
        "%a = arith.index_castui %x : $T to index\n"
        "%0 = arith.index_castui %a : index to $T",
        "%0 = %x",
        variables=(T,),
        mlir_only=_NO_UNSIGNED_CASTS,
    ),
    "IndexCastUIOfExtUI": ArithRewrite(
        "%a = arith.extui %x : $S to $T\n%0 = arith.index_castui %a : $T to index",
        "%0 = arith.index_castui %x : $S to index",
        variables=(S, WIDE),
        mlir_only=_NO_UNSIGNED_CASTS,
    ),
    "BitcastOfBitcast": ArithRewrite(
        "%a = arith.bitcast %x : $S to $T\n%0 = arith.bitcast %a : $T to $U",
        "%0 = arith.bitcast %x : $S to $U",
        variables=(
            _type("S", "i32", "f32", kind="type"),
            _type("T", "f32", "i32", kind="type"),
            _type("U", "i32", "f32", kind="type"),
        ),
    ),
    "ExtSIOfExtUI": ArithRewrite(
        "%a = arith.extui %x : $S to $U\n%0 = arith.extsi %a : $U to $T",
        "%0 = arith.extui %x : $S to $T",
        variables=(
            _type("S", "i8", "i4"),
            _type("U", "i16", "i17"),
            WIDE,
        ),
    ),
    "AndOfExtUI": _of_extensions("andi", "extui"),
    "AndOfExtSI": _of_extensions("andi", "extsi"),
    "OrOfExtUI": _of_extensions("ori", "extui"),
    "OrOfExtSI": _of_extensions("ori", "extsi"),
    "TruncIExtSIToExtSI": _truncation_of("extsi"),
    "TruncIExtUIToExtUI": _truncation_of("extui"),
    "TruncIShrSIToTrunciShrUI": ArithRewrite(
        "%c = arith.constant $c : $T\n%a = arith.shrsi %x, %c $e : $T\n"
        "%0 = arith.trunci %a overflow<$f> : $T to $U",
        "%d = arith.constant $c : $T\n%b = arith.shrui %x, %d $e : $T\n"
        "%0 = arith.trunci %b overflow<$f> : $T to $U",
        "wrong",
        (
            T,
            _type("U", "i8", "i16"),
            _attribute("c", "24", "23", where="isWidthDifference(c, T, U)"),
            _attribute("e", "exact", ""),
            _attribute("f", "nsw", "nuw"),
        ),
        mlir_only="`arith.shrsi` has no `exact`, nor `arith.trunci` flags",
        few_bits={"T": ("i4",), "U": ("i2", "i3"), "c": ("2", "1")},
    ),
    "TruncFSIToFPToSIToFP": _rounding_of("sitofp"),
    "TruncFUIToFPToUIToFP": _rounding_of("uitofp"),
    "MulFOfNegF": _of_negations("mulf"),
    "DivFOfNegF": _of_negations("divf"),
}


def rewrite_pattern(name: str) -> RewritePattern:
    """Return a rewrite of the table as a pattern."""
    row = ARITH_REWRITES[name]
    return RewritePattern(
        name=name,
        before=row.before,
        after=row.after,
        variables=row.variables,
        unused=row.unused,
    )


_FEW_BITS: Final = {"S": ("i1", "i2"), "U": ("i2", "i3"), "T": ("i3", "i4")}


def on_few_bits(name: str) -> RewritePattern:
    """Return a rewrite of the table as a pattern on a list of short integers."""
    pattern, row = rewrite_pattern(name), ARITH_REWRITES[name]
    is_alone = {variable.name for variable in row.variables}.isdisjoint({"S", "U"})
    few_bits = {**_FEW_BITS, **({"T": ("i2",)} if is_alone else {}), **row.few_bits}
    listed = tuple(
        (
            replace(variable, any="", examples=few_bits[variable.name])
            if variable.name in few_bits and variable.any in {"", "integer"}
            else variable
        )
        for variable in row.variables
    )
    return replace(pattern, variables=listed)


def number(attribute: Attribute) -> int:
    """Return the number that an integer attribute is."""
    value = attribute.value
    return int(getattr(value, "data", value))


def is_equality(predicate: Attribute) -> bool:
    """Return whether the predicate of a comparison is `eq` or `ne`."""
    return number(predicate) in (0, 1)


def arith_pass(*patterns: RewritePattern) -> type[Patterns]:
    """Return a pass with patterns of the table, and the function that they call."""
    return pass_of(*patterns, native_constraints=(("isEquality", is_equality),))
