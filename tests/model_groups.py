"""Pass groups for tests: one by one, and at random with hostile text everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from passgen import naming
from passgen.model import (
    Anchor,
    EnumValue,
    Option,
    OptionDefault,
    OptionType,
    OptionValue,
    Pass,
    PassGroup,
    Pipeline,
    Statistic,
)
from passgen.model.constraints import (
    UNCONSTRAINED,
    Constraints,
    Name,
    OrderingRule,
    Partner,
)
from passgen.model.option_types import FOREIGN, OPTION_TYPES
from passgen.model.pipelines import (
    Analysis,
    Block,
    BlockKind,
    Bundle,
    BundleElement,
    Condition,
    Element,
    OptionReference,
    OptionSetting,
    PassElement,
    PipelineElement,
    SetOption,
)
from passgen.passgen_rules.ordering_rules import RULE_MEANINGS
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
    default: OptionDefault | None = None,
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
    constraints: Constraints = UNCONSTRAINED,
) -> Pass:
    """Return a pass; the places are of no matter."""
    return Pass(
        name,
        argument,
        summary,
        description,
        anchor,
        tuple(Name(each, PLACE) for each in dialects),
        constructor,
        tuple(options),
        tuple(statistics),
        PLACE,
        PLACE,
        PLACE,
        PLACE,
        constraints=constraints,
    )


def group(  # noqa: PLR0913 - as above
    *passes: Pass,
    name: str = "Made",
    summary: str = "",
    description: str = "",
    analyses: Sequence[Analysis] = (),
    bundles: Sequence[Bundle] = (),
    pipelines: Sequence[Pipeline] = (),
) -> PassGroup:
    """Return a group; the place is of no matter."""
    return PassGroup(
        name,
        summary,
        description,
        passes,
        PLACE,
        analyses=tuple(analyses),
        bundles=tuple(bundles),
        pipelines=tuple(pipelines),
    )


def pipeline(
    name: str, options: Sequence[Option], elements: Sequence[Element]
) -> Pipeline:
    """Return a pipeline that runs on any operation; the places are of no matter."""
    return Pipeline(
        name,
        f"run-{name.lower()}",
        "Run it",
        "",
        None,
        tuple(options),
        tuple(elements),
        PLACE,
        PLACE,
    )


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
    elements = st.lists(default, min_size=1, max_size=3).map(tuple)
    return option(
        name,
        draw(lines),
        type_,
        is_list=is_list,
        default=draw(st.none() | (elements if is_list else default)),
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
        constraints=draw(constraints()),
    )


ANALYSES = (
    Analysis("Schedule", "my.schedule:ScheduleAnalysis", "Start times", PLACE, PLACE),
    Analysis("Liveness", f"{'m' * 60}:Liveness", "", PLACE, PLACE),
)

RULE_KINDS = tuple(RULE_MEANINGS)

names = st.sampled_from(("x", "lowering", "a-tag-that-is-" + "long-" * 14 + "indeed"))


@st.composite
def constraints(draw: st.DrawFn) -> Constraints:
    """Return what a pass asks of pipelines, of any tags and of passes by any name."""
    if draw(st.booleans()):
        return UNCONSTRAINED
    partners = names.map(lambda name: Partner(name, is_tag=True, location=PLACE)) | (
        lines.map(lambda line: Partner(line, is_tag=False, location=PLACE))
    )
    analyses = st.lists(
        st.sampled_from([Name(each.name, PLACE) for each in ANALYSES]), max_size=2
    ).map(tuple)
    rules = []
    for kind in draw(st.lists(st.sampled_from(RULE_KINDS), max_size=4)):
        most = 3 if kind == "cleanup" else 1
        wanted = draw(st.lists(partners, min_size=1, max_size=most))
        rules.append(OrderingRule(kind, tuple(wanted)))
    preserves_all = draw(st.booleans())
    return Constraints(
        tuple(Name(each, PLACE) for each in draw(st.lists(names, max_size=3))),
        tuple(rules),
        draw(analyses),
        draw(analyses),
        preserves_all,
        () if preserves_all else draw(analyses),
    )


def _setting(draw: st.DrawFn, target: Option, own: Sequence[Option]) -> SetOption:
    same = [
        each
        for each in own
        if (each.type.name, each.is_list) == (target.type.name, target.is_list)
    ]
    value: OptionSetting
    if draw(st.booleans()) and same:
        value = OptionReference(draw(st.sampled_from(same)).name, PLACE)
    else:
        constant: st.SearchStrategy[OptionValue] = st.just("text")
        if target.type.values:
            constant = st.sampled_from([each.value for each in target.type.values])
        elif target.type.name in OPTION_TYPES:
            constant = _DEFAULTS[OPTION_TYPES[target.type.name].literal]
        value = draw(constant)
        if target.is_list:
            value = tuple(draw(st.lists(constant, max_size=20)))
    return SetOption(target.argument, value, PLACE, PLACE)


def _condition(draw: st.DrawFn, own: Sequence[Option]) -> Condition | None:
    asked = [
        each for each in own if not each.is_list and each.type.name in {"bool", "enum"}
    ]
    if not asked or draw(st.booleans()):
        return None
    chosen = draw(st.sampled_from(asked))
    value: bool | str = draw(st.booleans())
    if chosen.type.values:
        value = draw(st.sampled_from(chosen.type.values)).value
    return Condition(chosen.name, value, draw(st.booleans()), PLACE, PLACE)


@dataclass(frozen=True)
class Nameable:
    """What an element may name, and the options that it may ask for."""

    own: Sequence[Option] = ()
    passes: Sequence[Pass] = ()
    bundles: Sequence[Bundle] = ()
    pipelines: Sequence[Pipeline] = ()
    is_closed: bool = False
    """Whether it names nothing else, and nests nothing."""


@st.composite
def elements(draw: st.DrawFn, of: Nameable, depth: int = 0) -> Element:
    """Return an element, other elements inside it or not."""
    condition = _condition(draw, of.own)
    named: list[Pass | Bundle | Pipeline | None] = [] if of.is_closed else [None]
    named += (*of.passes, *of.bundles, *of.pipelines)
    blocks: tuple[BlockKind | None, ...] = (None, "stage", "when", "nest")
    blocks = blocks[:3] if of.is_closed else blocks
    kind = draw(st.sampled_from(blocks)) if depth < 3 else None
    if kind is not None:
        inside = elements(of, depth + 1)
        held = tuple(draw(st.lists(inside, min_size=1, max_size=3)))
        anchor = f"{'d' * draw(st.integers(1, 60))}.op"
        name = {"stage": draw(names), "nest": anchor, "when": ""}[kind]
        kind = "stage" if kind == "when" and condition is None else kind
        return Block(kind, name or "again", held, PLACE, condition)
    chosen = draw(st.sampled_from(named))
    if chosen is None:
        return PassElement(draw(lines), PLACE, (), condition)
    if isinstance(chosen, Bundle):
        return BundleElement(chosen.name, PLACE, condition)
    given = tuple(_setting(draw, each, of.own) for each in chosen.options)
    if isinstance(chosen, Pass):
        return PassElement(chosen.argument, PLACE, given, condition)
    return PipelineElement(chosen.argument, PLACE, given, condition)


@st.composite
def groups(draw: st.DrawFn) -> PassGroup:
    """Return a group of a few passes, hostile text wherever a spec may have text."""
    members = [draw(passes(index)) for index in range(draw(st.integers(0, 3)))]
    name = draw(st.sampled_from(("G", "Affine", "C" * 70)))
    bundles: list[Bundle] = []
    for index in range(draw(st.integers(0, 2))):
        inside = elements(Nameable((), members, tuple(bundles)))
        held = tuple(draw(st.lists(inside, min_size=1, max_size=3)))
        bundle = Bundle(f"{draw(names)}-{index}", draw(lines), draw(texts), held, PLACE)
        bundles.append(bundle)
    pipelines: list[Pipeline] = []
    for index in range(draw(st.integers(0, 2))):
        pipelines.append(draw(_pipeline(index, members, bundles, tuple(pipelines))))
    return group(
        *members,
        name=name,
        summary=draw(st.just("") | lines),
        description=draw(texts),
        analyses=ANALYSES,
        bundles=bundles,
        pipelines=pipelines,
    )


@st.composite
def _pipeline(
    draw: st.DrawFn,
    index: int,
    members: Sequence[Pass],
    bundles: Sequence[Bundle],
    pipelines: Sequence[Pipeline],
) -> Pipeline:
    name = f"{draw(st.sampled_from(('Lower', 'P' * 45)))}{index}"
    stem = naming.pipeline_stem(name)
    own = [draw(options(stem, i)) for i in range(draw(st.integers(0, 3)))]
    inside = elements(Nameable(own, members, bundles, pipelines))
    return Pipeline(
        name,
        f"{draw(lines)}-{index}",
        draw(lines),
        draw(texts),
        draw(st.sampled_from((None, operation("func.func")))),
        tuple(own),
        tuple(draw(st.lists(inside, min_size=1, max_size=3))),
        PLACE,
        PLACE,
    )
