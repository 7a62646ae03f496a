"""Attributes of operations, and the numbers that stand for them in semantics."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from random import Random
from typing import Any, Final, TypeAlias

from passgen_runtime.context import Operation
from passgen_runtime.patterns import PatternLibrary
from passgen_tools.verify.semantics import Type

Attribute: TypeAlias = Any

WIDTHS: Final = {"overflowFlags": 2, "isExact": 1, "predicate": 4}
"""The widths of attributes whose type is not that of the operation's values."""

OPTIONAL: Final = frozenset({"overflowFlags", "isExact"})
"""The attributes that an operation need not have."""

PREDICATE_NAMES: Final = (
    *("eq", "ne", "slt", "sle", "sgt", "sge"),
    *("ult", "ule", "ugt", "uge"),
)
PREDICATES: Final = range(len(PREDICATE_NAMES))
_OVERFLOW: Final = [
    "#arith.overflow<none>",
    "#arith.overflow<nsw>",
    "#arith.overflow<nuw>",
    "#arith.overflow<nsw, nuw>",
]
"""The overflow flags by number: bit 0 is `nsw`, bit 1 is `nuw`."""

NUM_CHOICES: Final = {"overflowFlags": 4, "isExact": 2, "predicate": len(PREDICATES)}
"""The number of values of attributes whose width is listed."""

_NAMED_CANDIDATES: Final[dict[str, Sequence[int]]] = {
    "overflowFlags": range(len(_OVERFLOW)),
    "isExact": [1],
    "predicate": PREDICATES,
}

FULL_WIDTH: Final = 8
"""The largest width for which functions are called with all constants."""

_NUM_RANDOM: Final = 16


def candidates(type_: Type, literal: int | None) -> Sequence[int]:
    """Return the numbers to call functions with.

    Those are the literal alone if the pattern has one; all numbers of a narrow type;
    and of a wide type, random ones and those next to powers of two.
    """
    half = 1 << (type_.width - 1)
    if literal is not None:
        is_in_range = -half <= literal < 2 * half  # signed or unsigned
        return [literal] if is_in_range else []
    if type_.text in _NAMED_CANDIDATES:
        return _NAMED_CANDIDATES[type_.text]
    signed_range = range(-half, half)
    if type_.width <= FULL_WIDTH:
        return sorted(signed_range, key=abs)
    numbers = _near_powers_of_two(type_.width) | _random_numbers(signed_range)
    return [number for number in sorted(numbers, key=abs) if number in signed_range]


def _near_powers_of_two(width: int) -> set[int]:
    """Return the positive and negative powers of two, and their neighbors."""
    numbers = set[int]()
    for bit in range(width):
        for power in (1 << bit, -1 << bit):
            numbers.update((power - 1, power, power + 1))
    return numbers


def _random_numbers(signed_range: range) -> set[int]:
    """Return the same random numbers in each run."""
    start, stop = signed_range.start, signed_range.stop
    return {
        Random(seed).randrange(start, stop) for seed in range(_NUM_RANDOM)  # noqa: S311
    }


def attribute_text(number: int, type_: Type) -> str:
    """Return the attribute that a number stands for."""
    if type_.text == "overflowFlags":
        return _OVERFLOW[number]
    if type_.text == "predicate":
        return f"{number % 16} : i64"
    if type_.text == "isExact":
        return "unit" if number else ""
    return f"{number} : {type_.text}"


def flags_text(number: int, type_: Type) -> str:
    """Return the name of flags, or of a predicate, that a number stands for."""
    if type_.text == "predicate":
        return PREDICATE_NAMES[number % 16]
    if type_.text == "isExact":
        return "exact" if number else "none"
    return _OVERFLOW[number].partition("<")[2].removesuffix(">").replace(",", "")


class AttributeNumbers:
    """The attributes of an IR library, and the numbers that stand for them."""

    def __init__(self, library: PatternLibrary) -> None:
        """Serve `library`."""
        self.library = library

    def attributes(self, numbers: Sequence[int], type_: Type) -> Sequence[Attribute]:
        """Return the attributes that numbers stand for."""
        texts = (attribute_text(number, type_) for number in numbers)
        return self._parse(f"[{', '.join(texts)}]")

    def number(self, attribute: Attribute, type_: Type) -> int | None:
        """Return the number that stands for an attribute; `None` if it is no `type_`.

        Raises:
            TypeError: nothing stands for it.
        """
        for name, numbered in self._named.items():
            for number, named in numbered:
                if type(named) is type(attribute) and named == attribute:
                    return number if type_.text == name else None
        found = self.library.number(attribute)
        if not isinstance(found, int):
            raise TypeError
        expected_type = type_.text
        if expected_type == "predicate":
            if found not in PREDICATES:
                return None
            expected_type = "i64"
        elif expected_type in WIDTHS:
            return None  # flags are no numbers
        found_type = self.library.type_of(attribute)
        has_type = found_type == self.library.parse_type(expected_type)
        return found if has_type else None

    def number_in(self, operation: Operation, type_: Type) -> int:
        """Return the number that stands for the attribute `type_.text` of an operation.

        Without the attribute, it is 0: no flag is set.
        """
        attribute = self.library.attributes(operation).get(type_.text)
        if attribute is None:
            return 0
        return self.number(attribute, type_) or 0

    @cached_property
    def _named(self) -> dict[str, list[tuple[int, Attribute]]]:
        """The attributes that are no numbers, by name."""
        flags = self._parse(f"[{', '.join(_OVERFLOW)}]")
        (unit,) = self._parse("[unit]")
        return {"overflowFlags": [*enumerate(flags)], "isExact": [(1, unit)]}

    def _parse(self, text: str) -> Sequence[Attribute]:
        context = self.library.context
        module = f"builtin.module attributes {{arith.value = {text}}} {{}}"
        parsed = context.parse(module, "attribute")
        found: Sequence[Attribute] = self.library.plain(
            self.library.attributes(parsed)["arith.value"]
        )
        return found
