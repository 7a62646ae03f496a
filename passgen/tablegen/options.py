"""Options and statistics of a dump, as entries of a spec.

An entry has the record's spelling under `cpp:` only where `model.option_types` spells
it otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from passgen import naming
from passgen.cpp import (
    DEPRECATED,
    DEPRECATED_FIELD,
    Enumerator,
    bool_value,
    character_value,
    escape_string,
    float_literal,
    float_value,
    integer_literal,
    integer_value,
    list_default,
    list_values,
    meaning,
    option_type,
    optional_value,
    string_literal,
    string_value,
    unwrap,
    variable_name,
)
from passgen.imported_names import (
    Names,
    block,
    display_name,
    option_argument,
    outside_access,
)
from passgen.model import (
    LIST_OPTION_CLASSES,
    OPTION_CLASSES,
    OPTION_TYPES,
    STATISTIC_CLASSES,
    Fields,
    FieldValue,
    OptionRecord,
    StatisticRecord,
)
from passgen.passgen_rules.option_values import OptionType
from passgen.spec import Commented, Data
from passgen.tablegen.enums import (
    EnumKey,
    enum_key,
    enumerator,
    flags_entry,
    value_entry,
    values_of,
)

_Value: TypeAlias = bool | int | float | str


def option(
    record: OptionRecord,
    name: str,
    arguments: Names,
    types: Mapping[str, str],
    enums: Mapping[EnumKey, str],
) -> dict[str, Data]:
    """Return the option `name` of a spec.

    Args:
        record: the option of a pass.
        name: its name in the spec.
        arguments: those of the pass that are taken.
        types: the C++ types of the group by their names in a spec.
        enums: the classes of enums in Python.
    """
    text = option_argument(record.argument, record.cpp_name, arguments)
    cpp: dict[str, Data] = {}
    if variable_name(name) != record.cpp_name:
        cpp["name"] = record.cpp_name
    if text != record.argument:
        cpp["argument"] = record.argument
    data: dict[str, Data] = {"name": name}
    if text != naming.kebab_case(name):
        data["argument"] = text
    values = values_of(record)
    if values is not None:
        data |= _enum(record, values, enums, cpp)
    else:
        data |= _plain(record, types, cpp)
    if record.description:
        data["description"] = block(record.description)
    data |= outside_access(text, data.get("type", data.get("listOf")))
    if cpp:
        data["cpp"] = cpp
    regular = LIST_OPTION_CLASSES if record.is_list else OPTION_CLASSES
    deprecated, part = record_entries(record.classes, regular, record.fields)
    data |= deprecated
    if part:
        data["tablegen"] = part
    return data


def _enum(
    record: OptionRecord,
    values: Sequence[Enumerator],
    enums: Mapping[EnumKey, str],
    cpp: dict[str, Data],
) -> dict[str, Data]:
    data: dict[str, Data] = {
        "listOf" if record.is_list else "type": "enum",
        "enumName": enums[enum_key(record, values)],
        "values": [value_entry(value) for value in values],
    }
    cpp["type"] = record.type

    def default_of(code: str) -> tuple[str | None, str]:
        found = next((value for value in values if _is_same(value.name, code)), None)
        return (found.text, enumerator(record, found)) if found else (None, "")

    default, spelled = default_of(record.default)
    if default is not None and not record.is_list:
        data["default"] = default
    else:
        spelled = ""
    _keep_default(record, spelled, cpp)
    elements, flags = _list_default(record, default_of)
    if elements is not None:
        data["default"] = elements
    cpp |= flags_entry(record, values, flags)
    return data


def _list_default(
    record: OptionRecord, default_of: Callable[[str], tuple[_Value | None, str]]
) -> tuple[list[Data] | None, str]:
    """Return the default of a list, and the flag that the tables make of it.

    It is `None` if the list has none, or one that only C++ knows.
    """
    codes = list_values(record.flags) if record.is_list else None
    if codes is None:
        return None, ""
    elements: list[Data] = []
    spelled = []
    for code in codes:
        value, literal = default_of(code)
        if value is None:
            return None, ""
        elements.append(value)
        spelled.append(literal)
    return elements, list_default(record.type, spelled) if elements else ""


def _is_same(name: str, default: str) -> bool:
    """Return whether an enumerator and a default are the same but for scopes."""
    parts = ["".join(code.split()).removeprefix("::") for code in (name, default)]
    short, long = sorted(parts, key=len)
    return bool(short) and (long == short or long.endswith(f"::{short}"))


def _plain(
    record: OptionRecord, types: Mapping[str, str], cpp: dict[str, Data]
) -> dict[str, Data]:
    key = "listOf" if record.is_list else "type"
    name = meaning(record.type)
    if not record.type.strip():
        name = "string"  # no C++ type has an empty name
    default: Data | None = None
    spelled = flags = ""
    if name == "pipeline" and not record.is_list:
        # The type `pipeline` is a text in C++, see `OPTION_TYPES`; this one is parsed.
        cpp["type"] = record.type
    elif name is not None:
        regular = option_type(name, types, is_list=record.is_list)
        if regular != record.type:
            cpp["type"] = Commented(record.type, f"not {regular}")
        if record.is_list:
            default, flags = _list_default(record, partial(_default, name=name))
        else:
            default, spelled = _default(record.default, name)
    elif not record.is_list:
        default = _foreign_default(record)
    data: dict[str, Data] = {key: {"cpp": record.type} if name is None else name}
    if default is not None:
        data["default"] = default
    if name is None and default is not None:
        cpp["default"] = record.default  # a text has no regular spelling in its type
    else:
        _keep_default(record, spelled, cpp)
    if record.flags != flags:
        cpp["flags"] = (
            Commented(record.flags, f"not {flags}") if flags else record.flags
        )
    return data


def _keep_default(record: OptionRecord, spelled: str, cpp: dict[str, Data]) -> None:
    """Keep the default's spelling unless it is the regular one."""
    if record.default == spelled:
        return
    note = f"not {spelled}" if spelled else "what it is, only C++ knows"
    blank = not record.default.strip()
    cpp["default"] = record.default if blank else Commented(record.default, note)


def _foreign_default(record: OptionRecord) -> str | bool | None:
    """Return the default of a type that only C++ has, if it is known."""
    code = record.default
    if record.type.strip() == "char":
        return character_value(code)
    held = optional_value(code, record.type)
    name = meaning(held[0]) if held else None
    if held is None or name is None:
        return None
    value, _ = _default(held[1], name)
    return value if value is None or isinstance(value, bool) else str(value)


def _default(code: str, name: str) -> tuple[_Value | None, str]:
    """Return the value of an expression, and its C++ according to the tables.

    Args:
        code: the expression; empty for none.
        name: the type of the option in the spec.
    """
    if not code:
        return None, ""
    row = OPTION_TYPES[name]
    is_text = row.literal in {"string", "pipeline"}
    if not is_text:
        code = unwrap(code, lambda type_: meaning(type_) == name)
    if row.literal == "bool":
        truth = bool_value(code)
        return truth, "" if truth is None else str(truth).lower()
    if is_text:
        text = string_value(code)
        return text, "" if text is None else string_literal(text)
    if row.literal == "float":
        number = float_value(code)
        if number is None or not _is_finite(number, row.meaning):
            return None, ""
        return number, float_literal(number, name)
    integer = integer_value(code, name)
    return integer, "" if integer is None else integer_literal(integer)


def _is_finite(number: float, meaning: OptionType[float]) -> bool:
    """Return whether `number`, rounded to the type, is finite."""
    try:
        meaning.read_literal(number)
    except ValueError:
        return False
    return True


def statistic(
    record: StatisticRecord, name: str, display_names: Names
) -> dict[str, Data]:
    """Return the statistic `name` of a spec."""
    shown = display_name(record.name, name, display_names)
    data: dict[str, Data] = {"name": name}
    if shown != name:
        data["displayName"] = shown
    if record.description:
        data["description"] = block(record.description)
    cpp: dict[str, Data] = {}
    if variable_name(name) != record.cpp_name:
        cpp["name"] = record.cpp_name
    if escape_string(shown) != record.name:
        cpp["displayName"] = record.name
    if cpp:
        data["cpp"] = cpp
    part = _tablegen(record.classes, STATISTIC_CLASSES, record.fields)
    if part:
        data["tablegen"] = part
    return data


def record_entries(
    classes: tuple[str, ...], regular: tuple[str, ...], fields: Fields
) -> tuple[dict[str, Data], dict[str, Data]]:
    """Return the entry `deprecated` of a record, and those of its `tablegen`."""
    others = dict(fields)
    reason = others.pop(DEPRECATED_FIELD, None)
    # A spec takes no reason that is empty or ends with a line end.
    is_said = isinstance(reason, str) and re.search(r".\Z", reason)
    if DEPRECATED in classes and isinstance(reason, str) and is_said:
        part = _tablegen(classes, (*regular, DEPRECATED), tuple(others.items()))
        return {"deprecated": reason}, part
    return {}, _tablegen(classes, regular, fields)


def _tablegen(
    classes: tuple[str, ...], regular: tuple[str, ...], fields: Fields
) -> dict[str, Data]:
    """Return the entries of `tablegen` of a record, none for a regular one."""
    part: dict[str, Data] = {}
    if classes != regular:
        part["classes"] = list(classes)
    known = {name: _data(value) for name, value in fields if value is not None}
    if known:
        part["fields"] = known
    unset = [name for name, value in fields if value is None]
    if unset:
        part["unset"] = unset
    return part


def _data(value: FieldValue) -> Data:
    if isinstance(value, list):
        return [_data(element) for element in value]
    assert value is not None  # such fields have a list of their own
    return value
