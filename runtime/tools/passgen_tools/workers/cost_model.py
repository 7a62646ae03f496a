"""The cost model: whether operations are sent to workers, and how many at a time.

An operation that is sent is encoded and decoded on both sides. Sending pays off if its
passes take a few times as long.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

_MIN_WORK_PER_CODEC: Final = 3
"""The least ratio of work to codec time; on two shared cores, 2.5 breaks even."""

_BATCHES_PER_WORKER: Final = 4
"""The number of batches at which no worker waits long for the slowest one."""

_MAX_BATCH_BYTES: Final = 16 * 2**20
"""The largest batch: the memory of a worker grows with it."""


@dataclass(frozen=True, slots=True)
class OperationCost:
    """The cost of one operation, on average."""

    work_s: float
    """The time in passes."""

    codec_s: float
    """The time to encode it and to decode the result; a worker takes as long."""

    size_bytes: float = 0
    """The bytes sent and received together."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision whether to send operations, and its reason."""

    batch_size: int
    """How many operations are sent at a time; 0 if none are sent."""

    reason: str
    """A sentence for users, without a full stop."""


def decide(
    num_operations: int,
    cost: OperationCost,
    num_workers: int,
    *,
    start_s: float = 0,
    max_batch_s: float = math.inf,
) -> Decision:
    """Return whether to send operations, and how many at a time.

    Args:
        num_operations: how many have not run yet.
        cost: measured on operations that have run.
        num_workers: how many there are.
        start_s: the time until they are ready; 0 if they are.
        max_batch_s: the longest time for a batch in a worker, such as its time limit.
    """
    compared = f"passes take {_format(cost.work_s)} an operation, sending it takes "
    compared += _format(cost.codec_s)
    if num_workers == 0:
        return Decision(0, "kept in the parent process: there are no workers")
    if cost.work_s < _MIN_WORK_PER_CODEC * cost.codec_s:
        return Decision(0, f"kept in the parent process: {compared}")
    left_s = num_operations * cost.work_s
    if start_s > 0 and left_s - left_s / num_workers < start_s:
        why = f"done in {_format(left_s)}, before workers could have begun"
        return Decision(0, f"kept in the parent process: {why}")
    bounds = [math.ceil(num_operations / (_BATCHES_PER_WORKER * num_workers))]
    if cost.work_s + cost.codec_s > 0 and max_batch_s < math.inf:
        bounds.append(int(max_batch_s / (cost.work_s + cost.codec_s)))
    if cost.size_bytes > 0:
        bounds.append(int(_MAX_BATCH_BYTES / cost.size_bytes))
    size = max(1, min(bounds))
    reason = f"sent to {num_workers} workers, {size} operations at a time: {compared}"
    return Decision(size, reason)


def _format(time_s: float) -> str:
    return f"{time_s:.2f} s" if time_s >= 1 else f"{time_s * 1000:.1f} ms"
