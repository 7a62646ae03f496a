"""Simulates a run on 64 cores, and on 1,000 workers over a network of 1 ms.

    python tests/benchmarks/cluster_simulation.py [--codec-us 2400]

The cost model chooses the batches; the simulation then plays every batch through the
caller, the network and the workers, as the dispatcher sends them. Prints a table for
docs/performance.md, and exits 1 if the model is wrong by more than a quarter where it
sends anything.
"""

from __future__ import annotations

import argparse
import heapq
import sys

from passgen_runtime.extensions.workers import ItemCost, WorkerCost, decide

NUM_ITEMS = 100_000
WORK_US = (400, 3_000, 10_000, 100_000, 1_000_000)
SIZE_BYTES = 500
"""Of a function of ten operations, there and back."""

PLACES = {
    "64 cores": WorkerCost(63, num_shared_cores=64, start_s=0.5),
    "1,000 workers": WorkerCost(
        1_000, batch_s=0.001, round_trip_s=0.001, bandwidth_bytes_per_s=1.25e9
    ),
}
"""The second one: workers that are there, a link of 10 Gbit/s, and a scheduler that
needs a millisecond for a task, as Dask's does."""

BATCHES_PER_WORKER = 2
WRONG_BY = 1.25


def simulated_s(
    num_items: int, size: int, cost: ItemCost, workers: WorkerCost
) -> float:
    """Return the time of a run, batch for batch.

    The caller does one thing at a time: it encodes and sends a batch while there is
    room in flight, else it waits for the next reply and decodes it.
    """
    sizes = [min(size, num_items - begin) for begin in range(0, num_items, size)]
    codec_s = cost.caller_codec_s / 2
    way_s = workers.round_trip_s / 2
    now_s = workers.start_s
    link_free_s = now_s
    free_at_s = [now_s] * workers.num_workers
    replies: list[tuple[float, int]] = []
    for waiting in [*sizes, *[0] * len(sizes)]:
        room = BATCHES_PER_WORKER * workers.num_workers - len(replies)
        if not waiting or not room:
            if not replies:
                break
            come_s, items = heapq.heappop(replies)
            now_s = max(now_s, come_s) + items * codec_s
        if waiting:
            now_s += workers.batch_s + waiting * codec_s
            carried_s = waiting * cost.size_bytes / workers.bandwidth_bytes_per_s
            link_free_s = max(now_s, link_free_s) + carried_s
            begin_s = max(heapq.heappop(free_at_s), link_free_s + way_s)
            end_s = begin_s + waiting * (cost.work_s + cost.worker_codec_s)
            heapq.heappush(free_at_s, end_s)
            heapq.heappush(replies, (end_s + way_s, waiting))
    return now_s


def main() -> int:
    """Print the table; return whether the model is wrong."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--codec-us", type=float, default=2400)
    codec_s = parser.parse_args().codec_us / 1e6 / 2
    is_wrong = False
    print("| workers | passes, a function | batch | speed-up | by the model | limit |")
    print("|---|---|---|---|---|---|")
    for place, workers in PLACES.items():
        for work_us in WORK_US:
            cost = ItemCost(work_us / 1e6, codec_s, codec_s, SIZE_BYTES)
            decision = decide(NUM_ITEMS, cost, workers)
            start = f"| {place} | {work_us:,} µs |"
            modelled = decision.home_s / decision.expected_s
            if not decision.batch_size:
                print(f"{start} at home | 1 | {modelled:.2f} | {decision.limit} |")
                continue
            time_s = simulated_s(NUM_ITEMS, decision.batch_size, cost, workers)
            is_wrong |= not 1 / WRONG_BY < decision.expected_s / time_s < WRONG_BY
            print(
                f"{start} {decision.batch_size} | {decision.home_s / time_s:.1f} | "
                f"{modelled:.1f} | {decision.limit} |"
            )
    return int(is_wrong)


if __name__ == "__main__":
    sys.exit(main())
