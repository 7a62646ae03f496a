"""The picture of a run over processes: batches out, and results back in order."""

from __future__ import annotations

from typing import Final

from pictures.svg import WIDTH, Box, Drawing

_NUM_FUNCTIONS: Final = 8
_NUM_MEASURED: Final = 2
_NUM_WORKERS: Final = 2
_BATCH_SIZE: Final = 2
_NUMERALS: Final = ("none", "one", "two", "three", "four", "five", "six")
_MARGIN: Final = 8
_GAP: Final = 26
_COLUMN: Final = (WIDTH - 2 * _MARGIN - 2 * _GAP) / 3
_TOP: Final = 28


def batches_in_words() -> str:
    """Return what the picture shows, for those who do not see it."""
    measured, left, size, workers = (
        _NUMERALS[number]
        for number in (
            _NUM_MEASURED,
            _NUM_FUNCTIONS - _NUM_MEASURED,
            _BATCH_SIZE,
            _NUM_WORKERS,
        )
    )
    return (
        f"The caller runs {measured} functions and measures them; the other {left} go "
        f"to {workers} workers in batches of {size}, and all keep their places in the "
        "module"
    )


def run_over_processes() -> str:
    """Return a picture of a module whose functions go to workers in batches."""
    starts = range(_NUM_MEASURED, _NUM_FUNCTIONS, _BATCH_SIZE)
    batches = [range(start, start + _BATCH_SIZE) for start in starts]
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
    for number in range(_NUM_WORKERS):
        shares = batches[number::_NUM_WORKERS]
        parts = [Box(" ".join(names[at] for at in batch), "second") for batch in shares]
        worker = Box(f"worker {number + 1}", parts=parts)
        drawing.nested(worker, middle, y, _COLUMN)
        center = y + worker.height / 2
        drawing.arrow((left + _COLUMN + 1, center), (middle, center))
        drawing.arrow((middle + _COLUMN, center), (right - 1, center))
        y += worker.height + 12
    return drawing.svg()
