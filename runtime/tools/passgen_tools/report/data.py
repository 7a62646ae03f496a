"""The data of a report: one run record or two as one JSON document, which pages draw.

Rows refer to one another by their place in the lists. `executions` is a table by
columns, with a row for each call of a pass.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from passgen_tools.record import RunRecord, is_outermost, report_damage
from passgen_tools.report.comparison import comparison
from passgen_tools.report.ir_texts import TextKey
from passgen_tools.report.record_data import COLUMNS, LISTS, RecordData

REPORT_VERSION: Final = 1
"""The version of the form of the data."""


def report_data(
    path: str | Path, other: str | Path | None = None, *, with_times: bool = True
) -> dict[str, Any]:
    """Return the data of the record at `path`, compared with `other` if it is given.

    Args:
        path: of the record.
        other: the path of a second record.
        with_times: whether times are a part; without them, the same run gives the same
            data.

    Raises:
        RecordError: a file is no record.
    """
    data: dict[str, Any] = {
        "version": REPORT_VERSION,
        "hasTimes": with_times,
        **{name: [] for name in LISTS},
        "executions": {column: [] for column in COLUMNS},
    }
    places_of_texts: dict[TextKey, int] = {}
    num_runs = 0
    for record_path in (path,) if other is None else (path, other):
        num_runs = len(data["runs"])
        with report_damage(record_path):
            RecordData(RunRecord(record_path), data, places_of_texts).add()
    if other is not None:
        differences = comparison(data, num_runs)
        data["comparison"] = {"records": [str(path), str(other)], **differences}
    paths = {operation["path"] for operation in data["operations"]}
    data["outermost"] = sorted(filter(is_outermost, paths))
    times_s = data["executions"]["timeS"]
    if times_s and all(time_s is None for time_s in times_s):
        data["hasTimes"] = False  # a log of IR dumps has no times
    return data
