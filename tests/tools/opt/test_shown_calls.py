"""The calls that a message about an exception of a pass shows: those of authors."""

from __future__ import annotations

import importlib
import pkgutil
from traceback import FrameSummary
from types import ModuleType

import pytest

import passgen_rules.suggestions
import passgen_runtime.errors
import passgen_tools.opt.reports
from passgen_tools.opt.reports import shown_calls


@pytest.mark.parametrize(
    "own",
    [
        passgen_rules.suggestions,
        passgen_runtime.errors,
        passgen_tools.opt.reports,
        importlib,
        pkgutil,
    ],
    ids=lambda own: own.__name__,
)
def test_calls_of_the_infrastructure_are_left_out(own: ModuleType) -> None:
    assert own.__file__
    inside = FrameSummary(own.__file__, 1, "inside", line="inside()")
    frozen = FrameSummary("<frozen importlib._bootstrap>", 1204, "_gcd_import")
    frames = [
        FrameSummary("driver.py", 3, "main", line="run()"),
        inside,
        frozen,
        FrameSummary("my_pass.py", 7, "run_on_operation", line="parse()"),
        inside,
    ]

    assert list(shown_calls(frames)) == [
        "note: at my_pass.py:7, in run_on_operation: parse()"
    ]
