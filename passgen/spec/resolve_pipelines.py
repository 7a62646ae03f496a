"""Pipelines, bundles, analyses and constraints of a spec, resolved to the model."""

from __future__ import annotations

from collections.abc import Iterator

from passgen.model import (
    UNCONSTRAINED,
    Analysis,
    Block,
    BlockKind,
    Bundle,
    BundleElement,
    Condition,
    Constraints,
    Element,
    Ignore,
    Name,
    OptionReference,
    OptionSetting,
    OrderingRule,
    Partner,
    PassElement,
    PipelineElement,
    RuleKind,
    SetOption,
)
from passgen.source import Location
from passgen.spec.located import Keys, Mapping, Node, Scalar, Sequence, text_of


def constraints(keys: Keys) -> Constraints:
    """Return the tags, ordering rules and analyses of a pass."""
    preserves = keys.take("preserves")
    is_all = isinstance(preserves, Scalar)
    found = Constraints(
        tags=_names(keys.take_items("tags")),
        ordering=(
            *_rules("after", keys.take_items("after")),
            *_rules("before", keys.take_items("before")),
            *_rules("afterIfPresent", keys.take_items("afterIfPresent")),
            *_rules("beforeIfPresent", keys.take_items("beforeIfPresent")),
            *_cleanup(keys.take_items("cleanup")),
        ),
        required_analyses=_names(keys.take_items("requires")),
        provided_analyses=_names(keys.take_items("provides")),
        preserves_all=is_all,
        preserved_analyses=(
            _names(preserves.items) if isinstance(preserves, Sequence) else ()
        ),
    )
    return UNCONSTRAINED if found == UNCONSTRAINED else found


def analyses(keys: Keys) -> tuple[Analysis, ...]:
    """Resolve the analyses of a group."""
    return tuple(_analysis(*entry) for entry in named_entries(keys.take("analyses")))


def bundles(keys: Keys) -> tuple[Bundle, ...]:
    """Resolve the bundles of a group."""
    return tuple(_bundle(*entry) for entry in named_entries(keys.take("bundles")))


def named_entries(node: Node | None) -> Iterator[tuple[str, Location, Keys]]:
    """Yield the entries of `node`, which maps names to mappings, if it is given."""
    if node is not None:
        assert isinstance(node, Mapping)
        for name, entry in node.entries.items():
            yield name, entry.key, Keys(entry.value)


def elements(keys: Keys) -> tuple[Element, ...]:
    """Resolve the elements of a bundle, a pipeline or a block."""
    return tuple(_element(written) for written in keys.take_items("elements"))


def _names(items: tuple[Node, ...]) -> tuple[Name, ...]:
    return tuple(Name(*text_of(node)) for node in items)


def _rules(kind: RuleKind, items: tuple[Node, ...]) -> Iterator[OrderingRule]:
    for node in items:
        yield OrderingRule(kind, (_partner(node),))


def _cleanup(items: tuple[Node, ...]) -> Iterator[OrderingRule]:
    if items:
        yield OrderingRule("cleanup", tuple(_partner(node) for node in items))


def _partner(node: Node) -> Partner:
    if not isinstance(node, Mapping):
        text, location = text_of(node)
        return Partner(text, is_tag=False, location=location)
    keys = Keys(node)
    tag, location = keys.take_text("tag")
    return keys.done(Partner(tag, is_tag=True, location=location))


def _analysis(name: str, location: Location, keys: Keys) -> Analysis:
    python, python_location = keys.take_text("python")
    summary = keys.take_line("summary")
    return keys.done(Analysis(name, python, summary, location, python_location))


def _bundle(name: str, location: Location, keys: Keys) -> Bundle:
    bundle = Bundle(
        name=name,
        summary=keys.take_line("summary"),
        description=keys.take_line("description"),
        elements=elements(keys),
        location=location,
        ignores=ignores(keys),
    )
    return keys.done(bundle)


def _element(node: Node) -> Element:
    if not isinstance(node, Mapping):
        return PassElement(*text_of(node))
    keys = Keys(node)
    condition = _condition(keys.take("when"))
    pass_, bundle = keys.take("pass"), keys.take("bundle")
    pipeline = keys.take("pipeline")
    element: Element
    if pass_:
        element = PassElement(*text_of(pass_), _set_options(keys), condition)
    elif pipeline:
        element = PipelineElement(*text_of(pipeline), _set_options(keys), condition)
    elif bundle:
        element = BundleElement(*text_of(bundle), condition)
    else:
        element = _block(keys, condition)
    return keys.done(element)


def _block(keys: Keys, condition: Condition | None) -> Block:
    stage, nest = keys.take("stage"), keys.take("nest")
    held = elements(keys)
    named_by = stage or nest
    if named_by is None:
        assert condition is not None
        return Block("when", "", held, condition.location, condition)
    kind: BlockKind = "stage" if stage else "nest"
    name, location = text_of(named_by)
    return Block(kind, name, held, location, condition)


def _condition(node: Node | None) -> Condition | None:
    if node is None:
        return None
    if not isinstance(node, Mapping):
        name, place = text_of(node)
        return Condition(
            name, value=True, is_negated=False, location=place, value_location=place
        )
    keys = Keys(node)
    option, location = keys.take_text("option")
    is_, is_not = keys.take("is"), keys.take("isNot")
    value = is_ or is_not
    assert isinstance(value, Scalar)
    assert isinstance(value.value, (bool, str))
    return keys.done(
        Condition(option, value.value, is_ is None, location, value.location)
    )


def _set_options(keys: Keys) -> tuple[SetOption, ...]:
    node = keys.take("options")
    if node is None:
        return ()
    assert isinstance(node, Mapping)
    return tuple(
        _set_option(argument, entry.key, entry.value)
        for argument, entry in node.entries.items()
    )


def _set_option(argument: str, location: Location, node: Node) -> SetOption:
    items = node.items if isinstance(node, Sequence) else ()
    places = tuple(node.location for node in items)
    return SetOption(argument, _setting(node), location, node.location, places)


def _setting(node: Node) -> OptionSetting:
    if isinstance(node, Mapping):
        keys = Keys(node)
        return keys.done(OptionReference(*keys.take_text("option")))
    if isinstance(node, Sequence):
        return tuple(_scalar(element) for element in node.items)
    return _scalar(node)


def _scalar(node: Node) -> bool | float | str:
    assert isinstance(node, Scalar)
    assert node.value is not None
    return node.value


def ignores(keys: Keys) -> tuple[Ignore, ...]:
    """Resolve the `ignore` of a part of the spec."""
    return tuple(_ignore(Keys(ignore)) for ignore in keys.take_items("ignore"))


def _ignore(keys: Keys) -> Ignore:
    rule, location = keys.take_text("rule")
    reason = keys.take_line("reason")
    return keys.done(Ignore(rule, reason, location, keys.take_line("name")))
