"""The picture of a run over processes: batches out, and results back in order."""

from __future__ import annotations

from typing import Final

from passgen_runtime.executors import ItemCost, WorkerCost, decide
from pictures.svg import WIDTH, Box, Drawing

_NUM_FUNCTIONS: Final = 6
_WORKERS: Final = WorkerCost(num_workers=2, num_shared_cores=2)
_MARGIN: Final = 8
_GAP: Final = 26
_COLUMN: Final = (WIDTH - 2 * _MARGIN - 2 * _GAP) / 3
_TOP: Final = 44


def run_over_processes() -> str:
    """Return a picture of a module whose functions go to workers in batches.

    The cost model decides on the batches, for passes of 10 ms a function.
    """
    cost = ItemCost(work_s=0.01, caller_codec_s=0.00003, worker_codec_s=0.00003)
    batches = decide(_NUM_FUNCTIONS, cost, _WORKERS).batches()
    drawing = Drawing("Functions go to workers in batches, and come back in order")
    left, middle, right = (_MARGIN + at * (_COLUMN + _GAP) for at in range(3))
    names = [f"@f{number}" for number in range(_NUM_FUNCTIONS)]
    before = [Box(name, "first") for name in names]
    after = [Box(name, "third") for name in names]
    notes = ("in the caller", "in two workers", "in the caller")
    for x, note in zip((left, middle, right), notes, strict=True):
        drawing.text(x + 2, 20, note, is_note=True)
    drawing.nested(Box("builtin.module", parts=before), left, _TOP - 16, _COLUMN)
    drawing.nested(Box("builtin.module", parts=after), right, _TOP - 16, _COLUMN)
    for number, batch in enumerate(batches, start=1):
        ends = before[batch[0]].middle_y, before[batch[-1]].middle_y
        center = sum(ends) / 2
        height = ends[1] - ends[0] + 22
        label = f"batch {number}"
        drawing.labeled(middle, ends[0] - 11, _COLUMN, height, label, "second")
        drawing.arrow((left + _COLUMN + 1, center), (middle, center))
        drawing.arrow((middle + _COLUMN, center), (right - 1, center))
    return drawing.svg()
