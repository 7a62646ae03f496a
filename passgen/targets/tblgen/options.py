"""Parsers of the options of passes in C++, and of options that may have no value.

`mlir-tblgen` has none: it writes the struct of options, and the options of the class,
which MLIR parses with the class only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from passgen.cpp import group_records
from passgen.diagnostics import Diagnostic, Note
from passgen.model import OptionRecord, PassGroup, PassRecord, record_order
from passgen.targets.tblgen.statements import Field


@dataclass(frozen=True)
class ParsedOption(Field):
    """An option of a pass; its `record` has the type of the values that it may have."""

    type: str
    """The type in the struct, such as `std::optional<int64_t>`."""

    @property
    def is_optional(self) -> bool:
        """Whether its type is the optional of that of its values."""
        return self.type != self.record.type

    @property
    def is_bounded(self) -> bool:
        """Whether its C++ type has more values."""
        return bool(self.minimum or self.maximum)


@dataclass(frozen=True)
class OptionsParser:
    """The function that parses the options of a pass."""

    record: PassRecord
    options: tuple[ParsedOption, ...]

    @property
    def needs_optional_parser(self) -> bool:
        """Whether LLVM does not parse one of the types."""
        return any(map(_is_unparsed, self.record.options))


@dataclass(frozen=True)
class OptionsParsers:
    """The parsers of a group, in the order of the passes' names."""

    functions: tuple[OptionsParser, ...]

    @property
    def needs_optional_parser(self) -> bool:
        """Whether LLVM does not parse one of the types."""
        return any(function.needs_optional_parser for function in self.functions)


def options_parsers(group: PassGroup) -> OptionsParsers:
    """Return the parsers for the passes of `group` that have options."""
    functions = []
    for pass_, record in zip(group.passes, group_records(group), strict=True):
        options = tuple(
            ParsedOption(declared, _of_values(option), option.type)
            for declared, option in zip(pass_.options, record.options, strict=True)
        )
        if options:
            functions.append(OptionsParser(record, options))
    functions.sort(key=lambda function: record_order(function.record.name))
    return OptionsParsers(tuple(functions))


def uncompiled_lists(group: PassGroup) -> Iterator[Diagnostic]:
    """Yield warnings about lists of booleans: MLIR's `ListOption<bool>` is an error."""
    for pass_, record in zip(group.passes, group_records(group), strict=True):
        for option, spelled in zip(pass_.options, record.options, strict=True):
            if spelled.is_list and _plain(spelled.type) == "bool":
                message = (
                    f"option '{option.argument}' of pass '{pass_.name}' is a list of "
                    "bool in C++, which MLIR does not compile"
                )
                yield Diagnostic(
                    message, option.location, (_COMPILED,), severity="warning"
                )


_COMPILED: Final = Note("a list of an integer type compiles, such as 'listOf: uint8'")


def unparsed_optionals(group: PassGroup) -> Iterator[Diagnostic]:
    """Yield warnings about options for which C++ needs a parser besides LLVM's.

    A program compiles without one, since LLVM takes each class without a parser for an
    enum, but has no names for its values.
    """
    for pass_, record in zip(group.passes, group_records(group), strict=True):
        for option, spelled in zip(pass_.options, record.options, strict=True):
            if not _is_unparsed(spelled):
                continue
            message = (
                f"option '{option.argument}' of pass '{pass_.name}' is a "
                f"{spelled.type} in C++, which LLVM neither parses nor prints"
            )
            effect = Note(
                "without a parser in the program, printing a pipeline ends the process "
                f"or writes '{spelled.argument}='"
            )
            notes = effect, _PARSER
            yield Diagnostic(message, option.location, notes, severity="warning")


_OPTIONAL: Final = "std::optional<"
_PARSER: Final = Note(
    "the output of '--target cpp' has the parser: see docs/tablegen.md, section "
    "'Optional options in C++'"
)


def _plain(type_: str) -> str:
    return "".join(type_.split()).removeprefix("::")


def _is_unparsed(option: OptionRecord) -> bool:
    """Return whether LLVM has no parser of an option, as it has of optional strings."""
    type_ = _plain(option.type)
    return type_.startswith(_OPTIONAL) and type_ != f"{_OPTIONAL}std::string>"


def _of_values(option: OptionRecord) -> OptionRecord:
    """Return the record of an option that always has a value."""
    type_ = option.type.strip().removeprefix("::")
    if not type_.startswith(_OPTIONAL):
        return option
    return replace(option, type=type_.removeprefix(_OPTIONAL).removesuffix(">").strip())
