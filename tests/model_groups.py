"""Pass groups for tests: one by one, and at random with hostile text everywhere."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from passgen import naming
from passgen.model import (
    Anchor,
    DependentDialect,
    EnumValue,
    Option,
    OptionType,
    OptionValue,
    Pass,
    PassGroup,
    Statistic,
)
from passgen.option_types import FOREIGN, OPTION_TYPES
from passgen.source import Location, SourceFile

PLACE = Location(SourceFile("specs/made-up.yaml", "passes: {}\n"), 1, 1)

FRAGMENTS = (
    '"""', "'''", '"', "'", "\\", "\\\n", "`", "```", "~~~", "{{ x }}", "{% if %}",
    "{# #}", "${x}", "<%", "\r\n", "\r", "\n", "\n\n", "\t", " ", "  ", "    ", "\0",
    "\x85", "\u2028", "\u202e", "\u200f", "\ufeff", "\ud800", "\U0001f469\u200d",
    "宽", "e\u0301", "<script>", "</h1>", "<!--", "-->", "|", "# h", "===", "---",
    "- ", "> ", "1. ", "[a](b)", "*", "_", "&lt;", "%s", "\\N{DASH}", "\\u0041", "word",
    "a" * 87, "x " * 40, "y" * 10_000,
)  # fmt: skip
"""What has broken a generator before."""

texts = st.one_of(
    st.text(max_size=100),
    st.lists(st.sampled_from(FRAGMENTS), max_size=8).map("".join),
)
lines = texts.map(lambda text: text.replace("\n", " ") or "x")


def option(  # noqa: PLR0913 - a test names what it is about
    name: str,
    argument: str,
    type_: str,
    *,
    is_list: bool = False,
    default: OptionValue | None = None,
    description: str = "",
    enum_name: str = "",
    values: Sequence[tuple[str, str]] = (),
    python: str = "",
) -> Option:
    """Return an option; the places are of no matter."""
    pairs = tuple(EnumValue(value, text, PLACE) for value, text in values)
    option_type = OptionType(type_, PLACE, enum_name, pairs, python)
    return Option(
        name, argument, option_type, is_list, default, description, PLACE, PLACE, PLACE
    )


def pass_(  # noqa: PLR0913 - as above
    name: str,
    argument: str,
    summary: str = "Do it",
    *,
    description: str = "",
    anchor: Anchor | None = None,
    dialects: Sequence[str] = (),
    constructor: str = "",
    options: Sequence[Option] = (),
    statistics: Sequence[Statistic] = (),
) -> Pass:
    """Return a pass; the places are of no matter."""
    return Pass(
        name,
        argument,
        summary,
        description,
        anchor,
        tuple(DependentDialect(each, PLACE) for each in dialects),
        constructor,
        tuple(options),
        tuple(statistics),
        PLACE,
        PLACE,
        PLACE,
        PLACE,
    )


def group(
    *passes: Pass, name: str = "Made", summary: str = "", description: str = ""
) -> PassGroup:
    """Return a group; the place is of no matter."""
    return PassGroup(name, summary, description, passes, PLACE)


def operation(name: str) -> Anchor:
    """Return the anchor on an operation."""
    return Anchor("operation", name, PLACE)


def interface(name: str) -> Anchor:
    """Return the anchor on an interface."""
    return Anchor("interface", name, PLACE)


def statistic(name: str, display_name: str, description: str = "") -> Statistic:
    """Return a statistic; the place is of no matter."""
    return Statistic(name, display_name, description, PLACE)


_DEFAULTS = {
    "bool": st.booleans(),
    "int": st.integers(0, 127),
    "float": st.floats() | st.integers(-9, 9),
    "string": texts,
    "pipeline": st.sampled_from(("", "cse", "a{b=1},c(d)")),
}


@st.composite
def options(draw: st.DrawFn, pass_name: str, index: int) -> Option:
    """Return an option of the pass `pass_name`, its name unique by `index`."""
    word = draw(st.sampled_from(("x", "tileSize", "aVeryLongNameForSuchAnOption")))
    name = f"{word}{index}"
    type_ = draw(st.sampled_from((*OPTION_TYPES, FOREIGN)))
    is_list = draw(st.booleans())
    values = [(f"value-{i}", draw(texts)) for i in range(draw(st.integers(1, 3)))]
    is_enum = type_ == "enum"
    default: st.SearchStrategy[OptionValue] = st.just("text")
    if is_enum:
        default = st.sampled_from([value for value, _ in values])
    elif type_ in OPTION_TYPES:
        default = _DEFAULTS[OPTION_TYPES[type_].literal]
    return option(
        name,
        draw(lines),
        type_,
        is_list=is_list,
        default=None if is_list else draw(st.none() | default),
        description=draw(texts),
        enum_name=naming.enum_class(pass_name, name) if is_enum else "",
        values=values if is_enum else (),
        python="my.types:STRING" if type_ == FOREIGN else "",
    )


@st.composite
def passes(draw: st.DrawFn, index: int) -> Pass:
    """Return a pass whose names are unique by `index`."""
    stem = draw(
        st.sampled_from(("A", "ConvertElementwiseToLinalg", "LoopPass", "B" * 55))
    )
    name = f"{stem}{index}"
    words = st.sampled_from(("s", "numOperationsThatWereErasedInAll"))
    return pass_(
        name,
        draw(lines),
        draw(lines),
        description=draw(texts),
        anchor=draw(
            st.sampled_from((None, operation("func.func"), interface("LoopLike")))
        ),
        dialects=draw(st.lists(st.sampled_from(("d", "emit", "e" * 40)), max_size=4)),
        constructor=draw(st.sampled_from(("", "m.n:C", f"{'m' * 60}:{'C' * 9}"))),
        options=[draw(options(name, i)) for i in range(draw(st.integers(0, 3)))],
        statistics=[
            statistic(f"{draw(words)}{i}", draw(lines), draw(texts))
            for i in range(draw(st.integers(0, 2)))
        ],
    )


@st.composite
def groups(draw: st.DrawFn) -> PassGroup:
    """Return a group of a few passes, hostile text wherever a spec may have text."""
    members = [draw(passes(index)) for index in range(draw(st.integers(0, 3)))]
    name = draw(st.sampled_from(("G", "Affine", "C" * 70)))
    return group(
        *members, name=name, summary=draw(st.just("") | lines), description=draw(texts)
    )
