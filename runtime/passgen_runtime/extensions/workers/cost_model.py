"""The cost model: what to send to workers, in which batches, or nothing.

Items go through three stations at once: the caller encodes and decodes them one after
the other, the network carries them, the workers do the rest. The slowest station sets
the pace; a batch that goes through all of them alone is waited for at the end.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

_BATCHES_PER_WORKER: Final = 2
"""How many are in flight; the next one arrives while a worker has one."""

_MAX_BATCH_BYTES: Final = 16 * 2**20
"""What a batch may take: the memory of a worker grows with it."""

_AS_GOOD: Final = 1.02
"""Of batches that are about equally good, small ones: less is lost with a worker."""

MARGIN: Final = 0.9
"""Sending must take less than this part of the time at home: figures are estimates."""


@dataclass(frozen=True, slots=True)
class ItemCost:
    """The cost of one item, on average."""

    work_s: float
    """What a worker is there for: the passes."""

    caller_codec_s: float
    """Encoding what goes out and decoding what comes back."""

    worker_codec_s: float
    """Decoding and encoding in the worker."""

    size_bytes: float = 0
    """There and back together."""

    batch_codec_s: float = 0
    """What the caller and a worker each take for a batch, whatever is in it."""


@dataclass(frozen=True, slots=True)
class WorkerCost:
    """The workers, and what it costs to reach them."""

    num_workers: int
    num_shared_cores: int = 0
    """The cores of the one machine that they share with the caller; 0 if they have
    machines of their own."""

    start_s: float = 0
    """How long it takes until they are ready; 0 if they are."""

    batch_s: float = 0.0003
    """The caller's work for a batch, whatever is in it."""

    round_trip_s: float = 0.0001
    bandwidth_bytes_per_s: float = 1e9


@dataclass(frozen=True, slots=True)
class Decision:
    """What goes out, and why."""

    num_items: int
    """How many items go out: all or none."""

    batch_size: int
    """How many of them at a time; 0 if none go out."""

    expected_s: float
    """How long all items take when sent so; `inf` if there is no worker."""

    home_s: float
    """How long they take without workers."""

    limit: str
    """The station that sets the pace when they are sent."""

    reason: str
    """A sentence for users, without its end."""

    def batches(self, first: int = 0) -> list[range]:
        """Return the indices of the batches, of items that begin at `first`."""
        end = first + self.num_items
        return [
            range(begin, min(begin + self.batch_size, end))
            for begin in range(first, end, self.batch_size or 1)
        ]


def decide(
    num_items: int,
    cost: ItemCost,
    workers: WorkerCost,
    *,
    max_batch_s: float = math.inf,
    margin: float = MARGIN,
) -> Decision:
    """Return whether to send items, and the batch size that is expected to be fastest.

    Args:
        num_items: how many are left.
        cost: measured on those before, or on an earlier run.
        workers: the workers.
        max_batch_s: what a batch may take in a worker, such as its time limit.
        margin: sending must take less than this part of the time at home.
    """
    home_s = num_items * cost.work_s
    if num_items == 0 or workers.num_workers == 0:
        why = "there is nothing to send" if num_items == 0 else "there are no workers"
        return Decision(0, 0, math.inf, home_s, "", f"kept at home: {why}")
    largest = _largest_batch(num_items, cost, max_batch_s)
    share = math.ceil(num_items / workers.num_workers)
    powers = (2**power for power in range(largest.bit_length()))
    sizes = {largest, min(largest, share), *powers}
    times = {size: _stations(num_items, size, cost, workers) for size in sizes}
    best_s = min(sum(each.values()) for each in times.values())
    size = min(each for each in sizes if sum(times[each].values()) <= _AS_GOOD * best_s)
    expected_s = sum(times[size].values())
    pace = {name: time_s for name, time_s in times[size].items() if time_s}
    limit = max(pace, key=lambda name: pace[name], default="")
    compared = (
        f"{_shown(expected_s)} in batches of {size}, limited by {limit}, "
        f"{_shown(home_s)} at home"
    )
    if expected_s < margin * home_s:
        reason = f"sent to {workers.num_workers} workers: {compared}"
        return Decision(num_items, size, expected_s, home_s, limit, reason)
    return Decision(0, 0, expected_s, home_s, limit, f"kept at home: {compared}")


def _largest_batch(num_items: int, cost: ItemCost, max_batch_s: float) -> int:
    """Return the largest batch that memory and the time limit have room for."""
    largest = num_items
    item_s = cost.work_s + cost.worker_codec_s
    if largest * item_s > max_batch_s:
        largest = int(max_batch_s / item_s)
    if largest * cost.size_bytes > _MAX_BATCH_BYTES:
        largest = int(_MAX_BATCH_BYTES / cost.size_bytes)
    return max(1, largest)


def _stations(
    num_items: int, size: int, cost: ItemCost, workers: WorkerCost
) -> dict[str, float]:
    """Return the time of the slowest station, and those that come before and after it.

    A station that is faster than another one counts as nothing.
    """
    num_batches = math.ceil(num_items / size)
    caller_batch_s = workers.batch_s + cost.batch_codec_s
    caller_s = num_items * cost.caller_codec_s + num_batches * caller_batch_s
    batch_s = size * (cost.work_s + cost.worker_codec_s) + cost.batch_codec_s
    # A worker waits for its next batch if those that are in flight are done sooner.
    cycle_s = max(batch_s, (batch_s + workers.round_trip_s) / _BATCHES_PER_WORKER)
    rounds = math.ceil(num_batches / workers.num_workers)
    stations = {
        "the caller's codec": caller_s,
        "the workers": rounds * cycle_s,
        "the network": num_items * cost.size_bytes / workers.bandwidth_bytes_per_s,
    }
    if workers.num_shared_cores:
        worker_s = num_items * (cost.work_s + cost.worker_codec_s)
        total_s = caller_s + worker_s + num_batches * cost.batch_codec_s
        stations["the cores"] = total_s / workers.num_shared_cores
    slowest = max(stations, key=lambda name: stations[name])
    half_codec_s = (size * cost.caller_codec_s + cost.batch_codec_s) / 2
    way_s = half_codec_s + workers.batch_s + workers.round_trip_s
    way_s += size * cost.size_bytes / workers.bandwidth_bytes_per_s
    if slowest == "the workers":
        # The last one begins when all have been sent something.
        num_first = min(num_batches, workers.num_workers)
        way_s += num_first * (half_codec_s + workers.batch_s)
    else:
        way_s += batch_s + half_codec_s
    return {
        slowest: stations[slowest],
        "the way of one batch": way_s,
        "the start of workers": workers.start_s,
    }


def _shown(time_s: float) -> str:
    return f"{time_s:.2f} s" if time_s >= 1 else f"{time_s * 1000:.1f} ms"
