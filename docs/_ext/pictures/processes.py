"""The picture of a run over processes: batches out, and results back in order."""

from __future__ import annotations

from typing import Final

from passgen_runtime.extensions.workers import ItemCost, WorkerCost, decide
from pictures.svg import WIDTH, Box, Drawing

_NUM_FUNCTIONS: Final = 8
_NUM_MEASURED: Final = 2
_COST: Final = ItemCost(work_s=0.001, caller_codec_s=0.00003, worker_codec_s=0.00003)
_WORKERS: Final = WorkerCost(num_workers=2, num_shared_cores=2)
_NUMERALS: Final = ("none", "one", "two", "three", "four", "five", "six")
_MARGIN: Final = 8
_GAP: Final = 26
_COLUMN: Final = (WIDTH - 2 * _MARGIN - 2 * _GAP) / 3
_TOP: Final = 28


def batches_in_words() -> str:
    """Return what the picture shows, for those who do not see it."""
    decision = decide(_NUM_FUNCTIONS - _NUM_MEASURED, _COST, _WORKERS)
    measured, left, size, workers = (
        _NUMERALS[number]
        for number in (
            _NUM_MEASURED,
            decision.num_items,
            decision.batch_size,
            _WORKERS.num_workers,
        )
    )
    return (
        f"The caller runs {measured} functions and measures them; the other {left} go "
        f"to {workers} workers in batches of {size}, and all keep their places in the "
        "module"
    )


def run_over_processes() -> str:
    """Return a picture of a module whose functions go to workers in batches.

    The cost model decides on the batches, for passes of 1 ms a function.
    """
    decision = decide(_NUM_FUNCTIONS - _NUM_MEASURED, _COST, _WORKERS)
    batches = decision.batches(first=_NUM_MEASURED)
    drawing = Drawing(batches_in_words())
    left, middle, right = (_MARGIN + at * (_COLUMN + _GAP) for at in range(3))
    names = [f"@f{number}" for number in range(_NUM_FUNCTIONS)]
    before = [Box(name, "first") for name in names]
    after = [Box(name, "third") for name in names]
    for each in before[:_NUM_MEASURED]:
        each.look = "third"
    for x in (left, right):
        drawing.text(x + 2, 20, "in the caller", is_note=True)
    drawing.nested(Box("builtin.module", parts=before), left, _TOP, _COLUMN)
    drawing.nested(Box("builtin.module", parts=after), right, _TOP, _COLUMN)
    measured = before[:_NUM_MEASURED]
    drawing.text(middle, measured[0].middle_y + 4, "run and measured", is_note=True)
    drawing.text(middle, measured[1].middle_y + 4, "by the caller", is_note=True)
    y = before[_NUM_MEASURED].middle_y - 11
    for number in range(_WORKERS.num_workers):
        shares = batches[number :: _WORKERS.num_workers]
        parts = [Box(" ".join(names[at] for at in batch), "second") for batch in shares]
        worker = Box(f"worker {number + 1}", parts=parts)
        drawing.nested(worker, middle, y, _COLUMN)
        center = y + worker.height / 2
        drawing.arrow((left + _COLUMN + 1, center), (middle, center))
        drawing.arrow((middle + _COLUMN, center), (right - 1, center))
        y += worker.height + 12
    return drawing.svg()
