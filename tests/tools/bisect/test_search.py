"""The binary search among states, of which some cannot be judged."""

from __future__ import annotations

from math import ceil, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passgen_tools.bisect.search import Search, find_ends
from passgen_tools.check_command import Verdict


@given(
    st.integers(1, 200).flatmap(
        lambda last: st.tuples(st.just(last), st.integers(1, last))
    )
)
def test_the_first_bad_state_is_found_in_as_many_steps_as_it_has_bits(
    sizes: tuple[int, int],
) -> None:
    last, first_bad = sizes
    asked: list[int] = []

    def judge(state: int) -> Verdict:
        asked.append(state)
        return "good" if state < first_bad else "bad"

    search = Search(judge, last)

    assert search.run()
    assert (search.good, search.bad) == (first_bad - 1, first_bad)
    assert len(asked) <= ceil(log2(last))
    assert search.contradiction() is None


@given(st.integers(2, 60), st.data())
def test_states_that_cannot_be_judged_only_widen_the_answer(
    last: int, data: st.DataObject
) -> None:
    first_bad = data.draw(st.integers(1, last))
    skipped = data.draw(st.sets(st.integers(1, last - 1)))

    def judge(state: int) -> Verdict:
        if state in skipped:
            return "skip"
        return "good" if state < first_bad else "bad"

    search = Search(judge, last)
    is_exact = search.run()

    assert search.good < first_bad <= search.bad
    assert set(range(search.good + 1, search.bad)) <= skipped
    assert is_exact == (search.good + 1 == search.bad)


@given(st.integers(1, 60), st.data())
def test_ends_are_found_wherever_states_can_be_judged(
    last: int, data: st.DataObject
) -> None:
    first_bad = data.draw(st.integers(1, last))
    good = data.draw(st.sets(st.integers(0, first_bad - 1), min_size=1))
    bad = data.draw(st.sets(st.integers(first_bad, last), min_size=1))
    asked: list[int] = []

    def judge(state: int) -> Verdict:
        asked.append(state)
        return "good" if state in good else "bad" if state in bad else "skip"

    search = Search(judge, last, find_ends(judge, last))
    is_exact = search.run()

    assert (search.good, search.bad) == (max(good), min(bad))
    assert is_exact == (max(good) + 1 == min(bad))
    assert len(asked) == len({*asked})


def test_ends_are_found_fast_before_states_that_cannot_be_judged() -> None:
    asked: list[int] = []

    def judge(state: int) -> Verdict:
        asked.append(state)
        return "good" if state < 100 else "bad" if state < 200 else "skip"

    find_ends(judge, 1000)

    assert asked == [0, 1000, 500, 250, 750, 125]


def test_a_search_gives_up_after_as_many_skips_as_it_may_have() -> None:
    asked: list[int] = []

    def judge(state: int) -> Verdict:
        asked.append(state)
        return "skip"

    assert not Search(judge, 1000).run(max_skips=3)
    assert asked == [500, 750, 250]


def test_a_search_walks_over_no_row_of_states_that_cannot_be_judged() -> None:
    asked: list[int] = []

    def judge(state: int) -> Verdict:
        asked.append(state)
        return "skip" if 400 <= state <= 600 else "good" if state < 620 else "bad"

    search = Search(judge, 1000)

    assert search.run()
    assert search.bad == 620
    assert len(asked) < 20


@pytest.mark.parametrize("wrong", [24, 75])
def test_a_state_that_contradicts_the_answer_is_found_in_the_widest_gap(
    wrong: int,
) -> None:
    def judge(state: int) -> Verdict:
        is_good = (state < 50) != (state == wrong)
        return "good" if is_good else "bad"

    search = Search(judge, 100)
    search.good, search.bad = 49, 50
    search.verdicts |= {49: "good", 50: "bad"}

    assert search.contradiction() == wrong
