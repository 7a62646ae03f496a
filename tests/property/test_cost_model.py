"""The cost model: whatever is measured, its decision is sound."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from passgen_runtime.extensions.workers import ItemCost, WorkerCost, decide

TIMES_S = st.floats(0, 10)
COSTS = st.builds(ItemCost, TIMES_S, TIMES_S, TIMES_S, st.floats(0, 1e9))
WORKERS = st.builds(
    WorkerCost,
    st.integers(0, 2_000),
    num_shared_cores=st.integers(0, 64),
    start_s=TIMES_S,
    batch_s=st.floats(0, 0.1),
    round_trip_s=st.floats(0, 1),
    bandwidth_bytes_per_s=st.floats(1e3, 1e10),
)
NUM_ITEMS = st.integers(0, 1_000_000)


@given(NUM_ITEMS, COSTS, WORKERS, st.integers(0, 1_000))
def test_batches_hold_each_item_once(
    num_items: int, cost: ItemCost, workers: WorkerCost, first: int
) -> None:
    num_items %= 10_000
    decision = decide(num_items, cost, workers)

    indices = [index for batch in decision.batches(first) for index in batch]
    assert indices == list(range(first, first + decision.num_items))
    assert decision.num_items in {0, num_items}
    assert (decision.batch_size > 0) == (decision.num_items > 0)


@given(NUM_ITEMS, COSTS, WORKERS)
def test_what_is_sent_is_expected_to_be_faster_than_at_home(
    num_items: int, cost: ItemCost, workers: WorkerCost
) -> None:
    decision = decide(num_items, cost, workers)

    is_sent = decision.num_items > 0
    assert is_sent == (decision.expected_s < 0.9 * decision.home_s)


@given(NUM_ITEMS, COSTS, WORKERS)
def test_nothing_beats_the_cores_and_the_caller(
    num_items: int, cost: ItemCost, workers: WorkerCost
) -> None:
    decision = decide(num_items, cost, workers)

    total_s = num_items * (cost.work_s + cost.worker_codec_s)
    bounds = [num_items * cost.caller_codec_s]
    if workers.num_workers:
        bounds.append(total_s / workers.num_workers)
    assert decision.expected_s >= 0.999 * max(bounds)


@given(NUM_ITEMS, COSTS, WORKERS)
def test_workers_that_start_later_are_not_faster(
    num_items: int, cost: ItemCost, workers: WorkerCost
) -> None:
    later = replace(workers, start_s=workers.start_s + 1)

    decisions = [decide(num_items, cost, each) for each in (workers, later)]
    assert decisions[0].num_items >= decisions[1].num_items
