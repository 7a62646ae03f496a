"""The grammar of textual pass pipelines; it knows no pass."""

from passgen_runtime.textual_pipeline.grammar import (
    ANY_ANCHOR,
    MAX_DEPTH,
    PipelineElement,
    TextualPipeline,
    is_name,
    parse_elements,
    parse_pipeline,
)
from passgen_runtime.textual_pipeline.options import (
    TextSlice,
    TextualOption,
    braced_text,
    parse_options,
    quote,
    split_list,
    text_of,
    unwrap,
)

__all__ = [
    "ANY_ANCHOR",
    "MAX_DEPTH",
    "PipelineElement",
    "TextSlice",
    "TextualOption",
    "TextualPipeline",
    "braced_text",
    "is_name",
    "parse_elements",
    "parse_options",
    "parse_pipeline",
    "quote",
    "split_list",
    "text_of",
    "unwrap",
]
