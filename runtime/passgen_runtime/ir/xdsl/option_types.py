"""The options of xDSL's passes in terms of `passgen_runtime`'s option types.

| field of xDSL's pass          | option                                            |
|-------------------------------|---------------------------------------------------|
| `bool`, `int`, `float`, `str` | `bool`, `int64`, `double`, `string`               |
| `Literal["a", "b"]`           | an enum of these texts                            |
| `tuple[int, ...]`             | a list of `int64`                                 |
| `int | bool`                  | the first type above that parses the value        |
| `int | None`                  | `int64`; the key without a value means `None`     |
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from types import NoneType, UnionType
from typing import (
    Any,
    Final,
    Literal,
    TypeAlias,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from xdsl.passes import ModulePass, get_pass_option_infos

from passgen_runtime.pass_options import (
    BOOL,
    DOUBLE,
    INT64,
    REQUIRED,
    STRING,
    OptionInfo,
    OptionType,
    choice_type,
)
from passgen_runtime.textual_pipeline import TextualOption

Values: TypeAlias = tuple[Any, ...]
"""The values of one option in an `ArgSpec`: none, one, or those of a list."""

_TYPES: Final[dict[object, OptionType[Any]]] = {
    int: INT64,
    float: DOUBLE,
    bool: BOOL,
    str: STRING,
}
"""The option types, in the order in which a union tries them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class XDSLOptionInfo(OptionInfo):
    """The declaration of an option of an xDSL pass; its values are tuples."""

    is_optional: bool
    """Whether the key without a value means `None`: an empty tuple in `ArgSpec`."""

    is_empty_list_allowed: bool

    def read(self, option: TextualOption) -> Values:
        """Return the values of `option`.

        Raises:
            PassOptionError: a value is missing or wrong.
        """
        if option.value is None and self.is_optional:
            return ()
        if self.is_list:
            return self.coerce(self.read_list(option))
        return (self.read_value(option),)

    def coerce(self, value: object) -> Values:
        """Return the `value` of an `ArgSpec` as a tuple, with strings parsed.

        Raises:
            PassOptionError: the value is not of the option's type.
        """
        values = self.coerce_list(value)
        if not values and not self.is_optional and not self.is_empty_list_allowed:
            raise self.without_value()
        if len(values) > 1 and not self.is_list:
            raise self.wrong_type(value, "one value")
        return tuple(values)

    def spell(self, value: object) -> str:
        """Return the option in pipeline syntax; `value` need not be a tuple.

        Raises:
            PassOptionError: the value is not of the option's type.
        """
        if not isinstance(value, list | tuple):
            value = () if value is None else (value,)
        return self.print_values(self.coerce(value))

    def print_values(self, values: Values) -> str:
        """Return the option with `values` in pipeline syntax."""
        if not values and self.is_optional:
            return self.argument
        return f"{self.argument}={self.print(values if self.is_list else values[0])}"


def option_infos(module_pass: type[ModulePass]) -> tuple[XDSLOptionInfo, ...]:
    """Return the declarations of the options of an xDSL pass."""
    hints = get_type_hints(module_pass)
    names = [info.name for info in get_pass_option_infos(module_pass)]
    return tuple(
        _option_info(name, hints[name], getattr(module_pass, name, REQUIRED))
        for name in names
    )


def _option_info(name: str, hint: object, default: object) -> XDSLOptionInfo:
    members = tuple(_members(hint))
    is_list = any(get_origin(member) is tuple for member in members)
    if is_list and default is not REQUIRED and not isinstance(default, tuple):
        default = () if default is None else (default,)
    type_ = _option_type(members)
    return XDSLOptionInfo(
        name,
        name.replace("_", "-"),
        type_,
        is_list=is_list,
        default=default,
        description="",
        is_optional=NoneType in members and type_.bare is None,
        is_empty_list_allowed=is_list and len(members) == 1,
    )


def _members(hint: object) -> Iterator[object]:
    """Yield the members of a union, or `hint` itself."""
    if get_origin(hint) in (Union, UnionType):
        for argument in get_args(hint):
            yield from _members(argument)
    else:
        yield hint


def _option_type(members: tuple[object, ...]) -> OptionType[Any]:
    """Return the type of one value of an option whose annotation has `members`."""
    elements: list[object] = []
    for member in members:
        is_list = get_origin(member) is tuple
        elements += _members(get_args(member)[0]) if is_list else [member]
    types = [type_ for python, type_ in _TYPES.items() if python in elements]
    literals = [element for element in elements if get_origin(element) is Literal]
    texts = tuple(chain.from_iterable(map(get_args, literals)))
    if STRING in types:
        # Completion offers the texts, although any other string is accepted too.
        types[types.index(STRING)] = dataclasses.replace(STRING, choices=texts)
    elif texts:
        types.append(choice_type({text: text for text in texts}, texts.__contains__))
    return types[0] if len(types) == 1 else _first_of(types or [STRING])


def _first_of(types: list[OptionType[Any]]) -> OptionType[Any]:
    """Return the union of `types`; the first type that accepts a text parses it."""
    name = "|".join(member.name for member in types)

    def parse(text: str) -> object:
        for type_ in types:
            with contextlib.suppress(ValueError):
                return type_.parse(text)
        raise ValueError(f"'{text}' value invalid for {name} argument!")

    def type_of(value: object) -> OptionType[Any] | None:
        return next((type_ for type_ in types if type_.accepts(value)), None)

    def normalize(value: object) -> object:
        # As in a pipeline, the text of a number is that number.
        return parse(value) if isinstance(value, str) else value

    def spell_value(value: object) -> str:
        type_ = type_of(value)
        assert type_ is not None
        return type_.print(value)

    return OptionType(
        name,
        zero=types[0].zero,
        parse=parse,
        accepts=lambda value: type_of(value) is not None,
        print=spell_value,
        expected=f"a value of {name}",
        normalize=normalize,
    )
