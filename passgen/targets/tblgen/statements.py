"""The statements of functions that build pipelines in C++, for their templates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from passgen.cpp import (
    DeclaredEnum,
    Enumerator,
    enumerator,
    integer_literal,
    meaning,
    string_literal,
)
from passgen.model import OPTION_TYPES, Option, OptionRecord, Pipeline

_PIPELINE: Final = "OpPassManager"
"""The type of the elements of a list of pipelines, which have no literals."""


@dataclass(frozen=True)
class Field:
    """An option of a pipeline or a pass, as a member of a struct."""

    declared: Option
    record: OptionRecord

    @property
    def meaning(self) -> str:
        """The spec's name of its C++ type; empty for a type of its author."""
        return meaning(self.record.type) or ""

    @property
    def has_literals(self) -> bool:
        """Whether C++ has an expression for its values, and a text for each."""
        is_pipeline = self.record.type == _PIPELINE
        return bool(self.declared.type.values or (self.meaning and not is_pipeline))

    @property
    def enumerators(self) -> tuple[Enumerator, ...]:
        """The expressions of the values of an enum, with their texts."""
        values, type_ = self.declared.type.values, self.record.type
        return tuple(
            Enumerator(f"{type_}::{enumerator(value)}", value.value, "")
            for value in values
        )

    @property
    def is_printed(self) -> bool:
        """Whether text needs other digits or words than C++ writes, or quotes."""
        return self.record.is_list or not (self._cpp_integers or self.enumerators)

    @property
    def _cpp_integers(self) -> range:
        """The integers that its C++ type has."""
        row = OPTION_TYPES.get(self.meaning)
        return row.integers if row else range(0)

    @property
    def minimum(self) -> str:
        """The least integer that it may have, if C++ has less."""
        row, own = self.declared.type.row, self._cpp_integers
        is_less = row and row.integers and own and own[0] < row.integers[0]
        return integer_literal(row.integers[0]) if row and is_less else ""

    @property
    def maximum(self) -> str:
        """The greatest integer that it may have, if C++ has greater ones."""
        row, own = self.declared.type.row, self._cpp_integers
        is_greater = row and row.integers and own and own[-1] > row.integers[-1]
        return integer_literal(row.integers[-1]) if row and is_greater else ""


@dataclass(frozen=True)
class Assignment:
    """A value for a member: that of an option or, without one, a constant."""

    target: OptionRecord
    source: Field | None = None
    code: str = ""
    """The constant."""

    @property
    def is_optional(self) -> bool:
        """Whether it is left out if the option has no value."""
        return bool(self.source and self.source.declared.optional)


@dataclass(frozen=True)
class TextPart:
    """Options of an element as text, and the option whose value follows, if any."""

    text: str
    option: Field | None = None

    @property
    def is_optional(self) -> bool:
        """Whether it is left out if the option has no value."""
        return bool(self.option and self.option.declared.optional)


@dataclass(frozen=True)
class Addition:
    """A pass or a pipeline that is added."""

    argument: str
    creation: str
    """The expression that makes the pass, or the function; empty to look it up."""

    struct: str = ""
    """The type of the options that the function gets, if any."""

    assignments: tuple[Assignment, ...] = ()
    parts: tuple[TextPart, ...] = ()
    """The options as text."""

    is_checked: bool = False
    """Whether it has text, or may be restricted to an operation that only C++ knows."""

    @property
    def refers(self) -> bool:
        """Whether the text has values of options."""
        return any(part.option for part in self.parts)

    @property
    def text(self) -> str:
        """The expression of the text: a literal or, with such values, a variable."""
        literal = string_literal("".join(part.text for part in self.parts))
        return "text" if self.refers else literal


@dataclass(frozen=True)
class Test:
    """The condition of an element."""

    option: OptionRecord
    value: str
    """The enumerator that the option must have; empty for a bool."""

    is_negated: bool
    """Whether the option must have another value, or be false."""


@dataclass(frozen=True)
class Statement:
    """A statement, or the head or end of a block. One of the kinds is set."""

    depth: int
    manager: str = ""
    """The variable of the pass manager that is added to, or nested."""

    comment: str = ""
    test: Test | None = None
    nest: str = ""
    """The operation of a nested pass manager."""

    outer: str = ""
    """The variable of the pass manager around it."""

    text_parts: tuple[TextPart, ...] = ()
    """The text of the addition in this block."""

    is_end: bool = False
    pass_: Addition | None = None
    pipeline: Addition | None = None


@dataclass(frozen=True)
class CppPipeline:
    """What the template of C++ says about a pipeline."""

    declared: Pipeline
    stem: str
    options: tuple[Field, ...]
    enums: tuple[DeclaredEnum, ...]
    statements: tuple[Statement, ...]

    @property
    def macro(self) -> str:
        """The name in macros."""
        return self.stem.removesuffix("Pipeline")

    @property
    def looks_up_passes(self) -> bool:
        """Whether it finds passes by their arguments."""
        return any(
            statement.pass_ and not statement.pass_.creation
            for statement in self.statements
        )

    @property
    def bounded_options(self) -> tuple[Field, ...]:
        """The options whose C++ types have more values."""
        return tuple(
            option for option in self.options if option.minimum or option.maximum
        )

    @property
    def takes_text(self) -> bool:
        """Whether values of options become text."""
        return any(statement.text_parts for statement in self.statements)

    @property
    def printed_options(self) -> tuple[Field, ...]:
        """The options whose values become text other than as C++ writes them."""
        parts = [part for statement in self.statements for part in statement.text_parts]
        used = {part.option.record.argument for part in parts if part.option}
        printed = (option for option in self.options if option.is_printed)
        return tuple(option for option in printed if option.record.argument in used)

    @property
    def quoted_options(self) -> tuple[Field, ...]:
        """Those of them that are strings, which may have no text."""
        texts, kinds = self.printed_options, {"string", "pipeline"}
        return tuple(option for option in texts if option.meaning in kinds)
