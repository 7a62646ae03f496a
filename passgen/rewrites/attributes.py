"""The attributes in a rewrite: how MLIR writes those that meet a constraint.

An attribute of the class `IntegerAttr` is written `8 : i32`, one of an enum that a
dialect defines `#arith.overflow<nsw>`, and a flag is there or not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias

from passgen.rewrites.records import Records
from passgen.rewrites.unreadable import UnreadableRewriteError

Form: TypeAlias = Literal["typed", "wrapped", "plain", "unit"]
"""`8 : i32`, `#arith.overflow<nsw>`, `"text"`, and what is there or not."""

ExampleValue: TypeAlias = bool | int | float | str

ANY_NUMBER: Final = frozenset({"AnyAttr", "APIntAttr", "TypedAttrInterface"})
"""Constraints of attributes whose type is that of an operand or a result."""

SCALAR_NUMBER: Final = "APIntAttr"
"""The constraint of numbers that are no vectors."""

_NUMBERS: Final = (1, 0)
_IN_ANGLES: Final = ["`<`", "$value", "`>`"]
"""How attributes print the case of an enum."""


@dataclass(frozen=True)
class AttributeForm:
    """How the attributes that meet a constraint are written."""

    form: Form
    examples: tuple[ExampleValue, ExampleValue]
    type: str = ""
    """The type of typed attributes; empty if it is that of an operand or a result."""

    wrapper: str = ""
    """The name before the brackets: `arith.overflow`."""

    cases: Mapping[str, ExampleValue] = field(default_factory=dict)
    """The values of the cases of an enum, by their symbols in C++."""

    is_optional: bool = False
    default: str = ""
    """The C++ text of the default; empty if there is none."""

    @property
    def may_be_left_out(self) -> bool:
        """Whether an operation may be written without it."""
        return self.is_optional or bool(self.default) or self.form == "unit"

    @property
    def function_kind(self) -> str:
        """The kind of the functions that take it."""
        if self.form == "wrapped":
            return "flags"
        return "case" if self.cases else "integer"


_NAMED: Final[Mapping[str, AttributeForm]] = {
    **dict.fromkeys(ANY_NUMBER, AttributeForm("typed", _NUMBERS)),
    "UnitAttr": AttributeForm("unit", ("", "")),
    "StrAttr": AttributeForm("plain", ('"a"', '"b"')),
    "BoolAttr": AttributeForm("plain", (True, False)),
}
"""The forms of constraints, by their records."""


def form_of(records: Records, constraint: str) -> AttributeForm:
    """Return how attributes that meet a constraint are written.

    Raises:
        UnreadableRewriteError: that is not known.
    """
    base = records.reference(constraint, "baseAttr")
    if records.is_a(constraint, "DefaultValuedAttr"):
        default = records.text(constraint, "defaultValue")
        return replace(form_of(records, base), default=default)
    if records.is_a(constraint, "OptionalAttr"):
        return replace(form_of(records, base), is_optional=True)
    if records.is_a(constraint, "ConfinedAttr"):
        return form_of(records, base)
    found = _NAMED.get(constraint)
    for read in (_dialect_enum, _integer_enum, _typed):
        found = found or read(records, constraint)
    if found is None:
        summary = records.text(constraint, "summary") or constraint
        raise UnreadableRewriteError("an attribute of another class", summary)
    return found


def _dialect_enum(records: Records, constraint: str) -> AttributeForm | None:
    """Return the form of a case of an enum in an attribute of a dialect."""
    format_ = records.text(constraint, "assemblyFormat").split()
    if not records.is_a(constraint, "EnumAttr") or format_ != _IN_ANGLES:
        return None
    cases = _cases(records, records.reference(constraint, "enum"), "str")
    wrapper = records.text(constraint, "attrName")
    return AttributeForm("wrapped", _two(cases), "", wrapper, cases)


def _integer_enum(records: Records, constraint: str) -> AttributeForm | None:
    """Return the form of a case of an enum that is an integer."""
    if not records.is_a(constraint, "IntEnumAttr"):
        return None
    cases = _cases(records, constraint, "value")
    width = records.field(constraint, "bitwidth")
    return AttributeForm("typed", _two(cases), f"i{width}", "", cases)


def _typed(records: Records, constraint: str) -> AttributeForm | None:
    """Return the form of a number of one type."""
    type_ = _type(records, records.reference(constraint, "valueType"))
    if not records.is_a(constraint, "TypedAttrBase") or not type_:
        return None
    is_float = records.is_a(constraint, "FloatAttrBase")
    return AttributeForm("typed", (1.0, 0.0) if is_float else _NUMBERS, type_)


def _type(records: Records, type_: str) -> str:
    """Return the type that a record stands for; empty if it is not known."""
    if type_ == "Index":
        return "index"
    for class_name, letter in (("I", "i"), ("F", "f")):
        if records.is_a(type_, class_name):
            return f"{letter}{records.field(type_, 'bitwidth')}"
    return ""


def _cases(records: Records, enum: str, field_: str) -> dict[str, ExampleValue]:
    """Return the values of the cases of an enum, by their symbols."""
    return {
        records.text(case, "symbol"): records.field(case, field_)
        for case in records.references(enum, "enumerants")
    }


def _two(cases: Mapping[str, ExampleValue]) -> tuple[ExampleValue, ExampleValue]:
    """Return two cases, which are not the usual default if there are others."""
    found = [value for value in cases.values() if value != "none"]
    if len(found) == 1:
        found = [*cases.values()]
    if len(found) < 2:  # noqa: PLR2004 - two examples show where an attribute stands
        raise UnreadableRewriteError("an enum of one case", ", ".join(cases))
    return found[0], found[1]


@dataclass(frozen=True)
class ConstantAttribute:
    """An attribute that a rewrite names."""

    form: AttributeForm
    value: ExampleValue
    is_default: bool
    """Whether operations have it if none is given."""


def constant_of(
    records: Records, constraint: str, declared: AttributeForm
) -> ConstantAttribute | None:
    """Return the attribute that a constraint names; `None` if it names none.

    Args:
        records: the records.
        constraint: the constraint in the rewrite.
        declared: how the operation declares the attribute.

    Raises:
        UnreadableRewriteError: it names one that cannot be written.
    """
    if not records.is_a(constraint, "ConstantAttr"):
        return None
    text = records.text(constraint, "value")
    form = form_of(records, records.reference(constraint, "attr"))
    is_default = bool(declared.default) and text == declared.default
    value: ExampleValue | None
    if form.cases:
        value = form.cases.get(text.rpartition("::")[2])
    elif form.form == "unit":
        value = {"true": "", "unit": ""}.get(text.strip("{}") or "unit")
    else:
        value = {"true": 1, "false": 0}.get(text, _number(text))
    if value is None:
        raise UnreadableRewriteError("a constant attribute", text)
    return ConstantAttribute(form, value, is_default)


def _number(text: str) -> int | float | None:
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return None
