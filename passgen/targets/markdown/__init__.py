"""The Markdown target: the model as the templates in `templates/markdown` need it."""

from passgen.targets.lines import Line, Listing
from passgen.targets.markdown.page import (
    Page,
    PassEntry,
    PipelineEntry,
    page_of,
    values,
)
from passgen.targets.markdown.pass_examples import (
    ExampleEntry,
    documented,
    examples_of,
)

__all__ = [
    "ExampleEntry",
    "Line",
    "Listing",
    "Page",
    "PassEntry",
    "PipelineEntry",
    "documented",
    "examples_of",
    "page_of",
    "values",
]
