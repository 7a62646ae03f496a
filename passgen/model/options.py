"""Options of passes and pipelines, their types and their values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from passgen.model.constraints import Ignore
from passgen.model.cpp import REGULAR_OPTION, CppOption
from passgen.model.option_types import OPTION_TYPES, OPTIONAL_BOOL, OptionTypeRow
from passgen.passgen_rules import option_values
from passgen.passgen_rules.option_values import LiteralForm, choice_type
from passgen.passgen_rules.outside_access import suggests_outside_access
from passgen.source import Location

OptionValue: TypeAlias = option_values.LiteralValue
"""A value of an option; text for enums, pipelines and foreign types."""

OptionDefault: TypeAlias = OptionValue | tuple[OptionValue, ...]
"""A default; of a list option, its elements."""


_NO_VALUE: Final = frozenset({"std::nullopt", "::std::nullopt", "{}"})
"""What makes an optional of C++ that is unset."""

_LIST_DEFAULT: Final = "list_init"
"""The function in the C++ flags of a list option that gives its default."""


@dataclass(frozen=True)
class EnumValue:
    """One allowed value of an enum option."""

    value: str
    """The text that users write in a pipeline, such as `greedy`."""

    description: str
    """Markdown; may be empty."""

    location: Location
    cpp: str | None = None
    """The C++ enumerator without its enum; `None`: the value in PascalCase."""


@dataclass(frozen=True)
class OptionType:
    """The type of an option, or of the elements of a list option.

    `name` is that of a row in `OPTION_TYPES`, or `foreign` for a type that is spelled
    per language. In Python, values of a type that has only a C++ spelling are texts.
    """

    name: str
    location: Location
    enum_name: str = ""
    """The Python class of an `enum`; empty for other types."""

    values: tuple[EnumValue, ...] = ()
    """In the order of the spec; empty unless `name` is `enum`."""

    python: str = ""
    """The option type of the runtime for a foreign type, `module:NAME`, or empty."""

    cpp: str = ""
    """The C++ type for a foreign type, or empty."""

    @property
    def row(self) -> OptionTypeRow | None:
        """Its row in `OPTION_TYPES`; `None` for a foreign type."""
        return OPTION_TYPES.get(self.name)

    @property
    def is_optional_bool(self) -> bool:
        """Whether it is `std::optional<bool>` in C++: a bool that may be unset."""
        spelled = "".join(self.cpp.split()).removeprefix("::")
        return spelled == OPTIONAL_BOOL.cpp_type and not self.python

    @property
    def literal(self) -> LiteralForm | None:
        """The YAML form of its values; `None` for a foreign type."""
        return self.row.literal if self.row else None

    @property
    def meaning(self) -> option_values.OptionType[Any]:
        """How its values are read and written; as texts, if the type is foreign."""
        if self.values:
            texts = {case.value: case.value for case in self.values}
            return choice_type(texts, texts.__contains__)
        if self.is_optional_bool:
            return OPTIONAL_BOOL.meaning
        return (self.row or OPTION_TYPES["string"]).meaning

    @property
    def zero(self) -> OptionValue | None:
        """The value of an option without a default; `None` if only C++ knows it."""
        return self.row.meaning.zero_literal if self.row else None


@dataclass(frozen=True)
class Option:
    """An option of a pass (MLIR's `Option`), or a list option (`ListOption`)."""

    name: str
    """The variable's name in camelCase, as in `.td` files."""

    argument: str
    """The name that users write in a pipeline."""

    type: OptionType
    is_list: bool
    default: OptionDefault | None
    """`None` if the spec has no default: the value starts as zero or an empty list.

    A tuple, if the spec has a list.
    """

    description: str
    location: Location
    """The place of the option's name."""

    argument_location: Location
    default_location: Location
    """The place of the default, or of the option if it has none."""

    item_locations: tuple[Location, ...] = ()
    """The places of the elements of a default that is a list."""

    required: bool = False
    """Whether pipelines must give it."""

    optional: bool = False
    """Whether it may have no value, as it has none by default."""

    deprecated: str = ""
    """What to use instead, or why not to set it; empty unless it is deprecated."""

    outside_access: bool | None = None
    """Whether its value leads beyond the IR; `None` if that is not declared."""

    selects_patterns: bool = False
    """Whether it is one of those that each pass with patterns has."""

    cpp: CppOption = REGULAR_OPTION
    ignores: tuple[Ignore, ...] = ()

    @property
    def presence(self) -> str:
        """The key that says whether it must or need not have a value, or nothing."""
        return "required" if self.required else "optional" if self.optional else ""

    @property
    def declares_outside_access(self) -> bool:
        """Whether it says if its value leads beyond the IR."""
        return self.outside_access is not None

    @property
    def reaches_outside(self) -> bool:
        """Whether its value leads beyond the IR: as declared, or else as guessed."""
        if self.outside_access is not None:
            return self.outside_access
        type_name = "bool" if self.type.is_optional_bool else self.type.name
        return suggests_outside_access(self.argument, type_name)

    @property
    def has_default(self) -> bool:
        """Whether the value starts as the spec says, and not as it would without."""
        return self.default is not None and self.default != ()

    @property
    def unknown_default(self) -> str:
        """The C++ expression, on one line, of a default that only C++ knows, if any."""
        if self.default is not None or self.presence:
            return ""
        of_list = (self.cpp.flags or "") if self.sets_list_default else ""
        code = " ".join((self.cpp.default or of_list).split())
        return "" if self.type.is_optional_bool and code in _NO_VALUE else code

    @property
    def sets_list_default(self) -> bool:
        """Whether the C++ flags in the spec give a list option its default."""
        return self.is_list and _LIST_DEFAULT in (self.cpp.flags or "")
