from __future__ import annotations

import pytest

from passgen_runtime import OperationPass, PassOptions, statistic
from passgen_runtime.pass_statistics import (
    ReportNode,
    Statistic,
    declared_statistics,
    report,
)


class Counting(OperationPass[PassOptions]):
    argument = "counting"
    seen = statistic("num-seen", "Number of operations seen")
    erased = statistic("erased", "Number of operations erased")

    def run_on_operation(self) -> None:
        """Do nothing."""


class CountingMore(Counting):
    deepest = statistic("deepest", "Largest depth met", kind="maximum")


def test_each_instance_counts_its_own() -> None:
    one, other = Counting(), Counting()

    one.seen += 2
    one.seen += 1
    other.seen += 7

    assert (int(one.seen), int(other.seen), int(one.erased)) == (3, 7, 0)
    assert f"{one.seen.value:b}" == "11"
    assert list(range(5))[one.seen] == 3


def test_a_counter_is_compared_and_subtracted_from_like_its_count() -> None:
    pass_ = Counting()
    pass_.seen += 3
    pass_.seen -= 1

    assert pass_.seen == 2
    assert pass_.seen != pass_.erased
    assert 1 < pass_.seen <= 2
    assert pass_.seen != "2"


def test_maximum() -> None:
    pass_ = CountingMore()

    for depth in (2, 5, 3):
        pass_.deepest.update_max(depth)

    assert int(pass_.deepest) == 5


def test_a_statistic_cannot_be_set() -> None:
    pass_ = CountingMore()

    with pytest.raises(TypeError, match="'num-seen' cannot be set: \\+= adds to a sum"):
        pass_.seen = max(pass_.seen, 3)  # type: ignore[assignment] # as authors write
    with pytest.raises(TypeError, match="'deepest' cannot be set"):
        pass_.deepest = pass_.seen
    with pytest.raises(AttributeError, match="value"):
        pass_.seen.value = 3  # type: ignore[misc] # copies of the pass would add it up


@pytest.mark.parametrize("count", [2.5, "2", None])
def test_a_count_is_an_integer(count: float | str | None) -> None:
    pass_ = CountingMore()

    with pytest.raises(TypeError, match="as an integer"):
        pass_.seen += count  # type: ignore[arg-type] # as authors may write
    with pytest.raises(TypeError, match="as an integer"):
        pass_.deepest.update_max(count)  # type: ignore[arg-type]


def test_what_a_statistic_keeps_is_declared() -> None:
    pass_ = CountingMore()

    with pytest.raises(TypeError, match="'deepest' is a maximum: update_max"):
        pass_.deepest += 1
    with pytest.raises(TypeError, match="'num-seen' is a sum: add to it"):
        pass_.seen.update_max(1)


def test_clone_counts_from_zero() -> None:
    pass_ = Counting()
    pass_.seen += 4

    assert int(pass_.clone().seen) == 0


def test_declared_statistics_are_ordered_by_name() -> None:
    names = [each.display_name for each in declared_statistics(CountingMore())]

    assert names == ["deepest", "erased", "num-seen"]
    assert Counting.seen.display_name == "num-seen"


def cse(num_cse: int, num_dce: int, largest: int) -> ReportNode:
    """Return what a report says of a `cse` that has these counts."""
    counters = (
        Statistic("num-cse'd", "CSE'd"),
        Statistic("num-dce'd", "DCE'd"),
        Statistic("largest", "Most operations", "maximum"),
    )
    for counter, count in zip(counters, (num_cse, num_dce, largest), strict=True):
        counter.merge(count)
    return ReportNode("CSE", counters)


NODES = (
    cse(1, 10, 8),
    ReportNode(
        "'func.func' Pipeline",
        (),
        (
            ReportNode("Canonicalizer"),
            cse(5, 90, 7),
        ),
    ),
)


def test_pipeline_view_mirrors_the_nesting() -> None:
    assert report(NODES, "pipeline") == """\
===-------------------------------------------------------------------------===
                         ... Pass statistics report ...
===-------------------------------------------------------------------------===
CSE
  (S)  1 num-cse'd - CSE'd
  (S) 10 num-dce'd - DCE'd
  (S)  8 largest   - Most operations
'func.func' Pipeline
  Canonicalizer
  CSE
    (S)  5 num-cse'd - CSE'd
    (S) 90 num-dce'd - DCE'd
    (S)  7 largest   - Most operations

"""


def test_list_view_adds_up_instances() -> None:
    assert report(NODES, "list") == """\
===-------------------------------------------------------------------------===
                         ... Pass statistics report ...
===-------------------------------------------------------------------------===
  CSE
    (S)   6 num-cse'd - CSE'd
    (S) 100 num-dce'd - DCE'd
    (S)   8 largest   - Most operations

"""
