"""The values that options take and start with, compared: a part of `spec_diff`."""

from __future__ import annotations

from typing import Final

from passgen.model.group import Option, OptionType, OptionValue
from passgen.model.option_types import OPTION_TYPES

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
        assert before.minimum is not None
        assert before.maximum is not None
        assert after.minimum is not None
        assert after.maximum is not None
        takes_all = after.minimum <= before.minimum and before.maximum <= after.maximum
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
    elif row.minimum is not None:
        text = f"{type_.name} ({row.minimum} to {row.maximum})"
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
