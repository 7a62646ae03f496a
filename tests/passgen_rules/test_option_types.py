"""Types of options: which values they have, and how these are read and written."""

from __future__ import annotations

import math
import sys
from enum import StrEnum
from typing import Any, NamedTuple

import pytest

from passgen_rules import option_types
from passgen_rules.option_types import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT8,
    INT16,
    INT32,
    INT64,
    OPTION_TYPES,
    OPTIONAL_BOOL,
    PIPELINE,
    STRING,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
)
from passgen_rules.option_values import (
    ENUM,
    LiteralValue,
    OptionType,
    choice_type,
    enum_type,
    literal_text,
)
from passgen_rules.pipeline_text import TextSlice, text_of


class Choice(StrEnum):
    X = "x"
    NO = "no"


class Case(NamedTuple):
    """Values of a type, and others."""

    type: OptionType[Any]
    accepts: tuple[LiteralValue, ...]
    refuses: tuple[LiteralValue, ...]
    only_as_value: tuple[LiteralValue, ...] = ()
    """Values of the type that no spec may have as a default."""


CASES = (
    Case(BOOL, (True, False), (0, 1, 0.0)),
    Case(INT8, (-128, 0, 127, 0x7F), (-129, 128, 1.0, True)),
    Case(INT16, (-32768, 0, 32767), (-32769, 32768, 1.0, True)),
    Case(INT32, (-2147483648, 0, 2147483647), (-2147483649, 2147483648, 1.0, True)),
    Case(
        INT64,
        (-9223372036854775808, 0, 9223372036854775807),
        (-9223372036854775809, 9223372036854775808, 1.0, True),
    ),
    Case(UINT8, (0, 255), (-1, 256, 1.0, True)),
    Case(UINT16, (0, 65535), (-1, 65536, 1.0, True)),
    Case(UINT32, (0, 4294967295, 0xFFFFFFFF), (-1, 4294967296, 1.0, True)),
    Case(UINT64, (0, 18446744073709551615), (-1, 18446744073709551616, 1.0, True)),
    Case(
        FLOAT,
        (1, 0.5, 3.4028234e38, -3.4028234e38, 3.4028235e38),  # rounds to the largest
        (True, 10**400),
        # They are infinite in 32 bits, or no finite number.
        (3.5e38, 10**39, math.inf, math.nan),
    ),
    Case(
        DOUBLE,
        (1, 0.5, 1.0e39, 1.0e308),
        (True, 10**400),
        (math.inf, math.nan),
    ),
    Case(STRING, ("", "no", "1", "two words"), (1, 1.5, True)),
    Case(
        PIPELINE,
        ("", "cse", "cse,canonicalize", "builtin.module(func.func(a{b=[c]},d))"),
        (1, True, "any(cse", "cse)", "a{b=c", "any(a{b)}", "cse{a} b"),
    ),
    Case(enum_type(Choice), ("x", "no"), ("y", "X", "", 1, False)),
    Case(
        choice_type({"x": "x", "no": "no"}, ("x", "no").__contains__),
        ("x", "no"),
        ("y", "X", "", 1, False),
    ),
)
by_type = pytest.mark.parametrize("case", CASES, ids=[case.type.name for case in CASES])


def is_literal(type_: OptionType[Any], literal: LiteralValue) -> bool:
    try:
        type_.read_literal(literal)
    except ValueError:
        return False
    return True


def is_value(type_: OptionType[Any], value: LiteralValue) -> bool:
    """Return whether an option can be set to `value` in Python."""
    is_text = type_.literal in {"string", "pipeline", "enum"}
    if not (is_text and isinstance(value, str)):
        return type_.accepts(value)
    try:
        type_.parse(value)
    except ValueError:
        return False
    return True


def test_every_type_is_in_the_table() -> None:
    assert {case.type.name for case in CASES} == {
        *(type_.name for type_ in OPTION_TYPES),
        ENUM.name,
    }


def test_every_type_is_exported_under_its_name() -> None:
    types = (*OPTION_TYPES, OPTIONAL_BOOL)
    names = [type_.name.replace(" ", "_").upper() for type_ in types]

    assert sorted(names) == sorted(option_types.__all__)
    assert [getattr(option_types, name) for name in names] == list(types)


@by_type
def test_values_of_specs(case: Case) -> None:
    refused = (*case.refuses, *case.only_as_value)

    assert [each for each in case.accepts if not is_literal(case.type, each)] == []
    assert [each for each in refused if is_literal(case.type, each)] == []


@by_type
def test_values_in_python(case: Case) -> None:
    accepted = (*case.accepts, *case.only_as_value)

    assert [each for each in accepted if not is_value(case.type, each)] == []
    assert [each for each in case.refuses if is_value(case.type, each)] == []


@by_type
def test_what_is_printed_is_read_as_the_same_value(case: Case) -> None:
    for literal in case.accepts:
        text = text_of(TextSlice.of(case.type.print_literal(literal)))

        assert case.type.parse(text) == case.type.read_literal(literal)


@pytest.mark.parametrize(
    ("type_", "value", "stored"),
    [
        (FLOAT, FLOAT.largest, FLOAT.largest),
        (FLOAT, math.nextafter(2.0**128 - 2.0**103, 0), 2.0**128 - 2.0**103 - 2.0**75),
        (FLOAT, 2.0**128 - 2.0**103, math.inf),
        (FLOAT, -3.5e38, -math.inf),
        (FLOAT, 10**39, math.inf),
        (FLOAT, 2**128 - 2**103 - 1, math.inf),
        (DOUBLE, sys.float_info.max, sys.float_info.max),
        (DOUBLE, -math.inf, -math.inf),
        (DOUBLE, 1, 1.0),
    ],
)
def test_a_number_that_rounds_beyond_the_largest_is_infinite(
    type_: OptionType[float], value: float, stored: float
) -> None:
    assert type_.normalize is not None
    assert type_.normalize(value) == stored
    assert DOUBLE.largest == sys.float_info.max


@pytest.mark.parametrize(
    ("type_", "zero"),
    [(BOOL, False), (INT8, 0), (FLOAT, 0.0), (STRING, ""), (PIPELINE, "")],
)
def test_the_zero_of_a_spec_is_that_of_the_type(
    type_: OptionType[Any], zero: LiteralValue
) -> None:
    assert type_.zero_literal == zero
    assert type_.read_literal(zero) == type_.zero


def test_an_enum_has_no_zero_in_specs() -> None:
    assert ENUM.zero_literal is None
    assert enum_type(Choice).zero_literal is None


@pytest.mark.parametrize(
    ("wide", "narrow", "includes"),
    [
        (INT16, INT8, True),
        (INT8, INT16, False),
        (INT16, UINT8, True),
        (INT8, UINT8, False),
        (UINT64, INT8, False),
        (INT32, INT32, True),
        (DOUBLE, FLOAT, True),
        (FLOAT, DOUBLE, False),
        (DOUBLE, INT8, False),
        (INT64, FLOAT, False),
        (STRING, ENUM, False),
        (STRING, INT8, False),
        (BOOL, BOOL, False),
    ],
)
def test_a_type_of_numbers_includes_a_narrower_one(
    wide: OptionType[Any], narrow: OptionType[Any], *, includes: bool
) -> None:
    assert wide.includes(narrow) == includes


@pytest.mark.parametrize(
    ("literal", "text"),
    [
        (True, "true"),
        (False, "false"),
        (8, "8"),
        (0.5, "0.5"),
        ("a b", "'a b'"),
        ("", ""),
    ],
)
def test_a_value_of_an_unknown_type_is_printed_by_its_form(
    literal: LiteralValue, text: str
) -> None:
    assert literal_text(literal) == text
