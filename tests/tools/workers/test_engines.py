"""One pipeline on each executor: the same IR, statistics and diagnostics."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from passgen_runtime import Pass
from passgen_runtime.passes.cse import CSE
from tests.tools.workers.passes_for_workers import Work
from tests.tools.workers.running import shown
from tests.tools.workers.test_executors import ENGINES

ROOT = Path(__file__).parents[3]


@pytest.mark.executors
@pytest.mark.parametrize("engine", ["loky", "dask", "ray"])
def test_the_same_bytes_on_each_engine(
    engine: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    modules = (str(ROOT), str(ROOT / "runtime"), os.environ.get("PYTHONPATH", ""))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(modules))

    def passes() -> list[Pass]:
        return [Work(), CSE()]

    alone = shown(capsys, None, passes)
    with ENGINES[engine]() as make:
        capsys.readouterr()  # an engine says that it starts
        assert shown(capsys, make, passes) == alone
