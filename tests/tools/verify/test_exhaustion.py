from __future__ import annotations

import operator
import re
import sys
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
import z3

from passgen_tools.verify import pattern_check, verify_patterns
from passgen_tools.verify.bit_tables import BitVector
from passgen_tools.verify.exhaustion import TooManyBitsError, exhaustion
from tests.pattern_cases import pass_of, pattern
from tests.tools.verify.cases import numbers_of, side_by_side
from tests.tools.verify.planted_patterns import PLANTED, Planted

OPERATORS = [
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.mod),
    *(operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift),
    *(operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge),
    *(lambda a, _: -a, lambda a, _: ~a, lambda a, _: 2 + a, lambda a, _: 2 - a),
    *(
        lambda a, _: 5 / a,
        lambda a, _: 5 % a,
        lambda a, _: 1 << a,
        lambda a, _: -1 >> a,
    ),
]
FUNCTIONS: list[Callable[..., Any]] = [
    *(lambda e, a, b: e.ULT(a, b), lambda e, a, b: e.UDiv(a, b)),
    *(lambda e, a, b: e.URem(a, b), lambda e, a, b: e.SRem(a, b)),
    *(lambda e, a, b: e.LShR(a, b), lambda e, a, b: e.If(a < b, a, b)),
    *(lambda e, a, _: e.ZeroExt(2, a), lambda e, a, _: e.SignExt(2, a)),
    lambda e, a, _: e.Extract(a.size() - 1, a.size() // 2, a),
    *((lambda _, a, b, of=of: of(a, b)) for of in OPERATORS),
]


def number_of(constant: z3.ExprRef) -> int:
    known = z3.simplify(constant)
    return known.as_signed_long() if z3.is_bv(known) else -int(z3.is_true(known))


@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_results_are_those_of_z3(function: Callable[..., Any], size: int) -> None:
    pairs = [*product(range(1 << size), repeat=2)]
    a, b = (side_by_side(numbers, size) for numbers in zip(*pairs, strict=True))
    result = function(exhaustion(num_free_bits=8), a, b)
    for pair, found in zip(pairs, numbers_of(result, len(pairs)), strict=True):
        expected = function(z3, *(z3.BitVecVal(number, size) for number in pair))
        assert found == number_of(expected) % (1 << result.size()), pair


def test_the_search_finds_the_only_assignment_of_free_bits() -> None:
    engine = exhaustion(num_free_bits=8)
    a, b = engine.FreshConst(4), engine.FreshConst(4)
    solver = engine.SolverFor("QF_BV")
    solver.add(engine.ZeroExt(4, a) * engine.ZeroExt(4, b) == 11 * 13, engine.ULT(a, b))
    assert solver.check() == engine.sat
    found = [solver.model().eval(value).as_signed_long() % 16 for value in (a, b)]
    assert found == [11, 13]
    solver.add(a == b)
    assert solver.check() != engine.sat


def test_so_many_bits_may_be_free() -> None:
    engine = exhaustion(num_free_bits=8)
    engine.FreshConst(8)
    with pytest.raises(TooManyBitsError):
        engine.FreshBool()


def test_what_has_all_values_at_once_is_neither_true_nor_false() -> None:
    (bit,) = exhaustion(num_free_bits=8).FreshConst(1).tables
    with pytest.raises(TypeError, match="all values at once"):
        assert BitVector([bit]) == 0


def verdicts(planted: Planted) -> list[str]:
    """Return those about the pattern on types of few bits."""
    smaller = Planted(
        planted.is_right,
        planted.type if planted.type == "i1" else "i3",
        re.sub(r"\bi(16|32|64)\b", "i4", planted.text),
    )
    judged = verify_patterns(pass_of(pattern(smaller.pdl())))
    return [judgement.verdict for judgement in judged]


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted.text)
def test_verdicts_are_those_of_z3(
    planted: Planted, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as without_z3:
        without_z3.setitem(sys.modules, "z3", None)
        found = verdicts(planted)
    monkeypatch.setattr(pattern_check, "EXHAUSTED_WIDTH", 0)
    assert verdicts(planted) == found
    assert not planted.is_right or "wrong" not in found
