"""Changes in an option."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Final

from passgen.findings.diff.matching import Kind, compare_deprecation, compare_parts
from passgen.findings.finding import Finding, Subject
from passgen.model import OPTION_TYPES, Option, OptionType, OptionValue

_OPTION: Final = Kind[Option]("option", place=attrgetter("argument_location"))


def compare_options(
    old: Sequence[Option], new: Sequence[Option], owner: Subject
) -> Iterator[Finding]:
    """Yield the changes from the options `old` to `new`."""
    yield from compare_parts(_OPTION, old, new, owner, _compare_option)
    before = {name for option in old for name in (option.name, option.argument)}
    reached = any(option.reaches_outside for option in old)
    for option in new:
        if before & {option.name, option.argument}:
            continue
        places = option.location, option.ignores
        part = owner.part(_OPTION.name, option.argument, *places)
        if option.required:
            yield part.finding("option-required", f"{part.what} is required")
        if option.reaches_outside and not reached:
            # Where it is not trusted, a pass is refused for any one of its options.
            message = f"{part.what} reaches beyond the IR"
            yield part.finding("option-outside-access", message)


def _compare_option(old: Option, new: Option, option: Subject) -> Iterator[Finding]:
    what = option.what
    if old.name != new.name:
        message = f"{what} is '{new.name}' in code now, and was '{old.name}'"
        places = new.location, old.location
        yield option.finding("option-variable-renamed", message, *places)
    yield from compare_deprecation(_OPTION.name, old, new, option)
    yield from _compare_outside_access(old, new, option)
    if old.is_list != new.is_list:
        message = f"{what} is {_describe_type(new)} now, and was {_describe_type(old)}"
        places = new.type.location, old.type.location
        yield option.finding("option-arity-changed", message, *places)
        return
    rule = _type_change(old.type, new.type)
    if rule:
        message = (
            f"{what} takes {_describe_type(new)} now, and took {_describe_type(old)}"
        )
        yield option.finding(rule, message, new.type.location, old.type.location)
    yield from _compare_enum(old.type, new.type, option)
    if new.required and not old.required:
        message = f"{what} is required now"
        places = new.location, old.location
        yield option.finding("option-required", message, *places)
    elif _initial(old) != _initial(new) and rule != "option-type-changed":
        message = f"{what} is {_initial(new)} by default now, and was {_initial(old)}"
        places = new.default_location, old.default_location
        yield option.finding("option-default-changed", message, *places)


def _compare_outside_access(
    old: Option, new: Option, option: Subject
) -> Iterator[Finding]:
    """Yield the change of the access beyond the IR, declared or guessed."""
    places = new.location, old.location
    if new.reaches_outside and not old.reaches_outside:
        message = f"{option.what} reaches beyond the IR now"
        yield option.finding("option-outside-access", message, *places)
    elif old.reaches_outside and not new.reaches_outside:
        message = f"{option.what} no longer reaches beyond the IR"
        yield option.finding("option-no-outside-access", message, *places)


def _compare_enum(
    old: OptionType, new: OptionType, option: Subject
) -> Iterator[Finding]:
    if not (old.values and new.values):
        return
    what = option.what
    if old.enum_name != new.enum_name:
        message = f"enum of {what} is '{new.enum_name}' now, and was '{old.enum_name}'"
        yield option.finding("enum-renamed", message, new.location, old.location)
    values = {value.value: value for value in old.values}
    for added in new.values:
        name = added.value
        if values.pop(name, None) is None:
            message = f"value '{name}' of {what} is new"
            yield option.finding("enum-value-added", message, added.location, name=name)
    for name, gone in values.items():
        message = f"value '{name}' of {what} was removed"
        places = new.location, gone.location
        yield option.finding("enum-value-removed", message, *places, name)


def _type_change(old: OptionType, new: OptionType) -> str:
    """Return the rule that tells how the type changed, empty if it did not."""
    if old.name == new.name:
        is_same = (old.python, old.cpp) == (new.python, new.cpp)
        return "" if is_same else "option-type-changed"
    before, after = OPTION_TYPES.get(old.name), OPTION_TYPES.get(new.name)
    if before and after and before.literal == after.literal:  # two types of numbers
        takes_all = after.meaning.includes(before.meaning)
        return "option-type-widened" if takes_all else "option-type-narrowed"
    is_enum_now = (old.name, new.name) == ("string", "enum")
    return "option-type-narrowed" if is_enum_now else "option-type-changed"


def _describe_type(option: Option) -> str:
    """Return the type of the option for a message: `a list of uint8 (0 to 255)`."""
    type_ = option.type
    row = OPTION_TYPES.get(type_.name)
    text = type_.name
    if row is None:
        text = f"'{type_.python or type_.cpp}'"
    elif row.integers:
        text = f"{type_.name} ({row.integers[0]} to {row.integers[-1]})"
    elif type_.values:
        text = "one of " + ", ".join(f"'{value.value}'" for value in type_.values)
    return f"a list of {text}" if option.is_list else text


def _initial(option: Option) -> str:
    """Return the default of the option for a message; that of a list is empty."""
    value = option.default
    if option.presence:
        return "required" if option.required else "unset"
    if option.unknown_default:
        return f"'{option.unknown_default}'"
    if isinstance(value, tuple):
        return f"[{', '.join(_format(element, option.type) for element in value)}]"
    if value is None and not option.is_list:
        value = option.type.zero
    if value is None:
        return "[]" if option.is_list else "unset"
    return _format(value, option.type)


def _format(value: OptionValue, type_: OptionType) -> str:
    row = OPTION_TYPES.get(type_.name)
    if isinstance(value, bool):
        return str(value).lower()
    if row and row.literal == "float":
        return str(float(value))  # which a spec may write as an integer
    return f"'{value}'" if isinstance(value, str) else str(value)
