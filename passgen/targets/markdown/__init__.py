"""The Markdown target: the model as the templates in `templates/markdown` need it."""

from passgen.targets.lines import Line, Listing
from passgen.targets.markdown.page import (
    Page,
    PassEntry,
    PipelineEntry,
    page_of,
    values,
)

__all__ = [
    "Line",
    "Listing",
    "Page",
    "PassEntry",
    "PipelineEntry",
    "page_of",
    "values",
]
