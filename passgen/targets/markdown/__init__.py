"""The Markdown target: the model as the templates in `templates/markdown` need it."""

from passgen.targets.markdown.page import (
    Page,
    PassEntry,
    PipelineEntry,
    page_of,
    values,
)

__all__ = ["Page", "PassEntry", "PipelineEntry", "page_of", "values"]
