"""The C targets: declarations and definitions as `mlir-tblgen -gen-pass-capi-*`."""

from __future__ import annotations

from dataclasses import dataclass

from passgen.cpp import group_records
from passgen.model import PassGroup, PassRecord, record_order
from passgen.targets.origin import Origin


@dataclass(frozen=True)
class Binding:
    """One generated file."""

    prefix: str
    """What the names of its functions begin with, after `mlirCreate`."""

    passes: tuple[PassRecord, ...]
    """In the order of their names, as `mlir-tblgen` goes through its records."""


def values(group: PassGroup, _origin: Origin) -> dict[str, object]:
    """Return what the templates in `capi-header` and `capi-impl` may name."""
    records = sorted(group_records(group), key=lambda each: record_order(each.name))
    prefix = group.name if group.cpp.capi_prefix is None else group.cpp.capi_prefix
    return {"binding": Binding(prefix, tuple(records))}
