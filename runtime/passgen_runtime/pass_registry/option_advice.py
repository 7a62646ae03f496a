"""Notes on likely causes of a mistake in the options of a pipeline's element."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import pairwise

from passgen_runtime.errors import PassOptionError, PipelineError
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_options import OptionInfo, PassOptions
from passgen_runtime.pass_registry.spelling_advice import Mend, mended_texts
from passgen_runtime.textual_pipeline import (
    ANY_ANCHOR,
    PipelineElement,
    TextSlice,
    TextualOption,
    parse_options,
)


def option_advice(
    element: PipelineElement, options_class: type[PassOptions], error: PassOptionError
) -> Iterator[str]:
    """Yield notes on spellings in `element` that other languages have.

    Args:
        element: a name with its options.
        options_class: the options that the name has.
        error: the mistake in the options.
    """
    known = {info.argument: info for info in options_class.declared_options()}
    text = " ".join(map(str, element.options))
    names = "|".join(map(re.escape, sorted(known, key=len, reverse=True)))
    if names:
        name = rf"(?:{names})(?![\w-])"
        separate = partial(re.compile(rf"\s*[,;]\s*(?=-{{0,2}}{name})").sub, " ")
        mends: tuple[Mend, ...] = (
            separate,
            partial(re.compile(rf"(?<!\S)--?(?={name})").sub, ""),
            partial(re.compile(r"(?<!\S)\[(.*)\]$").sub, r"\1"),
            partial(re.compile(r"=\[([^\[\]]*)\]").sub, r"=\1"),
            partial(re.compile(rf"({name})\s*(?:[:=]|\s)\s*(?=[^\s:=])").sub, r"\1="),
        )
        for other in mended_texts(text, mends):
            if _accepts(options_class, other):
                if other == separate(text):
                    yield f"options are separated by blanks: '{other}'"
                else:
                    yield f"write '{other}'"
                return
    values = [str(option.value or "") for option in element.options]
    if any(value.startswith("[") for value in values):
        yield "a list has no brackets: '{a=1,2}'"
    for option in element.options:
        is_unknown = option.key not in known and option.span == error.span
        if is_unknown and option.value is None:
            yield from _on_bare_text(element.options, option, known)


def place_advice(
    pass_: Pass, anchor: str, element: PipelineElement, root: str
) -> tuple[str, ...]:
    """Return a note on the right place of a pass that does not run on `anchor`."""
    if pass_.anchor == anchor or (pass_.anchor is None and pass_.unknown_anchor):
        return ()
    if pass_.anchor == root:
        return (f"write it directly inside of '{root}(...)'",)
    return (f"'{pass_.anchor or ANY_ANCHOR}({element})' nests it",)


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


def _accepts(options_class: type[PassOptions], text: str) -> bool:
    """Return whether `text` spells options of the class."""
    try:
        options_class.from_textual(parse_options(text))
    except (PassOptionError, PipelineError):
        return False
    return True


def _takes(info: OptionInfo, text: str) -> bool:
    """Return whether `text` can be the value of the option."""
    value = TextSlice.of(text)
    option = TextualOption(info.argument, value, info.argument, value.span)
    try:
        info.read(option)
    except (PassOptionError, PipelineError):
        return False
    return True
