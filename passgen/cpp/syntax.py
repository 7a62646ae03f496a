"""C++ syntax: literals, and the expressions that declare the values of an enum."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from textwrap import indent
from typing import Final

from passgen.model import OptionRecord
from passgen.naming import pascal_case

_ESCAPES: Final = {"\\": r"\\", '"': r"\"", "\n": r"\n", "\t": r"\t", "\r": r"\r"}

RAW_SUMMARY_END: Final = ')PD"'
RAW_OPTION_END: Final = ')PO"'
RAW_STATISTIC_END: Final = ')PS"'
"""The ends of summaries and descriptions in C++, which are raw strings."""

SPACE: Final = " \t\n\v\f\r"
"""The characters that LLVM strips from the ends of a text."""


def cpp_code(text: str) -> str:
    """Return `text`, which is C++ already; the filter of the C++ templates."""
    return text


def cpp_macro(name: str) -> str:
    """Return `name` as a part of the name of a macro."""
    return name.upper()


def cpp_field_type(option: OptionRecord) -> str:
    """Return the type of an option in the struct of options."""
    return f"::llvm::SmallVector<{option.type}>" if option.is_list else option.type


def cpp_member_type(option: OptionRecord) -> str:
    """Return the type of an option in the class of the pass."""
    kind = "ListOption" if option.is_list else "Option"
    return f"::mlir::Pass::{kind}<{option.type}>"


def cpp_raw(text: str, delimiter: str) -> str:
    """Return the part of a raw literal of `text` between its parentheses.

    Spaces around the text are left out. Where it has the end of the literal, `)PD"`,
    another literal begins: C++ joins them. `mlir-tblgen` writes all other texts alike,
    but invalid C++ for this one.
    """
    first, rest = delimiter[0], delimiter[1:]
    between = f'){first}){delimiter}" R"{delimiter}({rest}"'
    return text.strip(SPACE).replace(f'){delimiter}"', between)


def cpp_comment(text: str) -> str:
    r"""Return `text` as the end of a comment, which `\` would continue."""
    return text.rstrip("\\" + SPACE)


def cpp_form_function(form_name: str) -> str:
    """Return the function that verifies a form: `verifyNoLinalg` of `noLinalg`."""
    return f"verify{pascal_case(form_name)}"


def cpp_names(names: Sequence[object]) -> str:
    """Return `names` as a list in a comment."""
    return ", ".join(map(str, names))


def cpp_nested(text: str, levels: int) -> str:
    """Return lines `levels` deeper."""
    return indent(text, "  " * levels)


def cpp_literals(values: Iterable[str | float]) -> str:
    """Return texts, and numbers of patterns, as arguments of a function."""
    return ", ".join(map(_pattern_literal, values))


def _pattern_literal(value: str | float) -> str:
    if isinstance(value, str):
        return string_literal(value)
    if isinstance(value, int):  # of any size
        return f'::llvm::APSInt("{value}")'
    if math.isfinite(value):
        return float_literal(value, "double")
    kind = "quiet_NaN" if math.isnan(value) else "infinity"
    sign = "-" * (math.copysign(1, value) < 0)
    return f"{sign}std::numeric_limits<double>::{kind}()"


def cpp_string(text: str) -> str:
    """Return the literal of `text` with its quotes; the filter of the templates."""
    return string_literal(text)


def string_literal(text: str) -> str:
    """Return the literal of `text` with its quotes."""
    return f'"{escape_string(text)}"'


def escape_string(text: str) -> str:
    """Return the part of a literal of `text` between its quotes."""
    escaped = "".join(_escape(char) for char in text)
    return escaped.replace("??", r"?\?")  # no trigraph for older compilers


def _escape(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char < " " or char == "\x7f":
        return f"\\{ord(char):03o}"  # octal ends after three digits, \x does not
    return char


def float_literal(value: float, type_: str) -> str:
    """Return the literal of a finite number."""
    # Python's exponents have two digits and a sign.
    digits = re.sub(r"e(-?)\+?0*", r"e\1", repr(float(value)))
    return digits + ("f" if type_ == "float" else "")


def integer_literal(value: int) -> str:
    """Return the expression of an integer; the limits of 64 bits have no literal."""
    if value == _UINT64_MAXIMUM:
        return "std::numeric_limits<uint64_t>::max()"
    if value > _INT64_MAXIMUM:
        return f"{value}u"
    if value == -_INT64_MAXIMUM - 1:
        return "std::numeric_limits<int64_t>::min()"
    return str(value)


_INT64_MAXIMUM: Final = 2**63 - 1
_UINT64_MAXIMUM: Final = 2**64 - 1


@dataclass(frozen=True)
class Enumerator:
    """One value of `llvm::cl::values`."""

    name: str
    """The C++ expression, or the enumerator without its enum."""

    text: str
    """The text that users write in a pipeline."""

    description: str


def enum_flags(type_: str, enumerators: Iterable[Enumerator]) -> str:
    """Return the `cl::values` of enumerators of the enum `type_`."""
    calls = ", ".join(
        f"clEnumValN({type_}::{enumerator.name}, {string_literal(enumerator.text)}, "
        f"{string_literal(enumerator.description)})"
        for enumerator in enumerators
    )
    return f"::llvm::cl::values({calls})"


def list_default(type_: str, elements: Iterable[str]) -> str:
    """Return the flag that gives a list option its default."""
    return f"llvm::cl::list_init<{type_}>({{{', '.join(elements)}}})"


def enumerator_name(pascal: str) -> str:
    """Return the enumerator for the value `pascal`, which is in PascalCase."""
    return pascal if re.match("[A-Za-z_]", pascal) else f"Value{pascal}"
