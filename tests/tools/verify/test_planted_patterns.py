from __future__ import annotations

import pytest

from passgen_tools.verify import verify_patterns
from tests.pattern_cases import pass_of, pattern
from tests.tools.verify.planted_patterns import PLANTED, Planted


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted.text)
def test_a_pattern_is_proved_if_it_is_right(planted: Planted) -> None:
    judged = [*verify_patterns(pass_of(pattern(planted.pdl())))]
    expected = "proved" if planted.is_right else "wrong"
    assert judged[-1].verdict == expected, judged
    assert {judgement.verdict for judgement in judged} <= {"proved", expected}


def test_half_of_the_planted_patterns_are_wrong() -> None:
    assert [planted.is_right for planted in PLANTED].count(False) == 30
    assert len(PLANTED) == 60
