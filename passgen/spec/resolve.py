"""Located data to the model: the phase between `schema` and `checks`.

Defaults are applied here and nowhere else. `schema` has checked keys and types, so a
mismatch here is a bug of the generator. Each key is taken once, and a key that is not
taken fails an assertion, so that none is ignored silently.
"""

from __future__ import annotations

from collections.abc import Iterator

from passgen import naming
from passgen.model import (
    ANY_OPERATION,
    FOREIGN,
    UNCONSTRAINED,
    Anchor,
    DependentDialect,
    EnumValue,
    ExternalPass,
    OperationClass,
    Option,
    OptionDefault,
    OptionType,
    Pass,
    PassGroup,
    Pipeline,
    Statistic,
)
from passgen.source import Location
from passgen.spec import resolve_cpp, resolve_pipelines
from passgen.spec.located import Keys, Mapping, Node, Scalar, Sequence, plain, text_of
from passgen.spec.resolve_pipelines import ignores


def resolve(
    data: Mapping, name: str | None = None, prefix: str | None = None
) -> PassGroup:
    """Return the group that `data` declares.

    Args:
        data: the spec.
        name: overrides the name in the spec, which overrides the name of the file.
        prefix: overrides the prefix of C functions in the spec.
    """
    keys = Keys(data)
    keys.take("include")
    keys.take("sharedOptions")  # the loader has replaced their aliases
    keys.take("sharedStatistics")
    own_name = keys.take_exact("name")
    file_title = naming.group_name(data.location.source.name)
    names = (
        candidate for candidate in (name, own_name, file_title) if candidate is not None
    )
    cpp, dialects = resolve_cpp.group(keys, prefix)
    group = PassGroup(
        name=next(names),
        summary=keys.take_line("summary"),
        description=keys.take_line("description"),
        passes=tuple(
            resolve_cpp.with_namespaces(_pass(*entry), dialects)
            for entry in resolve_pipelines.named_entries(keys.take("passes"))
        ),
        location=data.location,
        analyses=resolve_pipelines.analyses(keys),
        external_passes=tuple(
            _external_pass(name) for name in keys.take_items("externalPasses")
        ),
        bundles=resolve_pipelines.bundles(keys),
        pipelines=tuple(
            _pipeline(*entry)
            for entry in resolve_pipelines.named_entries(keys.take("pipelines"))
        ),
        cpp=cpp,
        ir=keys.take_line("ir"),
        operations=tuple(_operations(keys.take("operations"))),
        ignores=ignores(keys),
        included=tuple(spec.location.source.name for spec in data.included),
        file_title=file_title,
    )
    return keys.done(group)


def _operations(node: Node | None) -> Iterator[OperationClass]:
    if isinstance(node, Mapping):
        for name, entry in node.entries.items():
            python, location = text_of(entry.value)
            yield OperationClass(name, python, entry.key, location)


def _pass(name: str, location: Location, keys: Keys) -> Pass:
    argument, argument_location = keys.take_text("argument")
    summary, summary_location = keys.take_text("summary")
    constructor = keys.take("constructor")
    is_anchored = "anchor" in keys or "interface" in keys
    cpp = resolve_cpp.pass_(keys)
    pass_ = Pass(
        name=name,
        argument=argument,
        summary=summary.removesuffix("\n"),
        description=keys.take_line("description"),
        anchor=_anchor(keys),
        dependent_dialects=tuple(
            DependentDialect(*text_of(name))
            for name in keys.take_items("dependentDialects")
        ),
        constructor=text_of(constructor)[0] if constructor else "",
        options=_options(name, keys),
        statistics=tuple(
            _statistic(entry) for entry in _flat(keys.take_items("statistics"))
        ),
        location=location,
        argument_location=argument_location,
        summary_location=summary_location,
        constructor_location=constructor.location if constructor else location,
        unknown_anchor="" if is_anchored else resolve_cpp.unknown_anchor(cpp),
        deprecated=keys.take_line("deprecated"),
        constraints=resolve_pipelines.constraints(keys),
        cpp=cpp,
        ignores=ignores(keys),
    )
    return keys.done(pass_)


def _flat(items: tuple[Node, ...]) -> Iterator[Node]:
    """Yield the items of a list; a list in it stands for its own items."""
    for node in items:
        if isinstance(node, Sequence):
            yield from node.items
        else:
            yield node


def _anchor(keys: Keys) -> Anchor | None:
    operation = keys.take("anchor")
    interface = keys.take("interface")
    if operation:
        name, location = text_of(operation)
        return None if name == ANY_OPERATION else Anchor("operation", name, location)
    if interface:
        return Anchor("interface", *text_of(interface))
    return None


def _external_pass(node: Node) -> ExternalPass:
    if not isinstance(node, Mapping):
        argument, location = text_of(node)
        return ExternalPass(argument, None, UNCONSTRAINED, location)
    keys = Keys(node)
    argument, location = keys.take_text("argument")
    constraints = resolve_pipelines.constraints(keys)
    return keys.done(ExternalPass(argument, _anchor(keys), constraints, location))


def _pipeline(name: str, location: Location, keys: Keys) -> Pipeline:
    argument, argument_location = keys.take_text("argument")
    pipeline = Pipeline(
        name=name,
        argument=argument,
        summary=keys.take_line("summary"),
        description=keys.take_line("description"),
        anchor=_anchor(keys),
        options=_options(naming.pipeline_stem(name), keys),
        elements=resolve_pipelines.elements(keys),
        location=location,
        argument_location=argument_location,
        ignores=ignores(keys),
    )
    return keys.done(pipeline)


def _options(owner: str, keys: Keys) -> tuple[Option, ...]:
    return tuple(_option(owner, entry) for entry in _flat(keys.take_items("options")))


def _option(owner: str, node: Node) -> Option:
    keys = Keys(node)
    name, location = keys.take_text("name")
    argument, argument_location = keys.take_text("argument")
    single, element = keys.take("type"), keys.take("listOf")
    type_node = element if single is None else single
    assert type_node is not None
    default = keys.take("default")
    option = Option(
        name=name,
        argument=argument,
        type=_type(owner, name, type_node, keys),
        is_list=element is not None,
        default=_value(default),
        description=keys.take_line("description"),
        location=location,
        argument_location=argument_location,
        default_location=default.location if default else location,
        item_locations=_item_locations(default),
        deprecated=keys.take_line("deprecated"),
        cpp=resolve_cpp.option(keys),
        ignores=ignores(keys),
    )
    return keys.done(option)


def _type(owner: str, option_name: str, node: Node, keys: Keys) -> OptionType:
    if isinstance(node, Mapping):
        spelling = Keys(node)
        python, cpp = spelling.take_line("python"), spelling.take_exact("cpp") or ""
        type_ = OptionType(FOREIGN, node.location, python=python, cpp=cpp)
        return spelling.done(type_)
    name, location = text_of(node)
    if name != "enum":
        return OptionType(name, location)
    own_name = keys.take("enumName")
    return OptionType(
        name,
        own_name.location if own_name else location,
        enum_name=(
            text_of(own_name)[0] if own_name else naming.enum_class(owner, option_name)
        ),
        values=tuple(_enum_value(value) for value in keys.take_items("values")),
    )


def _enum_value(node: Node) -> EnumValue:
    if not isinstance(node, Mapping):
        text, location = text_of(node)
        return EnumValue(text, "", location)
    keys = Keys(node)
    text, location = keys.take_text("value")
    description = keys.take_line("description")
    return keys.done(EnumValue(text, description, location, keys.take_exact("cpp")))


def _statistic(node: Node) -> Statistic:
    keys = Keys(node)
    name, location = keys.take_text("name")
    display_name = keys.take("displayName")
    statistic = Statistic(
        name=name,
        display_name=(
            text_of(display_name)[0].removesuffix("\n") if display_name else name
        ),
        description=keys.take_line("description"),
        location=location,
        cpp=resolve_cpp.statistic(keys),
        ignores=ignores(keys),
    )
    return keys.done(statistic)


def _value(node: Node | None) -> OptionDefault | None:
    if node is None:
        return None
    if isinstance(node, Sequence):
        return tuple(plain(node))
    assert isinstance(node, Scalar)
    return node.value


def _item_locations(node: Node | None) -> tuple[Location, ...]:
    items = node.items if isinstance(node, Sequence) else ()
    return tuple(node.location for node in items)
