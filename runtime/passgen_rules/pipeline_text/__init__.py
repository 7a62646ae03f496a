"""The text of pass pipelines and of their options; it knows no pass and no option."""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from .errors import PipelineTextError as PipelineTextError, Span as Span
from .grammar import (
    ANY_ANCHOR as ANY_ANCHOR,
    MAX_DEPTH as MAX_DEPTH,
    NAME_PATTERN as NAME_PATTERN,
    PipelineElement as PipelineElement,
    TextualPipeline as TextualPipeline,
    is_name as is_name,
    parse_elements as parse_elements,
    parse_pipeline as parse_pipeline,
)
from .options import (
    OPTION_NAME_PATTERN as OPTION_NAME_PATTERN,
    TextSlice as TextSlice,
    TextualOption as TextualOption,
    braced_text as braced_text,
    is_option_name as is_option_name,
    list_text as list_text,
    parse_options as parse_options,
    quote as quote,
    split_list as split_list,
    text_of as text_of,
    unwrap as unwrap,
)
