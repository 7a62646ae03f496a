"""What changed of the options of a pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from passgen.findings.diff.matching import match, was_here
from passgen.findings.finding import Finding
from passgen.model import OPTION_TYPES, Ignore, Option, OptionType, OptionValue
from passgen.rules import DIFF_RULES
from passgen.source import Location

_ZEROS: Final[dict[str, OptionValue]] = {
    "bool": False,
    "int": 0,
    "float": 0.0,
    "string": "",
    "pipeline": "",
}
"""What an option without a default starts with, by the form of its type's literals."""


def type_change(old: OptionType, new: OptionType) -> str:
    """Return the rule that tells how the type changed, empty if it did not."""
    if old.name == new.name:
        is_same = (old.python, old.cpp) == (new.python, new.cpp)
        return "" if is_same else "option-type-changed"
    before, after = OPTION_TYPES.get(old.name), OPTION_TYPES.get(new.name)
    if before and after and before.literal == after.literal == "int":
        takes_all = after.includes(before)
        return "option-type-widened" if takes_all else "option-type-narrowed"
    by_names: dict[tuple[str, str], str] = {
        ("float", "double"): "option-type-widened",
        ("double", "float"): "option-type-narrowed",
        ("string", "enum"): "option-type-narrowed",
    }
    return by_names.get((old.name, new.name), "option-type-changed")


def described(option: Option) -> str:
    """Return what the option takes, for a message: `a list of uint8 (0 to 255)`."""
    type_ = option.type
    row = OPTION_TYPES.get(type_.name)
    text = type_.name
    if row is None:
        text = f"'{type_.python or type_.cpp}'"
    elif row.integers:
        text = f"{type_.name} ({row.integers[0]} to {row.integers[-1]})"
    elif type_.values:
        text = "one of " + ", ".join(f"'{each.value}'" for each in type_.values)
    return f"a list of {text}" if option.is_list else text


def initial(option: Option) -> str:
    """Return what the option starts with, for a message; lists start empty."""
    value = option.default
    if value is None and option.cpp.default:
        return f"'{option.cpp.default}'"
    row = OPTION_TYPES.get(option.type.name)
    if value is None and row and not option.is_list:
        value = _ZEROS.get(row.literal)
    if value is None:
        return "unset"
    if isinstance(value, bool):
        return str(value).lower()
    if row and row.literal == "float":
        return str(float(value))  # which a spec may write as an integer
    return f"'{value}'" if isinstance(value, str) else str(value)


@dataclass(frozen=True)
class Owner:
    """What has the options, as the new version has it."""

    what: str
    """`pass 'loop-tile'`."""

    location: Location
    ignores: tuple[Ignore, ...]
    """Those in force for all its options."""


def compare_options(
    old: Sequence[Option], new: Sequence[Option], owner: Owner
) -> Iterator[Finding]:
    """Yield what changed from the options `old` to `new`."""
    of = f"of {owner.what}"
    options = match(old, new, _argument, _name)
    for gone in options.removed:
        yield Finding(
            DIFF_RULES["option-removed"],
            f"option '{gone.argument}' {of} was removed",
            owner.location,
            owner.ignores,
            was_here(gone.argument_location),
            gone.argument,
        )
    for added in options.added:
        yield Finding(
            DIFF_RULES["option-added"],
            f"option '{added.argument}' {of} is new",
            added.argument_location,
            (*added.ignores, *owner.ignores),
            name=added.argument,
        )
    for before, after in options.kept:
        ignores = (*after.ignores, *owner.ignores)
        yield from _Compared(before, after, of, ignores).findings()


@dataclass(frozen=True)
class _Compared:
    """An option of both versions."""

    old: Option
    new: Option
    of: str
    ignores: tuple[Ignore, ...]

    @property
    def what(self) -> str:
        return f"option '{self.new.argument}' {self.of}"

    def findings(self) -> Iterator[Finding]:
        """Yield what changed."""
        old, new, what = self.old, self.new, self.what
        if old.argument != new.argument:
            message = f"option '{old.argument}' {self.of} is '{new.argument}' now"
            places = new.argument_location, old.argument_location
            yield self._found("option-renamed", message, *places)
        if old.name != new.name:
            message = f"{what} is '{new.name}' in code now, and was '{old.name}'"
            places = new.location, old.location
            yield self._found("option-variable-renamed", message, *places)
        if old.is_list != new.is_list:
            message = f"{what} is {described(new)} now, and was {described(old)}"
            places = new.type.location, old.type.location
            yield self._found("option-arity-changed", message, *places)
            return
        rule = type_change(old.type, new.type)
        if rule:
            message = f"{what} takes {described(new)} now, and took {described(old)}"
            yield self._found(rule, message, new.type.location, old.type.location)
        yield from self._enum()
        if initial(old) != initial(new) and rule != "option-type-changed":
            message = f"{what} is {initial(new)} by default now, and was {initial(old)}"
            places = new.default_location, old.default_location
            yield self._found("option-default-changed", message, *places)

    def _enum(self) -> Iterator[Finding]:
        old, new = self.old.type, self.new.type
        if not (old.values and new.values):
            return
        if old.enum_name != new.enum_name:
            message = (
                f"enum of {self.what} is '{new.enum_name}' now, and was "
                f"'{old.enum_name}'"
            )
            yield self._found("enum-renamed", message, new.location, old.location)
        values = {each.value: each for each in old.values}
        for value in new.values:
            if values.pop(value.value, None) is None:
                message = f"value '{value.value}' of {self.what} is new"
                yield self._found(
                    "enum-value-added", message, value.location, name=value.value
                )
        for gone in values.values():
            message = f"value '{gone.value}' of {self.what} was removed"
            places = new.location, gone.location
            yield self._found("enum-value-removed", message, *places, name=gone.value)

    def _found(
        self,
        rule: str,
        message: str,
        location: Location,
        before: Location | None = None,
        name: str = "",
    ) -> Finding:
        notes = was_here(before) if before else ()
        name = name or self.new.argument
        return Finding(DIFF_RULES[rule], message, location, self.ignores, notes, name)


def _argument(option: Option) -> str:
    return option.argument


def _name(option: Option) -> str:
    return option.name
