"""Examples that a playground runs: IR of a description, and a pipeline for it."""

from __future__ import annotations

import re
from typing import Final

from passgen.targets.markdown import PassEntry

_IR: Final = "```mlir"
_RESULT: Final = "^After `({}(?:{{[^`]*}})?)`:$"
"""How a description introduces the IR after the pass."""


def trial_pipeline(entry: PassEntry) -> str:
    """Return the pipeline that runs the first IR in the description of a pass.

    It is empty if there is no IR, or no Python class that implements the pass. The
    options are those that the description says its result comes from, if it does.
    """
    declared = entry.declared
    if _IR not in declared.details or not declared.constructor:
        return ""
    argument = re.escape(declared.argument)
    found = re.search(_RESULT.format(argument), declared.details, re.MULTILINE)
    if found is None:
        return entry.example
    return re.sub(rf"{argument}(\{{.*\}})?", lambda _: found[1], entry.example, count=1)
