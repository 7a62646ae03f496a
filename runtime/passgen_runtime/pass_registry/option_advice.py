"""Notes on likely causes of a mistake in the options of a pipeline's element."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from passgen_runtime.errors import PassOptionError, PipelineError
from passgen_runtime.pass_options import OptionInfo, PassOptions
from passgen_runtime.textual_pipeline import PipelineElement, TextSlice, TextualOption

_KEY_AFTER_COMMA: Final = re.compile(r",[\w-]+=")
"""The beginning of an option that a comma separates from the one before it."""


def option_advice(
    element: PipelineElement, options_class: type[PassOptions], error: PassOptionError
) -> Iterator[str]:
    """Yield notes on spellings in `element` that other languages have.

    Args:
        element: a name with its options.
        options_class: the options that the name has.
        error: the mistake in the options.
    """
    values = [str(option.value or "") for option in element.options]
    has_comma_after = any(value.endswith(",") for value in values[:-1])
    if has_comma_after or any(map(_KEY_AFTER_COMMA.search, values)):
        yield "a blank separates options: '{a=3 b=4}'"
    if any(value.startswith("[") for value in values):
        yield "a list has no brackets: '{a=1,2}'"
    known = {info.argument: info for info in options_class.declared_options()}
    for option in element.options:
        is_unknown = option.key not in known and option.span == error.span
        if is_unknown and option.value is None:
            yield from _on_bare_text(element.options, option, known)


def _on_bare_text(
    options: tuple[TextualOption, ...],
    bare: TextualOption,
    known: dict[str, OptionInfo],
) -> Iterator[str]:
    """Yield a note on text without a key: the end of a value, or one of its own."""
    before = next((one for one, next_ in pairwise(options) if next_ is bare), None)
    if before is not None and before.value is not None:
        info = known.get(before.key)
        if info is not None and info.is_list:
            yield f"a comma separates elements: {before.key}={before.value},{bare}"
        elif info is not None and info.type.name == "string":
            yield f"quote a value with blanks: {before.key}='{before.value} {bare}'"
        return
    numbers = [info for info in known.values() if info.type.literal != "string"]
    takers = [info for info in numbers if _takes(info, bare.written)]
    if takers:
        yield f"an option has a name and a value: '{takers[0].argument}={bare}'"


def _takes(info: OptionInfo, text: str) -> bool:
    """Return whether `text` can be the value of the option."""
    value = TextSlice.of(text)
    option = TextualOption(info.argument, value, info.argument, value.span)
    try:
        info.read(option)
    except (PassOptionError, PipelineError):
        return False
    return True
