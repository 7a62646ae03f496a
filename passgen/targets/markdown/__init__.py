"""The Markdown target: the model as the templates in `templates/markdown` need it."""

from passgen.targets.markdown.page import (
    BundleEntry,
    PassEntry,
    PipelineEntry,
    page,
    values,
)
from passgen.targets.markdown.pipelines import Line

__all__ = ["BundleEntry", "Line", "PassEntry", "PipelineEntry", "page", "values"]
