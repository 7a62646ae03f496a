"""What is odd about the options of a pass, though MLIR accepts it in silence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from passgen_runtime.errors import PipelineWarning, Span
from passgen_runtime.textual_pipeline.options import TextualOption

if TYPE_CHECKING:
    from passgen_runtime.pass_options.pass_options import PassOptions


def option_warnings(
    options_class: type[PassOptions], options: Iterable[TextualOption]
) -> Iterator[PipelineWarning]:
    """Yield what is odd about `options`, which `options_class` has accepted.

    The last value of a repeated scalar holds, and a value without a key is skipped.
    """
    seen: dict[str, TextualOption] = {}
    for each in options:
        if not each.key:
            message = "an option without a name is ignored"
            note = "a '=' follows the name of its option without a blank"
            yield PipelineWarning(message, _whole_span(each), (note,))
            continue
        info = options_class.option_info(each.key)
        before = seen.get(info.argument)
        if before is not None and not info.is_list:
            message = f"option '{info.argument}' is given again: the last value holds"
            note = f"it was given before as '{before}'"
            yield PipelineWarning(message, _whole_span(each), (note,))
        seen[info.argument] = each


def _whole_span(option: TextualOption) -> Span:
    return Span(option.span.start, max(option.span.end, option.value_span.end))
