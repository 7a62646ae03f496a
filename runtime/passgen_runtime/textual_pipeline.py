"""The grammar of textual pass pipelines; it knows no pass.

It is that of `passgen_rules.pipeline_text`, with the errors of the runtime.
"""

from __future__ import annotations

from passgen_rules import pipeline_text
from passgen_rules.pipeline_text import (
    ANY_ANCHOR,
    MAX_DEPTH,
    PipelineElement,
    PipelineTextError,
    TextSlice,
    TextualOption,
    TextualPipeline,
    braced_text,
    is_name,
    is_option_name,
    list_text,
    parse_options,
    quote,
    split_list,
    text_of,
    unwrap,
)
from passgen_runtime.errors import PipelineError

__all__ = [
    "ANY_ANCHOR",
    "MAX_DEPTH",
    "PipelineElement",
    "TextSlice",
    "TextualOption",
    "TextualPipeline",
    "braced_text",
    "is_name",
    "is_option_name",
    "list_text",
    "parse_elements",
    "parse_options",
    "parse_pipeline",
    "quote",
    "split_list",
    "text_of",
    "unwrap",
]


def parse_pipeline(text: str) -> TextualPipeline:
    """Return the tree of `text`, which must be one anchored pipeline.

    Raises:
        PipelineError: the text does not follow the grammar.
    """
    try:
        return pipeline_text.parse_pipeline(text)
    except PipelineTextError as error:
        raise PipelineError.of_text(error) from None


def parse_elements(text: str | TextSlice) -> TextualPipeline:
    """Return the tree of `text`: elements separated by commas, or nothing.

    Raises:
        PipelineError: the text does not follow the grammar.
    """
    try:
        return pipeline_text.parse_elements(text)
    except PipelineTextError as error:
        raise PipelineError.of_text(error) from None
