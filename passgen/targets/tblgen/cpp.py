"""The C++ target and the C targets, as `mlir-tblgen` writes them.

Its generators are `-gen-pass-decls` and `-gen-pass-capi-*`. Passes come in the order of
their names, as `mlir-tblgen` visits its records.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from passgen.cpp import DeclaredEnum, declared_enums, group_records
from passgen.model import NO_FORMS, FormRules, PassGroup, PassRecord, record_order
from passgen.targets.tblgen.options import options_parsers
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
        "options_parsers": options_parsers(group),
        "pipelines": pipelines(group, others),
        "patterns": group_patterns(group, group_records(group)),
    }
