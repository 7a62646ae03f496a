"""An evaluator of patterns by example on all values, one after the other.

It has semantics of its own, on Python's numbers: it is an oracle for `passgen-verify`,
and shares nothing with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

Value = int | None
"""A number without a sign; `None` is poison."""


class UndefinedError(Exception):
    """An operation has undefined behavior."""


PREDICATES: Final[dict[str, Callable[[int, int, int], bool]]] = {
    "eq": lambda a, b, _: a == b,
    "ne": lambda a, b, _: a != b,
    "slt": lambda a, b, width: signed(a, width) < signed(b, width),
    "sle": lambda a, b, width: signed(a, width) <= signed(b, width),
    "sgt": lambda a, b, width: signed(a, width) > signed(b, width),
    "sge": lambda a, b, width: signed(a, width) >= signed(b, width),
    "ult": lambda a, b, _: a < b,
    "ule": lambda a, b, _: a <= b,
    "ugt": lambda a, b, _: a > b,
    "uge": lambda a, b, _: a >= b,
}
INVERSE: Final = {
    "eq": "ne",
    "ne": "eq",
    "slt": "sge",
    "sge": "slt",
    "sle": "sgt",
    "sgt": "sle",
    "ult": "uge",
    "uge": "ult",
    "ule": "ugt",
    "ugt": "ule",
}
FLAGS: Final = ("none", "nsw", "nuw", "nsw, nuw")


def signed(number: int, width: int) -> int:
    return number - (1 << width) if number >> (width - 1) else number


@dataclass(frozen=True)
class Operation:
    """An operation in a text without variables."""

    result: str
    name: str
    words: Sequence[str]
    """Operands, numbers, predicates and flags, in order."""

    types: Sequence[str]

    @property
    def operands(self) -> list[str]:
        return [word for word in self.words if word.startswith("%")]


def parse(text: str) -> list[Operation]:
    """Return the operations in a text; `%0 = %x` is an operation without a name."""
    found: list[Operation] = []
    for line in text.splitlines():
        result, _, rest = line.partition(" = ")
        if rest.startswith("%"):
            found.append(Operation(result, "", [rest], []))
            continue
        name, _, rest = rest.partition(" ")
        left, _, types = rest.rpartition(" : ")
        if not left:  # `arith.constant true`
            left, types = types, "i1"
        words = re.findall(r"%\w+|-?\w+", left)
        listed = types.replace(" to ", ", ").split(", ")
        found.append(Operation(result, name, words, listed))
    return found


def operand_types(operation: Operation) -> list[str]:
    """Return the types of the operands of an operation."""
    if operation.name == "arith.select":
        return ["i1", operation.types[-1], operation.types[-1]]
    return [operation.types[0]] * len(operation.operands)


def evaluate(
    operations: Sequence[Operation], values: Mapping[str, Value], index_width: int
) -> dict[str, Value]:
    """Return the values with the results of operations.

    Raises:
        UndefinedError: the behavior is undefined.
    """
    known = dict(values)
    for operation in operations:
        given = [known[operand] for operand in operation.operands]
        widths = [width_of(type_, index_width) for type_ in operation.types]
        known[operation.result] = result_of(operation, given, widths)
    return known


def width_of(type_: str, index_width: int) -> int:
    if type_ == "index":
        return index_width
    return int(type_[1:])


def result_of(
    operation: Operation, given: Sequence[Value], widths: Sequence[int]
) -> Value:
    """Return the result of an operation, on operands of the first width."""
    name, words = operation.name.removeprefix("arith."), operation.words
    if not name:
        return given[0]
    if name == "constant":
        word = words[0]
        number = {"true": 1, "false": 0}.get(word)
        return (int(word) if number is None else number) % (1 << widths[0])
    if name == "select":
        condition, then, other = given
        return None if condition is None else then if condition else other
    if name == "divui" and given[1] in {0, None}:
        raise UndefinedError
    numbers = [number for number in given if number is not None]
    if len(numbers) < len(given):
        return None
    if name in CASTS:
        return cast(name, numbers[0], widths, words)
    return arithmetic(name, numbers, widths[0], words)


CASTS: Final = {"extsi", "extui", "trunci", "index_cast", "index_castui"}


def cast(name: str, number: int, widths: Sequence[int], words: Sequence[str]) -> Value:
    source, target = widths
    is_signed = name in {"extsi", "index_cast"}
    result = (signed(number, source) if is_signed else number) % (1 << target)
    if name == "trunci":
        if "nuw" in words and result != number:
            return None
        if "nsw" in words and signed(result, target) != signed(number, source):
            return None
    return result


def arithmetic(
    name: str, numbers: Sequence[int], width: int, words: Sequence[str]
) -> Value:
    one, other = numbers
    if name == "cmpi":
        return int(PREDICATES[words[0]](one, other, width))
    if name in {"shli", "shrui", "shrsi"}:
        return shift(name, one, other, width, words)
    if name == "divui":
        return None if "exact" in words and one % other else one // other
    bitwise = {"andi": one & other, "ori": one | other, "xori": one ^ other}
    if name in bitwise:
        return bitwise[name]
    return wrapping(WRAPPING[name], one, other, width, words)


WRAPPING: Final[dict[str, Callable[[int, int], int]]] = {
    "addi": lambda a, b: a + b,
    "subi": lambda a, b: a - b,
    "muli": lambda a, b: a * b,
}


def wrapping(
    apply: Callable[[int, int], int],
    one: int,
    other: int,
    width: int,
    words: Sequence[str],
) -> Value:
    if "nuw" in words and apply(one, other) not in range(1 << width):
        return None
    exact = apply(signed(one, width), signed(other, width))
    half = 1 << width >> 1
    if "nsw" in words and exact not in range(-half, half):
        return None
    return exact % (1 << width)


def shift(
    name: str, number: int, places: int, width: int, words: Sequence[str]
) -> Value:
    if places >= width:
        return None
    if name == "shli":
        result = (number << places) % (1 << width)
        if "nuw" in words and result >> places != number:
            return None
        if "nsw" in words and signed(result, width) >> places != signed(number, width):
            return None
        return result
    if "exact" in words and number % (1 << places):
        return None
    own = signed(number, width) if name == "shrsi" else number
    return (own >> places) % (1 << width)


# Patterns


@dataclass(frozen=True)
class Choice:
    """Texts for all variables of a pattern."""

    flags: dict[str, str]
    """The flags and predicates that are matched, by the names of variables."""

    others: dict[str, str]


def wrong_flags(
    before: str, after: str, made: Mapping[str, str], index_width: int
) -> set[tuple[tuple[str, str], ...]]:
    """Return the flags and predicates for which a pattern is wrong for some values.

    Args:
        before: with variables: c and d are constants, f and g flags, k is `exact` or
            nothing, p is a predicate, S and T are types.
        after: the same.
        made: the functions that make other variables.
        index_width: the width of `index`.
    """
    found: set[tuple[tuple[str, str], ...]] = set()
    for choice in choices(before, made):
        key = tuple(sorted(choice.flags.items()))
        if key not in found and is_wrong(before, after, choice, index_width):
            found.add(key)
    return found


TYPES: Final = {"S": "i2", "T": "i3"}


def choices(before: str, made: Mapping[str, str]) -> Iterator[Choice]:
    """Yield all texts for variables, those that functions make included."""
    names = sorted(set(re.findall(r"\$(\w)", before)) - TYPES.keys())
    candidates = {
        **dict.fromkeys("cd", tuple(str(number) for number in range(-4, 4))),
        **dict.fromkeys("fg", FLAGS),
        "k": ("exact", ""),
        "p": tuple(PREDICATES),
    }
    for texts in product(*(candidates[name] for name in names)):
        values = dict(zip(names, texts, strict=True))
        flags = {name: text for name, text in values.items() if name in "fgkp"}
        others = {name: text for name, text in values.items() if name in "cd"}
        for name, call in made.items():
            others[name] = call_result(call, values)
        yield Choice(flags, others)


def call_result(call: str, values: Mapping[str, str]) -> str:
    """Return what a function of the pattern language makes."""
    name, *arguments = re.findall(r"\w+", call)
    texts = [values[argument] for argument in arguments]
    if name == "invertPredicate":
        return INVERSE[texts[0]]
    if name == "commonFlags":
        flags = [set(text.split(", ")) for text in texts]
        return ", ".join(sorted((flags[0] & flags[1]) - {"none"})) or "none"
    one, other = map(int, texts)
    number = {"add": one + other, "sub": one - other, "mul": one * other}[name]
    return str(signed(number % 8, 3))


def is_wrong(before: str, after: str, choice: Choice, index_width: int) -> bool:
    """Return whether a pattern is wrong for some operands."""

    def filled(text: str) -> list[Operation]:
        values = {**TYPES, **choice.flags, **choice.others}
        return parse(re.sub(r"\$(\w)", lambda match: values[match[1]], text))

    old, new = filled(before), filled(after)
    defined = {operation.result for operation in (*old, *new)}
    types = {
        operand: type_
        for operation in old
        for operand, type_ in zip(
            operation.operands, operand_types(operation), strict=True
        )
        if operand not in defined
    }
    ranges = [
        [None, *range(1 << width_of(type_, index_width))] for type_ in types.values()
    ]
    result = old[-1].result
    for values in product(*ranges):
        operands = dict(zip(types, values, strict=True))
        try:
            known = evaluate(old, operands, index_width)
        except UndefinedError:
            continue
        wanted = known.pop(result)
        try:
            found = evaluate(new, known, index_width)[result]
        except UndefinedError:
            return True
        if wanted is not None and found != wanted:
            return True
    return False
