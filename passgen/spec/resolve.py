"""Located data to the model: the phase between `schema` and `checks`.

Defaults are applied here and nowhere else. `schema` has checked keys and types, so a
mismatch here is a bug of the generator.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from passgen import naming
from passgen.model import (
    FOREIGN,
    Anchor,
    Bundle,
    Example,
    ExternalPass,
    Form,
    Option,
    OptionType,
    Pass,
    PassGroup,
    Pipeline,
    Remark,
    RemarkField,
    Statistic,
)
from passgen.passgen_rules.sequence import ANY_OPERATION
from passgen.source import Location
from passgen.spec import resolve_cpp, resolve_patterns
from passgen.spec.fields import Keys, read, take, text_of
from passgen.spec.includes import path_beside
from passgen.spec.located import Mapping, Node, Scalar, Sequence
from passgen.spec.resolve_pipelines import (
    constraints,
    elements,
    form_rules,
    item_locations,
    set_options,
    value_of,
)


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
    for key in ("include", "sharedOptions", "sharedStatistics"):
        keys.take(key)  # the loader has replaced their aliases
    file_title = naming.group_name(data.location.source.name)
    names = (name, keys.take_exact("name"), file_title)
    cpp, dialects = resolve_cpp.group(keys, prefix)
    passes = (_pass(*entry, data) for entry in _named_parts(keys, "passes"))
    return read(
        PassGroup,
        keys,
        name=next(candidate for candidate in names if candidate is not None),
        passes=tuple(
            resolve_cpp.with_known_anchor(pass_, cpp.operations)
            for pass_ in (
                resolve_cpp.with_namespaces(part, dialects) for part in passes
            )
        ),
        location=data.location,
        forms=tuple(_forms(keys, data)),
        external_passes=tuple(
            _external_pass(Keys(node, "argument"))
            for node in keys.take_items("externalPasses")
        ),
        bundles=tuple(
            read(Bundle, part, name=name, location=location, elements=elements(part))
            for name, location, part in _named_parts(keys, "bundles")
        ),
        pipelines=tuple(_pipeline(*entry) for entry in _named_parts(keys, "pipelines")),
        cpp=cpp,
        included=(
            *(spec.location.source.name for spec in data.included),
            *data.ir_files,
        ),
        file_title=file_title,
    )


def _named_parts(keys: Keys, key: str) -> Iterator[tuple[str, Location, Keys]]:
    """Yield the parts under `key` with their names."""
    for name, entry in keys.take_entries(key).items():
        yield name, entry.key, Keys(entry.value)


def _forms(keys: Keys, spec: Mapping) -> Iterator[Form]:
    """Yield the forms of included files, those of the spec, and external ones."""
    own = keys.take_entries("forms")
    external = keys.take_entries("externalForms")
    theirs = [Keys(part) for part in spec.included]
    for entries in (*(part.take_entries("forms") for part in theirs), own):
        for name, entry in entries.items():
            parts = Keys(entry.value)
            yield read(Form, parts, name=name, location=entry.key, python="")
    for name, entry in external.items():
        python, place = text_of(entry.value)
        yield Form(name, "", entry.key, check_location=place, python=python)


def _pass(name: str, location: Location, keys: Keys, spec: Mapping) -> Pass:
    pass_ = read(
        Pass,
        keys,
        name=name,
        location=location,
        argument=keys.take_line("argument") or naming.pass_argument(name),
        anchor=_anchor(keys),
        options=(*_options(name, keys), *resolve_patterns.selection_options(keys)),
        statistics=tuple(map(_statistic, _flat(keys.take_items("statistics")))),
        remarks=tuple(_remark(Keys(node)) for node in keys.take_items("remarks")),
        examples=tuple(
            _example(Keys(node), spec) for node in keys.take_items("examples")
        ),
        constraints=constraints(keys),
        cpp=resolve_cpp.pass_(keys),
        unknown_anchor="",
        **resolve_patterns.patterns(keys, spec),
    )
    if "anchor" not in keys and "interface" not in keys:
        anchor = resolve_cpp.unknown_anchor(pass_.cpp)
        pass_ = replace(pass_, unknown_anchor=anchor)
    return pass_


def _flat(items: tuple[Node, ...]) -> Iterator[Node]:
    """Yield the items of a list; a list in it stands for its own items."""
    for node in items:
        yield from node.items if isinstance(node, Sequence) else (node,)


def _anchor(keys: Keys) -> Anchor | None:
    operation, interface = keys.take("anchor"), keys.take("interface")
    if operation:
        name, location = text_of(operation)
        return None if name == ANY_OPERATION else Anchor("operation", name, location)
    return Anchor("interface", *text_of(interface)) if interface else None


def _external_pass(keys: Keys) -> ExternalPass:
    cpp = keys.take_keys("cpp")
    return read(
        ExternalPass,
        keys,
        anchor=_anchor(keys),
        constraints=constraints(keys),
        cpp_constructor=cpp.done(cpp.take_exact("constructor") or ""),
    )


def _pipeline(name: str, location: Location, keys: Keys) -> Pipeline:
    return read(
        Pipeline,
        keys,
        name=name,
        location=location,
        argument=keys.take_line("argument") or naming.pipeline_argument(name),
        anchor=_anchor(keys),
        options=_options(naming.pipeline_stem(name), keys),
        elements=elements(keys),
        forms=form_rules(keys),
    )


def _options(owner: str, keys: Keys) -> tuple[Option, ...]:
    nodes = _flat(keys.take_items("options"))
    return tuple(_option(owner, Keys(node)) for node in nodes)


def _option(owner: str, keys: Keys) -> Option:
    name, location = keys.take_text("name")
    single, element = keys.take("type"), keys.take("listOf")
    type_ = single or element
    assert type_ is not None
    default = keys.take("default")
    value = None if default is None else value_of(default)
    option_type = _type(type_, naming.enum_class(owner, name), keys)
    if option_type.is_optional_bool and isinstance(value, str):
        value = _BOOLS.get(value, value)
    return read(
        Option,
        keys,
        name=name,
        location=location,
        argument=keys.take_line("argument") or naming.kebab_case(name),
        type=option_type,
        is_list=element is not None,
        default=value,
        item_locations=item_locations(default),
        selects_patterns=False,
        cpp=resolve_cpp.option(keys),
    )


_BOOLS: Final = {"true": True, "false": False}
"""The values of foreign types may be texts."""


def _type(node: Node, enum_name: str, keys: Keys) -> OptionType:
    """Return the type that `node` names; `keys` are the entries of the option."""
    if isinstance(node, Mapping):
        spelling = Keys(node)
        python, cpp = spelling.take_line("python"), spelling.take_exact("cpp") or ""
        type_ = OptionType(FOREIGN, node.location, python=python, cpp=cpp)
        return spelling.done(type_)
    name, location = text_of(node)
    if name != "enum":
        return OptionType(name, location)
    place = keys.place("enumName") or location
    own_name = keys.take_line("enumName") or enum_name
    return take(
        OptionType,
        keys,
        name=name,
        location=place,
        enum_name=own_name,
        python="",
        cpp="",
    )


def _statistic(node: Node) -> Statistic:
    keys = Keys(node)
    kind = keys.take_exact("kind") or "sum"
    statistic = read(Statistic, keys, kind=kind, cpp=resolve_cpp.statistic(keys))
    return replace(statistic, display_name=statistic.display_name or statistic.name)


def _remark(keys: Keys) -> Remark:
    fields = tuple(_field(Keys(node)) for node in keys.take_items("fields"))
    return read(Remark, keys, kind=keys.take_exact("kind"), fields=fields)


def _example(keys: Keys, spec: Mapping) -> Example:
    file, named = "", keys.take("inputFile")
    text = keys.take_line("input")
    if isinstance(named, Scalar):
        source = spec.ir_files[path_beside(named)]
        text = source.text.removesuffix("\n")
        file = resolve_patterns.path_from(spec.location.source.name, source.name)
    return read(
        Example,
        keys,
        input=text,
        input_file=file,
        options=set_options(keys),
        location=keys.location,
        result_location=keys.place("output") or keys.place("check"),
    )


def _field(keys: Keys) -> RemarkField:
    is_list = "listOf" in keys
    type_ = keys.take_exact("listOf" if is_list else "type")
    return read(RemarkField, keys, type=type_, is_list=is_list)
