"""Counts of programs that tests start: files in a folder that the environment names.

A driver of `passgen_tools.opt` counts by itself if it finds the folder. Another program
runs its pass managers in the block of `counting_in_program`.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from passgen_runtime.pass_manager import PassManager
from passgen_tools.coverage.coverage_data import CoverageData
from passgen_tools.coverage.declarations import declared_passes
from passgen_tools.coverage.observation import watching_passes
from passgen_tools.python_programs import PASS_COVERAGE_FOLDER

_CURRENT_TEST: Final = "PYTEST_CURRENT_TEST"
_SUFFIX: Final = ".json"


@contextmanager
def counting_in_program() -> Iterator[None]:
    """Count what passes in the block do, if a session of pytest asks for it.

    The session is that of a process which has started this one. It reads the counts at
    its end; those of a process that is killed are lost.
    """
    folder = os.environ.get(PASS_COVERAGE_FOLDER)
    if not folder or PassManager.watch.get() is not None:
        yield
        return
    data, test = CoverageData(), _current_test()
    try:
        with watching_passes(data, lambda: test):
            yield
    finally:
        data.declared = declared_passes()
        write_counts(Path(folder), data)


def write_counts(folder: Path, data: CoverageData) -> None:
    """Write the counts of this process to a new file, unless the folder is gone."""
    if not folder.is_dir():
        return  # the session has ended
    path = folder / uuid.uuid4().hex
    path.write_text(data.encode(), encoding="utf-8")
    path.rename(path.with_suffix(_SUFFIX))


def read_counts(folder: Path) -> CoverageData:
    """Return the sum of the counts in a folder."""
    total = CoverageData()
    for path in sorted(folder.glob(f"*{_SUFFIX}")):
        total.merge(CoverageData.decode(path.read_text(encoding="utf-8")))
    return total


def _current_test() -> str:
    """Return the name of the test that has started the process: pytest says it."""
    name, _, _phase = os.environ.get(_CURRENT_TEST, "").rpartition(" ")
    return name
