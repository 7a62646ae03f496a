"""Examples of passes: IR, a pipeline, and what comes out.

The IR is text here; only an IR library can parse it.
"""

from __future__ import annotations

from dataclasses import dataclass

from passgen.model.pipelines import SetOption
from passgen.source import Location


@dataclass(frozen=True)
class Example:
    """IR before and after a pass."""

    input: str
    """The IR before the pass, without a trailing line end."""

    input_file: str
    """The file that holds it, relative to the spec; empty if the spec does."""

    options: tuple[SetOption, ...]
    """The options that the example gives to the pass."""

    pipeline: str
    """The textual pipeline that runs; empty if it is the pass alone."""

    output: str
    """The IR after the pass; empty if there are CHECK lines instead."""

    check: str
    """CHECK lines for what the pass prints and for the IR after it."""

    ir: str
    """The name of the IR library that runs it; empty for that of the group."""

    location: Location
    """The place of the example's first key."""

    pipeline_location: Location
    result_location: Location
    """The place of `output` or `check`."""
