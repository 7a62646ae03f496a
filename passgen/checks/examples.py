"""Rules about the examples of passes, as far as their text shows."""

from __future__ import annotations

from collections.abc import Iterator

from passgen.checks.pipelines import check_settings
from passgen.diagnostics import Diagnostic, Note
from passgen.model import Pass
from passgen.passgen_rules.pipeline_text import PipelineTextError, parse_pipeline


def check_examples(pass_: Pass) -> Iterator[Diagnostic]:
    """Yield the broken rules about the examples of a pass."""
    for example in pass_.examples:
        if not example.pipeline:
            what = "example"
            yield from check_settings(pass_, example.options, example.location, what)
            if pass_.unknown_anchor:
                message = (
                    f"example of pass '{pass_.name}' has no 'pipeline', and only C++ "
                    "knows what the pass runs on"
                )
                yield Diagnostic(message, example.location)
            continue
        try:
            parse_pipeline(example.pipeline)
        except PipelineTextError as error:
            message = f"pipeline of an example of pass '{pass_.name}': {error.message}"
            notes = tuple(map(Note, error.notes))
            yield Diagnostic(message, example.pipeline_location, notes)
