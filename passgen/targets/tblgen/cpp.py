"""The C++ target and the C targets, as `mlir-tblgen` writes them.

Its generators are `-gen-pass-decls` and `-gen-pass-capi-*`. Passes come in the order of
their names, as `mlir-tblgen` visits its records.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from passgen.cpp import DeclaredEnum, declared_enums, group_records
from passgen.diagnostics import Diagnostic, Note
from passgen.model import NO_FORMS, FormRules, PassGroup, PassRecord, record_order
from passgen.targets.tblgen.patterns import group_patterns
from passgen.targets.tblgen.pipelines import pipelines


@dataclass(frozen=True)
class DeclaredPass(PassRecord):
    """The record of a pass, and what generated C++ declares for it besides."""

    enums: tuple[DeclaredEnum, ...] = ()
    forms: FormRules = NO_FORMS


def values(group: PassGroup) -> dict[str, object]:
    """Return the variables of the templates in `capi-header` and `capi-impl`."""
    records = zip(group.passes, group_records(group), strict=True)
    passes = [
        DeclaredPass(
            **vars(record),
            enums=declared_enums(pass_.options),
            forms=pass_.constraints.forms,
        )
        for pass_, record in records
    ]
    return {
        "prefix": (
            group.name if group.cpp.capi_prefix is None else group.cpp.capi_prefix
        ),
        "passes": sorted(passes, key=lambda record: record_order(record.name)),
    }


def cpp_values(group: PassGroup, others: Sequence[PassGroup]) -> dict[str, object]:
    """Return the variables of `cpp/passes.h.inc.j2`; `others` may hold passes.

    Raises:
        SpecError: C++ cannot say what a pipeline or a pattern does.
    """
    return values(group) | {
        "pipelines": pipelines(group, others),
        "patterns": group_patterns(group, group_records(group)),
    }


_OPTIONAL_STRING: Final = "std::optional<std::string>"
_PARSER: Final = Note(
    "the parser is in docs/tablegen.md, section 'Optional options in C++'"
)


def unparsed_optionals(group: PassGroup) -> Iterator[Diagnostic]:
    """Yield warnings about options for which a C++ program needs a parser of its own.

    LLVM has one for optional strings. The program compiles without the others, since
    LLVM takes each other class for an enum, but has no names for its values.
    """
    for pass_, record in zip(group.passes, group_records(group), strict=True):
        for option, spelled in zip(pass_.options, record.options, strict=True):
            type_ = "".join(spelled.type.split()).removeprefix("::")
            if not type_.startswith("std::optional<") or type_ == _OPTIONAL_STRING:
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
