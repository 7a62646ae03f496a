from __future__ import annotations

from passgen_runtime import OperationPass, PassOptions, statistic
from passgen_runtime.pass_statistics import (
    ReportNode,
    declared_statistics,
    report,
    report_rows,
)


class Counting(OperationPass[PassOptions]):
    argument = "counting"
    seen = statistic("num-seen", "Number of operations seen")
    erased = statistic("erased", "Number of operations erased")

    def run_on_operation(self) -> None:
        """Do nothing."""


class CountingMore(Counting):
    deepest = statistic("deepest", "Largest depth met")


def test_each_instance_counts_its_own() -> None:
    one, other = Counting(), Counting()

    one.seen += 2
    one.seen += 1
    other.seen = 7

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


def test_clone_counts_from_zero() -> None:
    pass_ = Counting()
    pass_.seen += 4

    assert int(pass_.clone().seen) == 0


def test_declared_statistics_are_ordered_by_name() -> None:
    names = [each.display_name for each in declared_statistics(CountingMore())]

    assert names == ["deepest", "erased", "num-seen"]
    assert Counting.seen.display_name == "num-seen"


def test_rows_hold_unused_counters_too() -> None:
    pass_ = Counting()
    pass_.erased += 12

    assert report_rows(pass_) == (
        ("erased", "Number of operations erased", 12),
        ("num-seen", "Number of operations seen", 0),
    )


NODES = (
    ReportNode("CSE", (("num-cse'd", "CSE'd", 1), ("num-dce'd", "DCE'd", 10))),
    ReportNode(
        "'func.func' Pipeline",
        (),
        (
            ReportNode("Canonicalizer"),
            ReportNode("CSE", (("num-cse'd", "CSE'd", 5), ("num-dce'd", "DCE'd", 90))),
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
'func.func' Pipeline
  Canonicalizer
  CSE
    (S)  5 num-cse'd - CSE'd
    (S) 90 num-dce'd - DCE'd

"""


def test_list_view_adds_up_instances() -> None:
    assert report(NODES, "list") == """\
===-------------------------------------------------------------------------===
                         ... Pass statistics report ...
===-------------------------------------------------------------------------===
  CSE
    (S)   6 num-cse'd - CSE'd
    (S) 100 num-dce'd - DCE'd

"""
