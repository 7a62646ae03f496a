"""Patterns by example that are right or wrong, on `$T`, i3, and `$S`, i2.

The variables are named: c and d are constants, f and g flags, k is `exact` or nothing,
p is a predicate.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from passgen_runtime.patterns import PatternVariable, RewritePattern
from tests.pattern_example_cases import shown

_EXAMPLES: Final = {
    **dict.fromkeys("cd", ("1", "0")),
    "e": ("1", "0"),
    **dict.fromkeys("fgh", ("nsw", "nuw")),
    "k": ("exact", ""),
    "p": ("slt", "ult"),
    "q": ("sge", "uge"),
    "S": ("i2",),
    "T": ("i3",),
}


@dataclass(frozen=True)
class PlantedExample:
    """A pattern by example."""

    before: str
    after: str
    made: dict[str, str] = field(default_factory=dict)
    """The functions that make variables of `after`."""

    @property
    def pattern(self) -> RewritePattern:
        """The declaration."""
        names = sorted(set(re.findall(r"\$(\w)", f"{self.before}\n{self.after}")))
        variables = [
            PatternVariable(
                name=name,
                examples=self._examples(name),
                is_attribute=name not in "ST",
                make=self.made.get(name, ""),
            )
            for name in names
        ]
        return shown(self.before, self.after, *variables)

    def _examples(self, name: str) -> tuple[str, ...]:
        by_function = {"add": ("2", "0"), "sub": ("0", "-1"), "mul": ("1", "0")}
        function = self.made.get(name, "").partition("(")[0]
        return by_function.get(function, _EXAMPLES[name])


def _joined(
    inner: str, outer: str, result: str, make: str, flags: tuple[str, str, str]
) -> PlantedExample:
    """Return the pattern that two operations with constants become one."""
    first, second, new = (f" overflow<{flag}>" if flag else "" for flag in flags)
    made = {"e": make}
    if flags[2] == "$h":
        made["h"] = "commonFlags(f, g)"
    return PlantedExample(
        f"%c = arith.constant $c : $T\n%a = arith.{inner}{first} : $T\n"
        f"%d = arith.constant $d : $T\n%0 = arith.{outer}{second} : $T",
        f"%e = arith.constant $e : $T\n%0 = arith.{result}{new} : $T",
        made,
    )


_NO_FLAGS: Final = "", "", ""
_COMMON: Final = "$f", "$g", "$h"
_NOT: Final = "%true = arith.constant true\n"

RIGHT: Final = {
    "sums": _joined(
        "addi %x, %c", "addi %a, %d", "addi %x, %e", "add(c, d)", _NO_FLAGS
    ),
    "sums without their flags": _joined(
        "addi %x, %c", "addi %a, %d", "addi %x, %e", "add(c, d)", ("$f", "$g", "")
    ),
    "sums that do not wrap": _joined(
        "addi %x, %c", "addi %a, %d", "addi %x, %e", "add(c, d)", ("nuw", "nuw", "nuw")
    ),
    "differences": _joined(
        "subi %x, %c", "subi %a, %d", "subi %x, %e", "add(c, d)", _NO_FLAGS
    ),
    "a sum of a difference": _joined(
        "subi %c, %x", "addi %a, %d", "subi %e, %x", "add(c, d)", _NO_FLAGS
    ),
    "products": _joined(
        "muli %x, %c", "muli %a, %d", "muli %x, %e", "mul(c, d)", _NO_FLAGS
    ),
    "a commuted sum": PlantedExample(
        "%0 = arith.addi %x, %y overflow<$f> : $T",
        "%0 = arith.addi %y, %x overflow<$f> : $T",
    ),
    "a sum in another order": PlantedExample(
        "%a = arith.addi %x, %y overflow<$f> : $T\n"
        "%0 = arith.addi %a, %z overflow<$g> : $T",
        "%b = arith.addi %y, %z : $T\n%0 = arith.addi %x, %b : $T",
    ),
    "a difference of equal values": PlantedExample(
        "%0 = arith.subi %x, %x overflow<$f> : $T", "%0 = arith.constant 0 : $T"
    ),
    "a shift and back": PlantedExample(
        "%a = arith.shli %x, %y overflow<nuw> : $T\n%0 = arith.shrui %a, %y : $T",
        "%0 = %x",
    ),
    "an exact shift and back": PlantedExample(
        "%a = arith.shrui %x, %y exact : $T\n%0 = arith.shli %a, %y : $T", "%0 = %x"
    ),
    "an exact division and back": PlantedExample(
        "%a = arith.divui %x, %y exact : $T\n%0 = arith.muli %a, %y : $T", "%0 = %x"
    ),
    "a flag that is kept": PlantedExample(
        "%a = arith.andi %x, %x : $T\n%0 = arith.shrui %a, %y $k : $T",
        "%0 = arith.shrui %x, %y $k : $T",
    ),
    "a comparison that is inverted": PlantedExample(
        f"%a = arith.cmpi $p, %x, %y : $T\n{_NOT}%0 = arith.xori %a, %true : i1",
        "%0 = arith.cmpi $q, %x, %y : $T",
        {"q": "invertPredicate(p)"},
    ),
    "a comparison of extensions": PlantedExample(
        "%a = arith.extsi %x : $S to $T\n%b = arith.extsi %y : $S to $T\n"
        "%0 = arith.cmpi $p, %a, %b : $T",
        "%0 = arith.cmpi $p, %x, %y : $S",
    ),
    "a choice by a negation": PlantedExample(
        f"{_NOT}%n = arith.xori %c, %true : i1\n%0 = arith.select %n, %x, %y : $T",
        "%0 = arith.select %c, %y, %x : $T",
    ),
    "a choice in a choice": PlantedExample(
        "%a = arith.select %c, %x, %y : $T\n%0 = arith.select %c, %a, %z : $T",
        "%0 = arith.select %c, %x, %z : $T",
    ),
    "a choice of equal values": PlantedExample(
        "%0 = arith.select %c, %x, %x : $T", "%0 = %x"
    ),
    "a truncation that loses nothing": PlantedExample(
        "%a = arith.trunci %x overflow<nuw> : $T to $S\n"
        "%0 = arith.extui %a : $S to $T",
        "%0 = %x",
    ),
    "an extension and back": PlantedExample(
        "%a = arith.extsi %x : $S to $T\n"
        "%0 = arith.trunci %a overflow<$f> : $T to $S",
        "%0 = %x",
    ),
    "an index and back": PlantedExample(
        "%a = arith.index_cast %x : $T to index\n"
        "%0 = arith.index_cast %a : index to $T",
        "%0 = %x",
    ),
    "an index of an extension": PlantedExample(
        "%a = arith.extui %x : $S to $T\n%0 = arith.index_cast %a : $T to index",
        "%0 = arith.index_castui %x : $S to index",
    ),
}

WRONG: Final = {
    "sums": _joined(
        "addi %x, %c", "addi %a, %d", "addi %x, %e", "sub(c, d)", _NO_FLAGS
    ),
    "sums with flags": _joined(
        "addi %x, %c", "addi %a, %d", "addi %x, %e", "add(c, d)", _COMMON
    ),
    "differences": _joined(
        "subi %x, %c", "subi %a, %d", "subi %x, %e", "sub(c, d)", _NO_FLAGS
    ),
    "differences with flags": _joined(
        "subi %x, %c", "subi %a, %d", "subi %x, %e", "add(c, d)", _COMMON
    ),
    "a sum of a difference": _joined(
        "subi %c, %x", "addi %a, %d", "subi %e, %x", "add(c, d)", _COMMON
    ),
    "a difference from a difference": _joined(
        "subi %c, %x", "subi %d, %a", "addi %x, %e", "sub(d, c)", _COMMON
    ),
    "products": _joined(
        "muli %x, %c", "muli %a, %d", "muli %x, %e", "add(c, d)", _NO_FLAGS
    ),
    "products with flags": _joined(
        "muli %x, %c", "muli %a, %d", "muli %x, %e", "mul(c, d)", _COMMON
    ),
    "shifts": _joined(
        "shli %x, %c", "shli %a, %d", "shli %x, %e", "add(c, d)", _NO_FLAGS
    ),
    "a commuted difference": PlantedExample(
        "%0 = arith.subi %x, %y overflow<$f> : $T",
        "%0 = arith.subi %y, %x overflow<$f> : $T",
    ),
    "a sum in another order": PlantedExample(
        "%a = arith.addi %x, %y overflow<$f> : $T\n"
        "%0 = arith.addi %a, %z overflow<$g> : $T",
        "%b = arith.addi %y, %z overflow<$h> : $T\n"
        "%0 = arith.addi %x, %b overflow<$h> : $T",
        {"h": "commonFlags(f, g)"},
    ),
    "a flag that is new": PlantedExample(
        "%0 = arith.addi %x, %y overflow<$f> : $T",
        "%0 = arith.addi %x, %y overflow<nsw> : $T",
    ),
    "a shift and back": PlantedExample(
        "%a = arith.shli %x, %y overflow<$f> : $T\n%0 = arith.shrui %a, %y : $T",
        "%0 = %x",
    ),
    "a shift to the right and back": PlantedExample(
        "%a = arith.shrui %x, %y $k : $T\n%0 = arith.shli %a, %y : $T", "%0 = %x"
    ),
    "a division and back": PlantedExample(
        "%a = arith.divui %x, %y : $T\n%0 = arith.muli %a, %y : $T", "%0 = %x"
    ),
    "a shift of a sign": PlantedExample(
        "%0 = arith.shrui %x, %y $k : $T", "%0 = arith.shrsi %x, %y $k : $T"
    ),
    "a new division": PlantedExample(
        "%0 = arith.xori %x, %y : $T", "%0 = arith.divui %x, %y : $T"
    ),
    "a commuted comparison": PlantedExample(
        "%0 = arith.cmpi $p, %x, %y : $T", "%0 = arith.cmpi $p, %y, %x : $T"
    ),
    "a comparison that is not inverted": PlantedExample(
        f"%a = arith.cmpi $p, %x, %y : $T\n{_NOT}%0 = arith.xori %a, %true : i1",
        "%0 = arith.cmpi $p, %x, %y : $T",
    ),
    "a comparison of extensions": PlantedExample(
        "%a = arith.extui %x : $S to $T\n%b = arith.extui %y : $S to $T\n"
        "%0 = arith.cmpi $p, %a, %b : $T",
        "%0 = arith.cmpi $p, %x, %y : $S",
    ),
    "a choice by a negation": PlantedExample(
        f"{_NOT}%n = arith.xori %c, %true : i1\n%0 = arith.select %n, %x, %y : $T",
        "%0 = arith.select %c, %x, %y : $T",
    ),
    "a choice in another choice": PlantedExample(
        "%a = arith.select %b, %x, %y : $T\n%0 = arith.select %c, %a, %z : $T",
        "%0 = arith.select %b, %x, %z : $T",
    ),
    "a truncation and back": PlantedExample(
        "%a = arith.trunci %x overflow<$f> : $T to $S\n"
        "%0 = arith.extui %a : $S to $T",
        "%0 = %x",
    ),
    "an index of an extension": PlantedExample(
        "%a = arith.extui %x : $S to $T\n%0 = arith.index_cast %a : $T to index",
        "%0 = arith.index_cast %x : $S to index",
    ),
}
