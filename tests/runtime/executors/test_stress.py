from __future__ import annotations

import pytest

from tests.runtime.executors.stress import stress


@pytest.mark.executors
def test_workers_killed_at_random_cost_no_reply() -> None:
    figures = stress(num_runs=20, seed=1)

    assert figures.wrong == []
    assert figures.num_items_lost == 2  # they kill their workers themselves
