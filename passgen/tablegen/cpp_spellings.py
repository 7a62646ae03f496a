"""The C++ spellings that the passes of a dump use.

A spelling that most passes of a group use is an entry of the group, and a spelling of
the tables in `cpp.types` is no entry at all.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Final

from passgen import naming
from passgen.cpp import meaning, operation_class, regular_dialect_class, split_parts
from passgen.model import OPTION_TYPES, PassRecord
from passgen.spec import Commented, Data
from passgen.tablegen.dialects import Dialects

_TEMPLATE: Final = re.compile(
    r"\s*(?:::)?(?:mlir::)?(Operation|Interface)Pass<(.*)>\s*", re.DOTALL
)
_QUALIFIED: Final = re.compile(r"(::)?([A-Za-z_]\w*::)*[A-Za-z_]\w*")


@dataclass(frozen=True)
class BaseClass:
    """The anchor of a pass according to its base class."""

    kind: str
    """`Operation` or `Interface`; empty for another base class."""

    anchor: str
    """The class of the operation or the interface; empty for any operation."""

    is_regular: bool
    """Whether this is the spelling of TableGen's classes."""

    @classmethod
    def of(cls, spelled: str) -> BaseClass:
        """Return the anchor that the C++ class `spelled` states."""
        match = _TEMPLATE.fullmatch(spelled)
        anchor = match[2].strip() if match else ""
        if match is None or (anchor and not _QUALIFIED.fullmatch(anchor)):
            return cls("", "", is_regular=False)
        regular = f"::mlir::{match[1]}Pass<{anchor}>"
        return cls(match[1], anchor, is_regular=spelled == regular)

    @property
    def interface(self) -> str:
        """The name of the interface; empty if there is none that a spec can have."""
        name = self.anchor.rpartition("::")[2]
        is_name = self.kind == "Interface" and naming.is_interface(name)
        return name if is_name else ""


@dataclass(frozen=True)
class Spellings:
    """The most frequent spellings of a group where they are not the regular ones."""

    tables: Mapping[str, Mapping[str, str]]
    """The spellings of dialects, operations, interfaces and types, by spec name."""

    known: Dialects

    def spell(self, table: str, name: str) -> str:
        """Return the C++ of `name`, which one of the tables may have."""
        return self.tables[table].get(name) or _REGULAR[table](name)

    def cpp_entry(self) -> dict[str, Data]:
        """Return the entry `cpp` of the group, if it has one."""
        dialects: dict[str, Data] = {
            name: (
                spelled
                if self.known.namespace(spelled)
                else {"class": spelled, "namespace": Commented(name, "a guess")}
            )
            for name, spelled in self.tables["dialects"].items()
        }
        tables = {**self.tables, "dialects": dialects}
        used = {name: table for name, table in tables.items() if table}
        return {"cpp": used} if used else {}


def spellings(passes: Iterable[PassRecord], known: Dialects) -> Spellings:
    """Return the most frequent spellings of `passes`.

    Args:
        passes: the passes of a group.
        known: the dialects whose namespace is no guess.
    """
    counts: dict[tuple[str, str], Counter[str]] = {}
    for table, name, spelled in chain.from_iterable(
        _spell(pass_, known) for pass_ in passes
    ):
        if name is not None:
            counts.setdefault((table, name), Counter())[spelled] += 1
    tables: dict[str, dict[str, str]] = {table: {} for table in _REGULAR}
    for (table, name), found in counts.items():
        regular = _REGULAR[table](name)
        spelled = _most_common(found, regular)
        # A type with a spelling that occurs once is spelled out at its option.
        is_usual = table != "types" or found[spelled] > 1
        is_guess = table == "dialects" and known.namespace(spelled) is None
        if is_guess or (spelled != regular and is_usual):
            tables[table][name] = spelled
    return Spellings(tables, known)


def _spell(
    record: PassRecord, known: Dialects
) -> Iterator[tuple[str, str | None, str]]:
    """Yield the spellings in a pass: the table, the name in a spec, and the C++."""
    for dependent_dialect in record.dependent_dialects:
        yield "dialects", namespace(dependent_dialect, known), dependent_dialect
    base = BaseClass.of(record.base_class)
    if base.is_regular and base.kind == "Operation":
        yield "operations", known.operation(base.anchor), base.anchor
    elif base.is_regular and base.interface:
        yield "interfaces", base.interface, base.anchor
    for option in record.options:
        name = meaning(option.type)
        if name != "pipeline" and "values" not in option.flags:
            yield "types", name, option.type


_REGULAR: Final[dict[str, Callable[[str], str]]] = {
    "dialects": regular_dialect_class,
    "operations": operation_class,
    "interfaces": str,
    "types": lambda name: OPTION_TYPES[name].cpp_type,
}
"""The regular spelling of a name, by table."""


def _most_common(found: Counter[str], regular: str) -> str:
    """Return the most frequent spelling, the regular one if several are."""
    return max(found, key=lambda each: (found[each], each == regular))


def namespace(class_name: str, known: Dialects) -> str | None:
    """Return the namespace of a dialect; if its class is unknown, derive it by rule."""
    head, bracket, _ = class_name.partition("<")
    is_one = split_parts(class_name) == [class_name]
    if not is_one or not _QUALIFIED.fullmatch(head):
        return None
    if bracket and not class_name.endswith(">"):
        return None
    read = known.namespace(head)
    if read and naming.is_dialect(read):
        return read
    *scopes, last = head.removeprefix("::").split("::")
    stem = last.removesuffix("Dialect") or last
    scope = scopes[-1].lower() if scopes else ""
    guess = scope if scope.replace("_", "") == stem.lower() else naming.snake_case(stem)
    return guess if naming.is_dialect(guess) else None
