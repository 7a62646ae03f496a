from __future__ import annotations

import pytest

from passgen_tools.workers.cost_model import OperationCost, decide

CHEAP = OperationCost(work_s=40e-6, codec_s=64e-6)
DEAR = OperationCost(work_s=1e-3, codec_s=64e-6, size_bytes=2_000)


def test_passes_cheaper_than_the_codec_stay_at_home() -> None:
    decision = decide(10_000, CHEAP, 2)

    assert decision.batch_size == 0
    assert decision.reason == (
        "kept in the parent process: passes take 0.0 ms an operation, sending it takes 0.1 ms"
    )


def test_passes_that_take_a_few_times_the_codec_go_out_in_four_batches_a_worker() -> (
    None
):
    decision = decide(10_000, DEAR, 2)

    assert decision.batch_size == 1_250
    assert decision.reason.startswith("sent to 2 workers, 1250 operations at a time: ")


@pytest.mark.parametrize(
    ("num_operations", "goes_out"), [(1_000, False), (3_000, True)]
)
def test_start_of_workers_must_pay(num_operations: int, *, goes_out: bool) -> None:
    decision = decide(num_operations, DEAR, 2, start_s=1)

    assert (decision.batch_size > 0) is goes_out


def test_batch_fits_its_time_limit_and_the_memory_of_a_worker() -> None:
    large = OperationCost(work_s=1, codec_s=0.01, size_bytes=2**20)

    assert decide(1_000, DEAR, 2, max_batch_s=0.1).batch_size == 93
    assert decide(1_000, large, 2).batch_size == 16
    assert decide(1_000, large, 2, max_batch_s=0.1).batch_size == 1


def test_nothing_is_sent_to_nowhere() -> None:
    assert (
        decide(10, DEAR, 0).reason == "kept in the parent process: there are no workers"
    )
