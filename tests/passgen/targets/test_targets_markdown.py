from __future__ import annotations

import re
from dataclasses import replace

import pytest

from passgen.model import Option, PassGroup
from passgen.model.cpp import CppOption
from passgen.render import render
from passgen.targets import TARGETS
from passgen.targets.markdown import page_of
from passgen.targets.markdown.examples import example_pipeline
from passgen.targets.origin import Origin
from passgen_runtime import textual_pipeline
from tests.model_groups import group, option, pass_


def enum(*, is_list: bool = False, default: str | None = None) -> Option:
    values_ = (("fast", ""), ("exact", ""), ("none", ""))
    return option(
        "a", "a", "enum", is_list=is_list, default=default,
        enum_name="PMode", values=values_,
    )  # fmt: skip


def rendered(made: PassGroup) -> str:
    target = TARGETS["markdown"]
    return render(target.template, target.values(made, Origin("a.yaml", "passgen")))


@pytest.mark.parametrize(
    ("given", "spelled"),
    [
        (option("a", "a", "uint32", default=4), "{a=4}"),
        (option("a", "a", "bool", default=False), "{a=false}"),
        (option("a", "a", "double", default=1), "{a=1.0}"),
        (option("a", "a", "string", default="two words"), "{a='two words'}"),
        (option("a", "a", "string", default="it's"), '{a="it\'s"}'),
        (option("a", "a", "string", default="'\""), """{a=$'\\x27"'}"""),
        (option("a", "a", "string", default="ch "), "{a=$'ch '}"),
        (option("a", "a", "string", default="{x"), "{a=$'\\x7bx'}"),
        (option("a", "a", "string", default=""), ""),
        (option("a", "a", "string", default="a\nb"), r"{a=$'a\nb'}"),
        (option("a", "a", "pipeline", default="cse,b{c=1}"), "{a={cse,b{c=1}}}"),
        (option("a", "a", "pipeline", default=""), ""),
        (enum(default="exact"), "{a=exact}"),
        (option("a", "a", "foreign", default="4x4", python="m:T"), "{a=4x4}"),
        (option("a", "a", "int8"), "{a=1}"),
        (option("a", "a", "bool"), "{a=true}"),
        (option("a", "a", "float"), "{a=0.5}"),
        (enum(), "{a=fast}"),
        (option("a", "a", "string"), ""),
        (option("a", "a", "int64", is_list=True), ""),
        (option("a", "a", "bool", is_list=True), "{a={true,false}}"),
        (enum(is_list=True), "{a={fast,exact}}"),
        (option("a", "a", "string", is_list=True), ""),
        (option("a", "a", "int64", is_list=True, default=(32, 8)), "{a={32,8}}"),
        (option("a", "a", "string", is_list=True, default=("b c",)), "{a={'b c'}}"),
        (option("a", "a", "string", is_list=True, default=("'\"", "b")), """{a={$'\\x27"',b}}"""),
        (option("a", "a", "string", is_list=True, default=("b c", "d e")), "{a={'b c','d e'}}"),
        (option("a", "a", "string", is_list=True, default=("b,c",)), "{a={'b,c'}}"),
        (option("a", "a", "string", is_list=True, default=("",)), "{a={''}}"),
    ],
)  # fmt: skip
def test_example_spells_options(given: Option, spelled: str) -> None:
    example = example_pipeline(pass_("Cse", "cse", options=(given,)))

    assert example == f"builtin.module(cse{spelled})"
    assert str(textual_pipeline.parse_pipeline(example)) == example


@pytest.mark.parametrize(
    "given",
    [
        replace(option("a", "a", "int8"), cpp=CppOption(default="count()")),
        replace(
            option("a", "a", "int8", is_list=True),
            cpp=CppOption(flags="llvm::cl::list_init<int8_t>({count()})"),
        ),
    ],
    ids=["scalar", "list"],
)
def test_example_leaves_out_what_has_a_default_that_only_cpp_knows(
    given: Option,
) -> None:
    example = example_pipeline(pass_("Cse", "cse", options=(given,)))
    assert example == "builtin.module(cse)"


def test_example_spells_all_options_in_order() -> None:
    options = (
        option("b", "b", "int8", default=2),
        option("s", "s", "string"),
        option("a", "a", "bool"),
    )

    example = example_pipeline(pass_("Cse", "cse", options=options))
    assert example == "builtin.module(cse{b=2 a=true})"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("One.\n", ": One."),
        ("One.\n\n- two\n", "\n\n  One.\n\n  - two"),
    ],
)
def test_a_description_of_several_lines_stands_below(text: str, shown: str) -> None:
    given = option("a", "a", "int8", description=text)

    assert f"\n- `a` (`int8`){shown}\n" in rendered(
        group(pass_("Cse", "cse", options=(given,)))
    )


def test_an_empty_pipeline_is_no_default() -> None:
    given = option("a", "a", "pipeline", default="")
    (entry,) = page_of(group(pass_("Cse", "cse", options=(given,)))).passes

    assert entry.options[0].default == ""


@pytest.mark.parametrize(
    ("argument", "anchor"),
    [
        ("cse", "cse"),
        ("options", "pass-options"),
        ("statistics-1", "pass-statistics-1"),
        ("Example-Pipeline", "pass-Example-Pipeline"),
        ("pass-options", "pass-pass-options"),
        ("pass-cse", "pass-cse"),
        ("list-options", "list-options"),
        ("options-list", "options-list"),
    ],
)
def test_anchor_is_the_argument_unless_a_heading_claims_it(
    argument: str, anchor: str
) -> None:
    made = group(pass_("First", argument, options=[option("a", "a", "int8")]))
    text = rendered(made)

    assert f"- [`{argument}`](#{anchor}): Do it\n" in text
    assert f'<a id="{anchor}"></a>\n\n## `{argument}`\n' in text


def test_each_description_has_its_own_links() -> None:
    made = group(
        pass_("A", "a", description="See [one][1].\n\n[1]: http://first"),
        pass_("B", "b", description="See [1] and `[1]`.\n\n[1]: http://second"),
        pass_("C", "c", description="See x[1]."),
        description="See [one][] and [two](http://two).\n\n[ONE]: http://group",
    )
    text = rendered(made)

    assert [line for line in text.split("\n") if "See" in line or "http" in line] == [
        "See [one][3-ead2768c] and [two](http://two).",
        "[3-ead2768c]: <http://group>",
        "See [one][3-55110b5f].",
        "[3-55110b5f]: <http://first>",
        "See [1][3-0c171630] and `[1]`.",
        "[3-0c171630]: <http://second>",
        "See x[1].",
    ]


HEADINGS = """\
Before.
# Options
After.

## Example *pipeline*

> # cse
> Quoted.

Elements
--------

# Other
"""


def test_headings_of_a_description_never_take_the_anchors_of_the_page() -> None:
    text = rendered(group(pass_("Cse", "cse", description=HEADINGS)))

    _, _, described = text.partition("Runs on any operation.\n\n")
    assert described.partition("\n### Example pipeline\n")[0] == (
        "Before.\n\n**Options**\n\nAfter.\n\n**Example *pipeline***\n\n"
        "> **cse**\n>\n> Quoted.\n\n**Elements**\n\n### Other\n"
    )


def test_bare_ir_in_a_description_is_fenced() -> None:
    bare = "So:\n%0 = arith.constant 1 : i32"
    fenced = "So:\n```mlir\n%0 = arith.constant 1 : i32\n```"
    given = option("a", "a", "int8", description=bare)

    text = rendered(group(pass_("Cse", "cse", description=bare, options=[given])))

    assert f"\n\n{fenced}\n\n" in text
    assert "\n\n" + re.sub("(?m)^", "  ", fenced) + "\n" in text


def test_a_page_says_which_passes_have_no_class_in_the_spec() -> None:
    of_all = "The spec names no Python classes that implement these passes.\n"
    of_one = "The spec names no Python class that implements it.\n"
    cse, dce = pass_("Cse", "cse"), pass_("Dce", "dce")
    with_class = replace(cse, constructor="m:Cse")

    none, some = rendered(group(cse, dce)), rendered(group(with_class, dce))

    assert (none.count(of_all), none.count(of_one)) == (1, 0)
    assert (some.count(of_all), some.count(of_one)) == (0, 1)
    assert of_one in some.partition("## `dce`")[2]
    assert "The spec names" not in rendered(group(with_class))
