"""Pipelines, bundles and constraints of a spec, resolved to the model."""

from __future__ import annotations

from collections.abc import Iterator

from passgen.model import (
    Block,
    BundleElement,
    Condition,
    Constraints,
    Element,
    FormRules,
    Name,
    OptionDefault,
    OptionReference,
    OptionSetting,
    OrderingRule,
    Partner,
    PassElement,
    PipelineElement,
    SetOption,
)
from passgen.passgen_rules.ordering_rules import RULE_MEANINGS
from passgen.source import Location
from passgen.spec.fields import Keys, read, take
from passgen.spec.located import Mapping, Node, Scalar, Sequence, plain


def constraints(keys: Keys) -> Constraints:
    """Return the tags, ordering rules, analyses and forms of a pass."""
    preserves = keys.take("preserves")
    names = preserves.items if isinstance(preserves, Sequence) else ()
    return take(
        Constraints,
        keys,
        ordering=tuple(_ordering(keys)),
        preserves_all=isinstance(preserves, Scalar),
        preserved_analyses=tuple(read(Name, node) for node in names),
        forms=form_rules(keys),
    )


def form_rules(keys: Keys) -> FormRules:
    """Return the forms that a pass or a pipeline is about."""
    is_closed = "creates" in keys
    created = tuple(read(Name, node) for node in keys.take_items("creates"))
    return take(FormRules, keys, creates=created if is_closed else None)


def _ordering(keys: Keys) -> Iterator[OrderingRule]:
    for kind, meaning in RULE_MEANINGS.items():
        partners = tuple(map(_partner, keys.take_items(kind)))
        if not meaning.is_weak:
            yield from (OrderingRule(kind, (partner,)) for partner in partners)
        elif partners:
            yield OrderingRule(kind, partners)


def _partner(node: Node) -> Partner:
    keys = Keys(node, "tag")
    tag, location = keys.take_text("tag")
    return keys.done(Partner(tag, isinstance(node, Mapping), location=location))


def elements(keys: Keys) -> tuple[Element, ...]:
    """Return the elements of a bundle, a pipeline or a block."""
    return tuple(map(_element, keys.take_items("elements")))


def _element(node: Node) -> Element:
    keys = Keys(node, "pass")
    condition = _condition(keys.take("when"))
    element: Element
    if "pass" in keys:
        pass_ = keys.take_text("pass")
        element = PassElement(*pass_, set_options(keys), condition)
    elif "pipeline" in keys:
        pipeline = keys.take_text("pipeline")
        element = PipelineElement(*pipeline, set_options(keys), condition)
    elif "bundle" in keys:
        element = BundleElement(*keys.take_text("bundle"), condition)
    elif "stage" in keys:
        name, location = keys.take_text("stage")
        element = Block("stage", name, elements(keys), location, condition)
    elif "nest" in keys:
        name, location = keys.take_text("nest")
        element = Block("nest", name, elements(keys), location, condition)
    else:
        assert condition is not None
        element = Block("when", "", elements(keys), condition.location, condition)
    return keys.done(element)


def _condition(node: Node | None) -> Condition | None:
    if node is None:
        return None
    keys = Keys(node, "option")
    option, location = keys.take_text("option")
    is_, is_not = keys.take("is"), keys.take("isNot")
    tested = is_ or is_not or Scalar(value=True, location=location)
    value = value_of(tested)
    assert isinstance(value, (bool, str))
    is_negated = is_not is not None
    return keys.done(Condition(option, value, is_negated, location, tested.location))


def set_options(keys: Keys) -> tuple[SetOption, ...]:
    """Return the values of options under `options`, by argument."""
    return tuple(
        SetOption(
            argument,
            _setting(entry.value),
            entry.key,
            entry.value.location,
            item_locations(entry.value),
        )
        for argument, entry in keys.take_entries("options").items()
    )


def item_locations(node: Node | None) -> tuple[Location, ...]:
    """Return the locations of the items, if `node` is a list."""
    values = node.items if isinstance(node, Sequence) else ()
    return tuple(value.location for value in values)


def _setting(node: Node) -> OptionSetting:
    if isinstance(node, Mapping):
        keys = Keys(node)
        return keys.done(OptionReference(*keys.take_text("option")))
    value = value_of(node)
    assert value is not None
    return value


def value_of(node: Node) -> OptionDefault | None:
    """Return the value of a scalar, or the values of a list."""
    if isinstance(node, Sequence):
        return tuple(plain(node))
    assert isinstance(node, Scalar)
    return node.value
