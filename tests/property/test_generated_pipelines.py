"""Pipelines of generated pages are read by the runtime as what the spec says."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from passgen.model import PassElement, SetOption
from passgen.render import render
from passgen.targets import TARGETS
from passgen.targets.origin import Origin
from passgen_runtime import textual_pipeline
from passgen_runtime.textual_pipeline import split_list, text_of
from tests.model_groups import PLACE, group, option, pass_, pipeline

ORIGIN = Origin("specs/a.yaml", "passgen a.yaml")
CHARACTERS = "ab ,='\"{}[]()\\$\n\t\r\0\x1f\u00e9\u2028\U0001f600-<`"
hostile = st.text(st.sampled_from(CHARACTERS), max_size=8) | st.text(max_size=8)


@given(hostile, st.lists(hostile, min_size=1, max_size=3))
def test_pipelines_of_pages_come_back(text: str, texts: list[str]) -> None:
    options = (
        option("one", "one", "string", default=text),
        option("more", "more", "string", is_list=True, default=tuple(texts)),
    )
    given_ = (
        SetOption("one", text, PLACE, PLACE),
        SetOption("more", tuple(texts), PLACE, PLACE),
    )
    element = PassElement("cse", PLACE, options=given_)
    made = group(
        pass_("Cse", "cse", options=options),
        pipelines=[pipeline("Go", options, [element])],
    )
    target = TARGETS["markdown"]
    markdown = render(target.template, target.values(made, ORIGIN))
    tokens = MarkdownIt("commonmark").parse(markdown)
    fences = [token.content for token in tokens if token.type == "fence"]
    codes = [
        leaf.content
        for token in tokens
        for leaf in token.children or ()
        if leaf.type == "code_inline" and leaf.content.startswith("one=")
    ]
    shown = [
        *(each.rstrip("\n") for each in fences if each.startswith("builtin.module(")),
        *(f"builtin.module(cse{{{code}}})" for code in codes),
    ]

    assert len(shown) == 4
    for each in shown:
        (root,) = textual_pipeline.parse_pipeline(each).elements
        assert root.nested is not None
        found = {item.key: item.value for item in root.nested[0].options}
        one, more = found.get("one"), found["more"]
        assert (text_of(one) if one is not None else "") == text
        assert more is not None
        assert list(map(text_of, split_list(more))) == texts
