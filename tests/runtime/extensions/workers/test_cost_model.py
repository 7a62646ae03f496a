from __future__ import annotations

import math

import pytest

from passgen_runtime.extensions.workers import ItemCost, WorkerCost, decide

TWO_CORES = WorkerCost(2, num_shared_cores=2)
CLUSTER = WorkerCost(1_000, batch_s=0.001, round_trip_s=0.001)


def cost(work_us: float, size_bytes: float = 2_000) -> ItemCost:
    """Return the cost of passes with the codec's 64 microseconds around them."""
    return ItemCost(work_us / 1e6, 32e-6, 32e-6, size_bytes)


def test_passes_cheaper_than_the_codec_stay_at_home() -> None:
    decision = decide(10_000, cost(40), TWO_CORES)

    assert (decision.num_items, decision.batch_size) == (0, 0)
    assert decision.batches() == []
    assert decision.reason == (
        "kept at home: 550.7 ms in batches of 64, limited by the cores, "
        "400.0 ms at home"
    )


def test_passes_of_300_us_take_little_more_than_the_ideal_on_two_cores() -> None:
    decision = decide(10_000, cost(300), TWO_CORES)

    ideal = (300 + 64) / (2 * 300)
    assert ideal < decision.expected_s / decision.home_s < 1.07 * ideal
    assert decision.limit == "the cores"
    assert decision.reason.startswith("sent to 2 workers: 1.8")


def test_start_of_workers_must_pay() -> None:
    cold = WorkerCost(2, num_shared_cores=2, start_s=0.3)

    assert decide(1_000, cost(300), TWO_CORES).batch_size > 0
    assert decide(1_000, cost(300), cold).batch_size == 0
    assert decide(10_000, cost(300), cold).batch_size > 0


def test_caller_that_encodes_bounds_what_a_cluster_gains() -> None:
    decision = decide(100_000, cost(1_000), CLUSTER)

    assert decision.limit == "the caller's codec"
    assert decision.home_s / decision.expected_s < 1_000 / 32


def test_slow_network_bounds_it_too() -> None:
    slow = WorkerCost(1_000, round_trip_s=0.001, bandwidth_bytes_per_s=1e6)

    assert decide(100_000, cost(10_000), slow).limit == "the network"


def test_distant_workers_get_larger_batches() -> None:
    near = WorkerCost(4, round_trip_s=0.0001)
    far = WorkerCost(4, round_trip_s=0.1)
    sizes = [decide(1_000, cost(300), each).batch_size for each in (near, far)]

    assert sizes[0] < sizes[1]


def test_batch_fits_its_time_limit_and_the_memory_of_a_worker() -> None:
    assert decide(10_000, cost(10_000), TWO_CORES, max_batch_s=0.05).batch_size <= 4
    assert decide(10_000, cost(10_000, 2**22), TWO_CORES).batch_size <= 4


@pytest.mark.parametrize(
    ("num_items", "num_workers", "reason"),
    [
        (0, 2, "kept at home: there is nothing to send"),
        (5, 0, "kept at home: there are no workers"),
    ],
)
def test_nothing_is_sent_to_nowhere(
    num_items: int, num_workers: int, reason: str
) -> None:
    decision = decide(num_items, cost(1e6), WorkerCost(num_workers))

    assert (decision.batches(), decision.reason) == ([], reason)
    assert decision.expected_s == math.inf


def test_batches_begin_where_the_items_do() -> None:
    decision = decide(10, cost(1e6), WorkerCost(3))

    assert decision.batch_size == 1
    assert decision.batches(first=5) == [
        range(index, index + 1) for index in range(5, 15)
    ]
