"""What is printed parses to the same: options of every type, pipelines of any shape."""

from __future__ import annotations

import copy
import math
from dataclasses import make_dataclass
from enum import StrEnum
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from xdsl.utils.arg_spec import ArgSpec

from passgen_rules.pipeline_text.options import BLANKS
from passgen_runtime import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT8,
    INT16,
    INT32,
    INT64,
    PIPELINE,
    STRING,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    OperationPass,
    OpPassManager,
    OptionType,
    Pass,
    PassOptions,
    PassRegistry,
    PipelineError,
    enum_type,
    list_option,
    option,
    options_type,
    parse_pass_pipeline,
)
from passgen_runtime.ir.xdsl.module_passes import XDSLPassOptions, register_xdsl_passes
from passgen_runtime.pass_options.declarations import OptionInfo
from passgen_runtime.pass_registry.entries import (
    PassEntry,
    PipelineEntry,
    RegistryEntry,
)
from passgen_runtime.textual_pipeline import (
    parse_elements,
    parse_options,
    parse_pipeline,
    quote,
    text_of,
)

many = settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


class Mode(StrEnum):
    FAST = "fast"
    WITH_BLANK = "not so fast"
    EMPTY = ""
    QUOTE = "it's"
    BRACE = "}"


def inner_options() -> type[PassOptions]:
    return make_dataclass(
        "Inner",
        [
            ("text", str, option("text", STRING)),
            ("numbers", list[int], list_option("numbers", INT32)),
        ],
        bases=(PassOptions,),
        kw_only=True,
    )


INNER = inner_options()
NUMBERS = {
    INT8: (-(2**7), 2**7 - 1),
    INT16: (-(2**15), 2**15 - 1),
    INT32: (-(2**31), 2**31 - 1),
    INT64: (-(2**63), 2**63 - 1),
    UINT8: (0, 2**8 - 1),
    UINT16: (0, 2**16 - 1),
    UINT32: (0, 2**32 - 1),
    UINT64: (0, 2**64 - 1),
}
awkward = st.text("ab01 \t\n\0'\"{}()[],=$\\-é\u2028", max_size=8)
texts = st.one_of(awkward, st.text(st.characters(exclude_categories=()), max_size=8))
names = st.from_regex(r"[a-z][a-z0-9.-]{0,5}", fullmatch=True)


def trees(depth: int = 3) -> st.SearchStrategy[str]:
    """Texts of pipeline elements, with options and pipelines in these."""
    keyed = st.tuples(names, st.one_of(awkward.map(quote), st.none()))
    spelled = keyed.map(lambda one: one[0] if one[1] is None else f"{one[0]}={one[1]}")
    braced = st.lists(spelled, max_size=3).map(lambda each: f"{{{' '.join(each)}}}")
    leaf = st.tuples(names, st.one_of(st.just(""), braced)).map("".join)
    if not depth:
        return leaf
    nested = st.tuples(names, st.lists(trees(depth - 1), max_size=3)).map(
        lambda each: f"{each[0]}({','.join(each[1])})"
    )
    inner = st.tuples(names, names, trees(depth - 1)).map(
        lambda each: f"{each[0]}{{{each[1]}={{{each[2]}}}}}"
    )
    return st.one_of(leaf, nested, inner)


pipelines = st.lists(trees(), max_size=3).map(",".join).map(parse_elements)

TYPES: list[tuple[OptionType[Any], st.SearchStrategy[Any]]] = [
    (BOOL, st.booleans()),
    *((each, st.integers(*bounds)) for each, bounds in NUMBERS.items()),
    (FLOAT, st.floats(width=32)),
    (DOUBLE, st.floats()),
    (STRING, texts),
    (PIPELINE, pipelines),
    (enum_type(Mode), st.sampled_from(Mode)),
    (
        options_type(INNER),
        st.builds(INNER, text=texts, numbers=st.lists(st.integers(-9, 9), max_size=3)),
    ),
]


@st.composite
def pass_classes(draw: st.DrawFn) -> tuple[type[Pass], st.SearchStrategy[PassOptions]]:
    """A pass with options of any types, and its options with any values."""
    fields: list[tuple[str, Any, Any]] = []
    values: dict[str, st.SearchStrategy[Any]] = {}
    for index, (type_, strategy) in enumerate(draw(st.lists(st.sampled_from(TYPES)))):
        name, argument = f"field_{index}", f"{draw(names)}-{index}"
        if draw(st.booleans()):
            fields.append((name, Any, list_option(argument, type_)))
            values[name] = st.lists(strategy, max_size=3)
        else:
            fields.append((name, Any, option(argument, type_)))
            values[name] = strategy
    options_class = make_dataclass(
        "Options", fields, bases=(PassOptions,), kw_only=True
    )
    members = {
        "argument": f"generated-{draw(names)}",  # as no name in an option is
        "anchor": draw(st.sampled_from([None, "func.func"])),
        "options_class": options_class,
        "run_on_operation": lambda _: None,
    }
    return type("Generated", (OperationPass,), members), st.builds(
        options_class, **values
    )


@st.composite
def managers(draw: st.DrawFn) -> tuple[OpPassManager, PassRegistry]:
    """A pass manager over generated passes, which the registry knows."""
    classes = draw(
        st.lists(
            pass_classes(), min_size=1, max_size=3, unique_by=lambda c: c[0].argument
        )
    )
    registry = PassRegistry()
    for cls, _ in classes:
        registry.register_pass(cls)

    def fill(manager: OpPassManager, depth: int) -> None:
        for _ in range(draw(st.integers(0, 3))):
            if depth and draw(st.booleans()):
                fill(manager.nest(draw(st.sampled_from(ANCHORS))), depth - 1)
                continue
            cls, options = draw(st.sampled_from(classes))
            if cls.anchor in (None, manager.anchor) or manager.is_op_agnostic:
                manager.add_pass(cls(draw(options)))

    manager = OpPassManager(draw(st.sampled_from(ANCHORS)))
    fill(manager, 3)
    return manager, registry


ANCHORS = ["any", "builtin.module", "func.func", "my.op"]


@pytest.mark.slow
@many
@given(managers())
def test_printed_pipeline_parses_to_the_same(
    made: tuple[OpPassManager, PassRegistry],
) -> None:
    manager, registry = made
    text = str(manager)

    parsed = parse_pass_pipeline(text, Lenient(registry))
    pretty = parse_pass_pipeline(parse_pipeline(text).pretty(), Lenient(registry))

    assert parsed == manager
    assert str(parsed) == text
    assert pretty == manager


class Lenient(PassRegistry):
    """A registry in which the pipelines of options may name anything."""

    def __init__(self, registry: PassRegistry) -> None:
        super().__init__()
        self.registry = registry

    def lookup(
        self, argument: str, library: str = ""
    ) -> RegistryEntry | PipelineEntry | None:
        return self.registry.lookup(argument, library) or PassEntry(AnyPass)


class AnyOptions(PassOptions):
    @classmethod
    def from_textual(cls, *_: object) -> AnyOptions:
        return cls()

    @classmethod
    def option_info(cls, argument: str) -> OptionInfo:
        return OptionInfo(
            "", argument, STRING, is_list=True, default=[], description=""
        )


class AnyPass(OperationPass[AnyOptions]):
    def run_on_operation(self) -> None:
        """Do nothing: these pipelines are not run."""


@many
@given(st.data())
def test_options_without_a_pass_round_trip(data: st.DataObject) -> None:
    _, strategy = data.draw(pass_classes())
    options = data.draw(strategy)
    before = copy.deepcopy(options)

    parsed = type(options).parse(str(options))

    assert parsed == options == before
    assert str(parsed) == str(options)


@many
@given(texts)
def test_quoted_string_is_read_back(text: str) -> None:
    first, second = parse_options(f"a={quote(text)} b")

    assert first.value is not None
    assert text_of(first.value) == text
    assert second.key == "b"


@many
@given(awkward.filter(lambda text: text.strip(BLANKS)))
def test_any_options_print_what_parses_to_the_same(text: str) -> None:
    options = tuple(parse_options(text))
    printed = " ".join(map(str, options))

    again = tuple(parse_options(printed))

    assert again == options


@many
@given(st.text("ab=1 \t\n'\"{}()[],$\\", max_size=40))
def test_parsing_any_text_ends_in_a_tree_or_an_error(text: str) -> None:
    try:
        parse_pipeline(text)
    except PipelineError as error:
        found = error
    else:
        return

    assert str(found).startswith("pass-pipeline:")
    assert 0 <= found.span.start <= found.span.end <= len(text) + 1


@pytest.fixture(scope="module")
def xdsl_options() -> list[type[XDSLPassOptions]]:
    registry = PassRegistry()
    register_xdsl_passes(registry)
    found = (entry.options_class for entry in registry.passes())
    return [each for each in found if issubclass(each, XDSLPassOptions)]


SCALARS: dict[object, st.SearchStrategy[Any]] = {
    bool: st.booleans(),
    int: st.integers(*NUMBERS[INT64]),
    str: texts,
    float: st.floats(allow_nan=False) | st.just(math.nan),
}


def values_of(hint: object) -> st.SearchStrategy[tuple[Any, ...]]:
    """Values of a field of xDSL's passes, as `ArgSpec` holds them."""
    if hint is NoneType:
        return st.just(())
    if hint in SCALARS:
        return st.tuples(SCALARS[hint])
    arguments = get_args(hint)
    if get_origin(hint) is Literal:
        return st.tuples(st.sampled_from(arguments))
    if get_origin(hint) is tuple:
        return st.lists(SCALARS[arguments[0]], min_size=1, max_size=3).map(tuple)
    return st.one_of([values_of(argument) for argument in arguments])


def specs(options_class: type[XDSLPassOptions]) -> st.SearchStrategy[ArgSpec]:
    hints = get_type_hints(options_class.module_pass_class)
    required = options_class.module_pass_class.required_fields()
    fields = {
        each.field: values_of(hints[each.field])
        for each in options_class.declared_options()
    }
    return st.fixed_dictionaries(
        {name: strategy for name, strategy in fields.items() if name in required},
        optional={name: fields[name] for name in fields if name not in required},
    ).map(lambda given: ArgSpec("", given))


@many
@given(data=st.data())
def test_options_of_xdsls_passes_round_trip(
    data: st.DataObject, xdsl_options: list[type[XDSLPassOptions]]
) -> None:
    options_class = data.draw(st.sampled_from(xdsl_options))
    spec = data.draw(specs(options_class))
    options = options_class(spec=spec)

    parsed = options_class.parse(str(options))

    assert parsed == options
    assert str(parsed) == str(options)
