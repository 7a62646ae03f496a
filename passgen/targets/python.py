"""The Python target: the model as the templates under `templates/python` need it.

Decides names, imports, types and docstrings; the templates decide how they are written.
The runtime's names appear here because a file imports only what it uses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from passgen import naming
from passgen.model import Option, OptionType, OptionValue, Pass, PassGroup, Statistic
from passgen.option_types import FOREIGN, OPTION_TYPES, OptionTypeRow
from passgen.targets.origin import Origin


@dataclass(frozen=True, slots=True)
class Import:
    """Names from one module, in the order in which they are written."""

    module: str
    is_exploded: bool
    """Whether each name has its own line."""

    names: tuple[ImportedName, ...]


@dataclass(frozen=True, slots=True)
class ImportedName:
    """A name as its module has it and as the file calls it."""

    name: str
    alias: str
    """Empty where the file calls it by `name`."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a generated enum."""

    name: str
    value: str
    description: str


@dataclass(frozen=True, slots=True)
class Enum:
    """The class of an enum option."""

    name: str
    users: tuple[EnumUser, ...]
    is_shared: bool
    """Whether there is more than one user."""

    members: tuple[Member, ...]


@dataclass(frozen=True, slots=True)
class EnumUser:
    """An option whose values an enum holds."""

    option: str
    pass_: str


@dataclass(frozen=True, slots=True)
class Field:
    """A field of an options dataclass. Of the three ways to a default one is set."""

    name: str
    argument: str
    is_list: bool
    type: str
    """The annotation of the value, of an element for a list."""

    option_type: str
    """The runtime's object that parses it; empty for an enum."""

    enum: str
    """The class of an enum option, otherwise empty."""

    has_default: bool
    default: OptionValue | None
    """A default that is written as a literal."""

    default_member: str
    """The default of an enum option."""

    description: str


@dataclass(frozen=True, slots=True)
class PassStatistic:
    """A statistic of a base class."""

    name: str
    display_name: str
    description: str


@dataclass(frozen=True, slots=True)
class PassClass:
    """What is generated of one pass."""

    name: str
    argument: str
    summary: str
    docstring: str
    options_class: str
    """`PassOptions` of the runtime for a pass without options."""

    base_class: str
    runtime_class: str
    create_function: str
    register_function: str
    fields: tuple[Field, ...]
    interface: str
    anchor: str
    dependent_dialects: tuple[str, ...]
    constructor: str
    statistics: tuple[PassStatistic, ...]


@dataclass(frozen=True, slots=True)
class Module:
    """One generated file."""

    name: str
    docstring: str
    imports: tuple[tuple[Import, ...], ...]
    """In sections: the standard library, the runtime, the author's own modules."""

    enums: tuple[Enum, ...]
    passes: tuple[PassClass, ...]
    register_function: str


def values(group: PassGroup, origin: Origin) -> dict[str, object]:
    """Return what `python/passes.py.j2` may name."""
    foreign = _foreign_names(group)
    module = Module(
        name=group.name,
        docstring=docstring(group.summary, group.description),
        imports=tuple(filter(None, _import_sections(group, foreign))),
        enums=_enums(group),
        passes=tuple(_pass_class(pass_, foreign) for pass_ in group.passes),
        register_function=naming.register_group_function(group.name),
    )
    return {"module": module, "origin": origin}


def docstring(summary: str, description: str) -> str:
    """Return summary and description as one docstring, empty where both are."""
    if not summary:
        return description
    sentence = summary if summary.endswith((".", "!", "?")) else f"{summary}."
    return f"{sentence}\n\n{description}" if description else sentence


def _pass_class(pass_: Pass, foreign: dict[str, str]) -> PassClass:
    anchor = pass_.anchor
    is_interface = anchor is not None and anchor.kind == "interface"
    return PassClass(
        name=pass_.name,
        argument=pass_.argument,
        summary=pass_.summary,
        docstring=docstring(pass_.summary, pass_.description),
        options_class=_options_class(pass_),
        base_class=naming.base_class(pass_.name),
        runtime_class=_runtime_class(pass_),
        create_function=naming.create_function(pass_.name),
        register_function=naming.register_function(pass_.name),
        fields=tuple(_field(option, foreign) for option in pass_.options),
        interface=anchor.name if anchor and is_interface else "",
        anchor=anchor.name if anchor and not is_interface else "",
        dependent_dialects=tuple(each.name for each in pass_.dependent_dialects),
        constructor=pass_.constructor,
        statistics=tuple(_statistic(each) for each in pass_.statistics),
    )


def _options_class(pass_: Pass) -> str:
    return naming.options_class(pass_.name) if pass_.options else "PassOptions"


def _runtime_class(pass_: Pass) -> str:
    is_interface = pass_.anchor is not None and pass_.anchor.kind == "interface"
    return "InterfacePass" if is_interface else "OperationPass"


def _field(option: Option, foreign: dict[str, str]) -> Field:
    type_ = option.type
    is_enum = bool(type_.enum_name)
    row = _row(type_)
    member = ""
    if is_enum and option.default is not None:
        member = naming.enum_member(str(option.default))
    return Field(
        name=naming.snake_case(option.name),
        argument=option.argument,
        is_list=option.is_list,
        type=type_.enum_name or (row.python_type if row else "Any"),
        option_type=row.python_option_type if row else foreign[type_.python],
        enum=type_.enum_name,
        has_default=option.default is not None and not is_enum,
        default=_default(option),
        default_member=member,
        description=option.description,
    )


def _row(type_: OptionType) -> OptionTypeRow | None:
    """Return what is known of a type; one that has no Python is kept as its text."""
    is_text = type_.name == FOREIGN and not type_.python
    return OPTION_TYPES.get("string" if is_text else type_.name)


def _default(option: Option) -> OptionValue | None:
    row = OPTION_TYPES.get(option.type.name)
    if row and row.literal == "float" and isinstance(option.default, int):
        return float(option.default)
    return option.default


def _statistic(statistic: Statistic) -> PassStatistic:
    return PassStatistic(
        name=naming.snake_case(statistic.name),
        display_name=statistic.display_name,
        description=statistic.description,
    )


def _enums(group: PassGroup) -> tuple[Enum, ...]:
    """Return each enum of the group once, although options may share it."""
    users: dict[str, list[EnumUser]] = {}
    types: dict[str, OptionType] = {}
    for pass_ in group.passes:
        for option in pass_.options:
            if option.type.enum_name:
                name = option.type.enum_name
                types.setdefault(name, option.type)
                users.setdefault(name, []).append(
                    EnumUser(option.argument, pass_.argument)
                )
    return tuple(
        Enum(name, tuple(users[name]), len(users[name]) > 1, tuple(_members(type_)))
        for name, type_ in types.items()
    )


def _members(type_: OptionType) -> Iterator[Member]:
    for each in type_.values:
        yield Member(naming.enum_member(each.value), each.value, each.description)


def _import_sections(
    group: PassGroup, foreign: dict[str, str]
) -> Iterator[tuple[Import, ...]]:
    yield tuple(_standard_imports(group))
    yield (_runtime_imports(group),)
    yield tuple(_foreign_imports(foreign))


def _standard_imports(group: PassGroup) -> Iterator[Import]:
    options = _all_options(group)
    if options:
        yield _standard_import("dataclasses", "dataclass")
    if any(option.type.enum_name for option in options):
        yield _standard_import("enum", "StrEnum")
    if any(option.type.python for option in options):
        yield _standard_import("typing", "Any")


def _standard_import(module: str, name: str) -> Import:
    return Import(module, is_exploded=False, names=(ImportedName(name, ""),))


def _runtime_imports(group: PassGroup) -> Import:
    return _import("passgen_runtime", dict.fromkeys(_runtime_names(group), ""))


def _foreign_imports(foreign: dict[str, str]) -> Iterator[Import]:
    plain: dict[str, dict[str, str]] = {}
    renamed: list[tuple[str, str, str]] = []
    for type_, called in foreign.items():
        module, name = type_.split(":")
        if called == name:
            plain.setdefault(module, {})[name] = ""
        else:
            renamed.append((module, name, called))
    for module in sorted({type_.split(":")[0] for type_ in foreign}):
        if module in plain:
            yield _import(module, plain[module])
        for of, name, called in renamed:
            if of == module:  # isort wants renamed ones apart
                yield _import(module, {name: called})


def _import(module: str, aliases: dict[str, str]) -> Import:
    names = sorted(aliases, key=_import_order)
    imported = tuple(ImportedName(name, aliases[name]) for name in names)
    return Import(module, is_exploded=True, names=imported)


def _runtime_names(group: PassGroup) -> set[str]:
    options = _all_options(group)
    names = {"PassRegistry"}
    for pass_ in group.passes:
        names |= {_runtime_class(pass_), "create_pass", "register_pass", "PassOptions"}
        if pass_.statistics:
            names.add("statistic")
    for option in options:
        names.add("list_option" if option.is_list else "option")
        if option.type.enum_name:
            names.add("enum_type")
        elif row := _row(option.type):
            names.add(row.python_option_type)
            if row.literal == "pipeline":
                names.add(row.python_type)
    return names


def _foreign_names(group: PassGroup) -> dict[str, str]:
    """Return how the file calls each foreign type, by `module:NAME`.

    A type is called by its own name unless something else of the file is.
    """
    types = sorted(
        option.type.python for option in _all_options(group) if option.type.python
    )
    if not types:
        return {}
    taken = _runtime_names(group) | _defined_names(group)
    called: dict[str, str] = {}
    for type_ in dict.fromkeys(types):
        module, name = type_.split(":")
        prefix = "_".join(module.split("."))
        prefix = prefix.upper() if name.isupper() else prefix
        alias = name
        while alias in taken:
            alias = f"{prefix}_{alias}"
        taken.add(alias)
        called[type_] = alias
    return called


def _defined_names(group: PassGroup) -> set[str]:
    """Return the names that could hide an import where an option is declared."""
    names = {"dataclass", "StrEnum", "Any"}
    for pass_ in group.passes:
        names |= {naming.options_class(pass_.name), naming.base_class(pass_.name)}
        names |= {naming.create_function(pass_.name)}
        names |= {naming.register_function(pass_.name)}
        for option in pass_.options:
            names |= {naming.snake_case(option.name), option.type.enum_name}
    return names


def _all_options(group: PassGroup) -> list[Option]:
    return [option for pass_ in group.passes for option in pass_.options]


def _import_order(name: str) -> tuple[int, list[tuple[int, int, str]]]:
    """Return the key that sorts as isort does: constants, classes, then functions."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2
    return kind, list(_natural(re.findall(r"\d+|\D+", name)))


def _natural(parts: Iterable[str]) -> Iterator[tuple[int, int, str]]:
    for part in parts:
        yield (0, int(part), "") if part.isdigit() else (1, 0, part)
