"""Options within options: the elements of the list of `test-options-super-pass`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from passgen_runtime import (
    INT32,
    STRING,
    PassOptions,
    enum_type,
    list_option,
    option,
    options_type,
)


class NestedEnum(StrEnum):
    ZERO = "zero"
    ONE = "one"
    TWO = "two"


@dataclass(kw_only=True)
class NestedOptions(PassOptions):
    numbers: list[int] = list_option("list", INT32)
    texts: list[str] = list_option("string-list", STRING)
    text: str = option("string", STRING)
    choice: NestedEnum = option("enum", enum_type(NestedEnum))


NESTED_OPTIONS = options_type(NestedOptions)
