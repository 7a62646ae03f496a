"""Attributes of new operations: what is left out, and what is of the wrong kind."""

from __future__ import annotations

import pytest

from passgen_tools.verify import verify_patterns
from passgen_tools.verify.judgements import Judgement
from passgen_tools.verify.shipped_semantics import SEMANTICS
from tests.pattern_cases import pass_of, pattern

REQUIRED = {"arith.constant": "value", "arith.cmpi": "predicate"}

CREATED = """\
%type = pdl.type : i8
%result_type = pdl.type : {result_type}
%x = pdl.operand : %type
%root = pdl.operation "arith.{root}" (%x, %x : !pdl.value, !pdl.value) -> (%result_type : !pdl.type)
pdl.rewrite %root {{
  {attribute}
  %new = pdl.operation "arith.{name}" {operands} {attributes} -> (%result_type : !pdl.type)
  pdl.replace %root with %new
}}
"""


def judge(name: str, attribute: str, value: str, num_operands: int) -> Judgement:
    """Judge a new operation in the place of one of the same results."""
    is_comparison = name == "cmpi"
    values = ", ".join(["%x"] * num_operands)
    types = ", ".join(["!pdl.value"] * num_operands)
    pdl = CREATED.format(
        result_type="i1" if is_comparison else "i8",
        root="cmpi" if is_comparison else "xori",
        attribute=f"%a = pdl.attribute{value}" if value else "",
        name=name,
        operands=f"({values} : {types})" if num_operands else "",
        attributes=f'{{"{attribute}" = %a}}' if value else "",
    )
    return [*verify_patterns(pass_of(pattern(pdl)))][-1]


@pytest.mark.parametrize(("name", "operands"), [("constant", 0), ("cmpi", 2)])
def test_a_new_operation_without_a_required_attribute_is_wrong(
    name: str, operands: int
) -> None:
    judged = judge(name, "", "", operands)
    missing = REQUIRED[f"arith.{name}"]
    assert judged.verdict == "wrong"
    assert f"the new 'arith.{name}' has no attribute '{missing}'" in judged.reason


@pytest.mark.parametrize("name", ["addi", "muli", "shrui", "divui"])
def test_an_attribute_with_a_default_may_be_left_out(name: str) -> None:
    judged = judge(name, "", "", 2)
    assert "attribute" not in judged.reason


def test_each_attribute_is_required_or_has_a_default() -> None:
    names = {row.attribute for row in SEMANTICS.values()} - {""}
    assert names == {"overflowFlags", "isExact", *REQUIRED.values()}


@pytest.mark.parametrize(
    ("name", "attribute", "value", "operands"),
    [
        ("constant", "value", ' = "zero"', 0),
        ("constant", "value", " = 0 : i16", 0),
        ("constant", "value", " = 0.0 : f32", 0),
        ("constant", "value", " = dense<0> : tensor<1xi8>", 0),
        ("constant", "value", " = unit", 0),
        ("cmpi", "predicate", " = 0 : i32", 2),
        ("cmpi", "predicate", " = 10 : i64", 2),
        ("cmpi", "predicate", ' = "eq"', 2),
        ("addi", "overflowFlags", " = 0 : i32", 2),
        ("addi", "overflowFlags", ' = "nsw"', 2),
        ("divui", "isExact", " = true", 2),
        ("divui", "isExact", ' = "exact"', 2),
    ],
)
def test_a_new_attribute_of_another_kind_is_wrong(
    name: str, attribute: str, value: str, operands: int
) -> None:
    judged = judge(name, attribute, value, operands)
    assert judged.verdict == "wrong", judged


@pytest.mark.parametrize(
    ("type_", "attribute", "new"),
    [
        ("i16", "value", 'arith.constant" {"value" = %a}'),
        (
            "i64",
            "value",
            'arith.addi" (%x, %x : !pdl.value, !pdl.value) {"overflowFlags" = %a}',
        ),
    ],
)
def test_a_matched_attribute_of_another_kind_is_wrong(
    type_: str, attribute: str, new: str
) -> None:
    pdl = f"""\
%type = pdl.type : i8
%other = pdl.type : {type_}
%x = pdl.operand : %type
%a = pdl.attribute
%constant = pdl.operation "arith.constant" {{"{attribute}" = %a}} -> (%other : !pdl.type)
%c = pdl.result 0 of %constant
%cast = pdl.operation "arith.trunci" (%c : !pdl.value) -> (%type : !pdl.type)
%y = pdl.result 0 of %cast
%root = pdl.operation "arith.andi" (%x, %y : !pdl.value, !pdl.value) -> (%type : !pdl.type)
pdl.rewrite %root {{
  %new = pdl.operation "{new} -> (%type : !pdl.type)
  pdl.replace %root with %new
}}
"""
    judged = [*verify_patterns(pass_of(pattern(pdl)))][-1]
    assert judged.verdict == "wrong", judged
