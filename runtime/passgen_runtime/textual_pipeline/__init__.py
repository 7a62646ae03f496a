"""The grammar of textual pass pipelines; it knows no pass."""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen_runtime.textual_pipeline.grammar import (
    ANY_ANCHOR as ANY_ANCHOR,
    MAX_DEPTH as MAX_DEPTH,
    PipelineElement as PipelineElement,
    TextualPipeline as TextualPipeline,
    is_name as is_name,
    parse_elements as parse_elements,
    parse_pipeline as parse_pipeline,
)
from passgen_runtime.textual_pipeline.options import (
    TextSlice as TextSlice,
    TextualOption as TextualOption,
    braced_text as braced_text,
    parse_options as parse_options,
    quote as quote,
    split_list as split_list,
    text_of as text_of,
    unwrap as unwrap,
)
