"""An evaluator of declarative rewrites on all values, one after the other.

It reads the text of a `.td` file that names its calls, conditions and cases as
`rewrites/Planted.td` does, and has semantics of its own, on Python's numbers. As an
oracle for `passgen import --patterns` and `passgen-verify`, it shares nothing with them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Final, TypeAlias

Number: TypeAlias = int | None
"""A number without a sign; `None` is poison."""


class UndefinedError(Exception):
    """An operation has undefined behavior."""


# Texts


@dataclass(frozen=True)
class Tree:
    """A tree of operations, or a leaf without arguments: `Nuw` or `$x`."""

    head: str
    name: str = ""
    """The name behind the colon, with `$`."""

    arguments: tuple[Tree, ...] = ()


@dataclass(frozen=True)
class Rewrite:
    """A `Pat` or a `Pattern`."""

    name: str
    source: Tree
    results: tuple[Tree, ...]
    conditions: tuple[Tree, ...]


_DECLARATION: Final = re.compile(
    r"^def (\w+) : Pat(?:tern)?<(.*?)>;", re.MULTILINE | re.DOTALL
)


def read_rewrites(text: str) -> list[Rewrite]:
    """Return the rewrites in the text of a `.td` file."""
    without_comments = re.sub(r"//.*", "", text)
    return [
        _rewrite(name, re.findall(r"[()\[\]]|[\w$:]+", body))
        for name, body in _DECLARATION.findall(without_comments)
    ]


def _rewrite(name: str, tokens: list[str]) -> Rewrite:
    source = _read_tree(tokens)
    results = _read_trees(tokens) if tokens[0] == "[" else (_read_tree(tokens),)
    conditions = _read_trees(tokens) if tokens else ()
    assert not tokens, name
    return Rewrite(name, source, results, conditions)


def _read_trees(tokens: list[str]) -> tuple[Tree, ...]:
    """Read a list in square brackets; take its tokens away."""
    assert tokens.pop(0) == "["
    trees = []
    while tokens[0] != "]":
        trees.append(_read_tree(tokens))
    del tokens[0]
    return tuple(trees)


def _read_tree(tokens: list[str]) -> Tree:
    """Read a tree; take its tokens away."""
    start = tokens.pop(0)
    if start != "(":
        head, _, name = start.partition(":")
        return Tree(head, name)
    head, _, name = tokens.pop(0).partition(":")
    arguments = []
    while tokens[0] != ")":
        arguments.append(_read_tree(tokens))
    del tokens[0]
    return Tree(head, name, tuple(arguments))


# Semantics: each function gets the width of the first operand, that of the result, the
# attribute, and the operands.

_Function: TypeAlias = Callable[..., Number | tuple[Number, ...]]


def signed(number: int, width: int) -> int:
    return number - (1 << width) if number >> (width - 1) else number


def _fits(flags: str, exact: int, exact_signed: int, width: int) -> bool:
    """Return whether a result is none of those that `nuw` and `nsw` exclude."""
    if "nuw" in flags and not 0 <= exact < 1 << width:
        return False
    half = 1 << (width - 1)
    return "nsw" not in flags or -half <= exact_signed < half


def _ring(apply: Callable[[int, int], int]) -> _Function:
    def run(width: int, _: int, flags: str, a: int, b: int) -> Number:
        exact = apply(a, b)
        exact_signed = apply(signed(a, width), signed(b, width))
        fits = _fits(flags, exact, exact_signed, width)
        return exact % (1 << width) if fits else None

    return run


def _shift_left(width: int, _: int, flags: str, a: int, places: int) -> Number:
    exact, exact_signed = a << places, signed(a, width) << places
    if places >= width or not _fits(flags, exact, exact_signed, width):
        return None
    return exact % (1 << width)


def _shift_right(width: int, _: int, exact: str, a: int, places: int) -> Number:
    if places >= width or (exact and a % (1 << places)):
        return None
    return a >> places


def _shift_right_signed(width: int, _: int, exact: str, a: int, places: int) -> Number:
    if _shift_right(width, width, exact, a, places) is None:
        return None
    return (signed(a, width) >> places) % (1 << width)


def _truncate(width: int, narrow: int, flags: str, a: int) -> Number:
    fits = _fits(flags, a, signed(a, width), narrow)
    return a % (1 << narrow) if fits else None


def _divide(_: int, _result: int, exact: str, a: int, b: int) -> Number:
    return None if exact and a % b else a // b


def _choice(choose: Callable[..., int], key: Callable[[int, int], int]) -> _Function:
    """Return `min` or `max` of numbers, with or without signs."""
    return lambda width, _r, _n, a, b: choose(a, b, key=lambda one: key(one, width))


def _unsigned(number: int, _width: int) -> int:
    return number


def _compare(width: int, _: int, predicate: str, a: int, b: int) -> int:
    if predicate[0] == "s":
        a, b = signed(a, width), signed(b, width)
    is_met = {
        "eq": a == b,
        "ne": a != b,
        "lt": a < b,
        "le": a <= b,
        "gt": a > b,
        "ge": a >= b,
    }
    return int(is_met[predicate[-2:]])


def _product_in_halves(
    width: int, _: int, _none: str, a: int, b: int
) -> tuple[Number, ...]:
    whole = signed(a, width) * signed(b, width)
    return whole % (1 << width), (whole >> width) % (1 << width)


@dataclass(frozen=True)
class Operation:
    """What an operation computes."""

    run: _Function
    types: str = "aa:a"
    """A letter for the type of each operand and result; `1` is i1."""

    attribute: str = ""
    """What it has: `flags`, `exact` or `predicate`."""

    relation: str = ""
    """How the width of the result, `b`, is to that of the operand."""


OPERATIONS: Final = {
    "Arith_AddIOp": Operation(_ring(lambda a, b: a + b), attribute="flags"),
    "Arith_SubIOp": Operation(_ring(lambda a, b: a - b), attribute="flags"),
    "Arith_MulIOp": Operation(_ring(lambda a, b: a * b), attribute="flags"),
    "Arith_ShLIOp": Operation(_shift_left, attribute="flags"),
    "Arith_ShRUIOp": Operation(_shift_right, attribute="exact"),
    "Arith_ShRSIOp": Operation(_shift_right_signed, attribute="exact"),
    "Arith_DivUIOp": Operation(_divide, attribute="exact"),
    "Arith_RemUIOp": Operation(lambda *given: given[-2] % given[-1]),
    "Arith_AndIOp": Operation(lambda *given: given[-2] & given[-1]),
    "Arith_OrIOp": Operation(lambda *given: given[-2] | given[-1]),
    "Arith_XOrIOp": Operation(lambda *given: given[-2] ^ given[-1]),
    "Arith_MaxSIOp": Operation(_choice(max, signed)),
    "Arith_MaxUIOp": Operation(_choice(max, _unsigned)),
    "Arith_MinSIOp": Operation(_choice(min, signed)),
    "Arith_MinUIOp": Operation(_choice(min, _unsigned)),
    "Arith_CmpIOp": Operation(_compare, "aa:1", "predicate"),
    "SelectOp": Operation(lambda *_: None, "1aa:a"),
    "Arith_ExtUIOp": Operation(lambda *given: given[-1], "a:b", relation="wider"),
    "Arith_ExtSIOp": Operation(
        lambda width, result, _, a: signed(a, width) % (1 << result),
        "a:b",
        relation="wider",
    ),
    "Arith_TruncIOp": Operation(_truncate, "a:b", "flags", relation="narrower"),
    "Arith_AddUIExtendedOp": Operation(
        lambda width, _r, _n, a, b: ((a + b) % (1 << width), (a + b) >> width), "aa:a1"
    ),
    "Arith_MulSIExtendedOp": Operation(_product_in_halves, "aa:aa"),
    "Math_AbsIOp": Operation(
        lambda width, _r, _n, a: abs(signed(a, width)) % (1 << width), "a:a"
    ),
    "Math_CtPopOp": Operation(lambda *given: given[-1].bit_count(), "a:a"),
    "Math_CountLeadingZerosOp": Operation(
        lambda width, _r, _n, a: width - a.bit_length(), "a:a"
    ),
}
_FLAGS: Final = ("", "nsw", "nuw", "nsw nuw")
_CASES: Final[dict[str, Sequence[str]]] = {
    "flags": _FLAGS,
    "exact": ("", "exact"),
    "predicate": [
        "eq",
        "ne",
        *(f"{sign}{order}" for sign in "su" for order in ("lt", "le", "gt", "ge")),
    ],
}
_INVERSE: Final = {
    "eq": "ne",
    "ne": "eq",
    "lt": "ge",
    "ge": "lt",
    "le": "gt",
    "gt": "le",
}


# Rewrites as steps


@dataclass(frozen=True)
class _Step:
    """An operation on values by their names."""

    operation: Operation
    attribute: str
    operands: tuple[str, ...]
    results: tuple[str, ...]


@dataclass
class _Reader:
    """Turns trees into steps, and finds which values have one type."""

    is_new: bool = False
    steps: list[_Step] = field(default_factory=list)
    new_steps: list[_Step] = field(default_factory=list)
    cases: dict[str, Sequence[str]] = field(default_factory=dict)
    """The attributes that are matched, and what each may be."""

    constants: dict[str, int | None] = field(default_factory=dict)
    """The numbers that are matched; `None` is any."""

    operands: dict[str, None] = field(default_factory=dict)
    made: dict[str, Callable[[Mapping[str, int]], int]] = field(default_factory=dict)
    made_cases: dict[str, Callable[[Mapping[str, str]], str]] = field(
        default_factory=dict
    )
    relations: list[tuple[str, str]] = field(default_factory=list)
    """Pairs of a value and one that is wider."""

    same: dict[str, str] = field(default_factory=dict)
    """Leads from a value to another of its type."""

    count: int = 0

    def type_of(self, value: str) -> str:
        while value in self.same:
            value = self.same[value]
        return value

    def unite(self, value: str, other: str) -> None:
        one, two = self.type_of(value), self.type_of(other)
        if two == "1":
            one, two = two, one
        if one != two:
            self.same[two] = one

    def value(self, tree: Tree) -> tuple[str, ...]:
        """Return the names of what a tree computes, after adding its steps."""
        if tree.head == "ConstantLikeMatcher":
            return (self._matched_constant(tree.arguments[0]),)
        if tree.head == "Arith_ConstantOp":
            return (self._made_constant(tree.arguments[0]),)
        if tree.head == "replaceWithValue":
            return self.value(tree.arguments[0])
        if tree.head.startswith("$"):
            known = {
                result
                for step in (*self.steps, *self.new_steps)
                for result in step.results
            }
            if tree.head not in known and not self.is_new:
                self.operands[tree.head] = None
            return (tree.head,)
        return self._operation(tree)

    def _fresh(self) -> str:
        self.count += 1
        return f"%{self.count}"

    def _operation(self, tree: Tree) -> tuple[str, ...]:
        operation = OPERATIONS[tree.head]
        trees, attribute = list(tree.arguments), ""
        if operation.attribute:
            given = trees.pop(0 if operation.attribute == "predicate" else -1)
            attribute = self._attribute(given, operation.attribute)
        operands = tuple(self.value(one)[0] for one in trees)
        first = tree.name or self._fresh()
        operand_types, result_types = operation.types.split(":")
        results = (first, f"{first}__1")[: len(result_types)]
        self._add_types([*operands, *results], operand_types + result_types)
        if operation.relation == "wider":
            self.relations.append((operands[0], first))
        elif operation.relation == "narrower":
            self.relations.append((first, operands[0]))
        step = _Step(operation, attribute, operands, results)
        (self.new_steps if self.is_new else self.steps).append(step)
        return results

    def _add_types(self, values: Sequence[str], letters: str) -> None:
        by_letter: dict[str, str] = {"1": "1"}
        for value, letter in zip(values, letters, strict=True):
            self.unite(by_letter.setdefault(letter, value), value)

    def _attribute(self, tree: Tree, kind: str) -> str:
        """Return the name of an attribute."""
        head, name = tree.head, tree.head
        if head == "FlagsOfBoth":
            one, two = (argument.head for argument in tree.arguments)
            name = self._fresh()
            self.made_cases[name] = lambda cases: " ".join(
                sorted(set(cases[one].split()) & set(cases[two].split()))
            )
        elif head == "Inverse":
            old, name = tree.arguments[0].head, self._fresh()
            self.made_cases[name] = lambda cases: (
                cases[old][:-2] + _INVERSE[cases[old][-2:]]
            )
        elif not head.startswith("$"):
            self.cases[head] = ["" if head == "None" else head.lower()]
        elif not self.is_new:
            name = self._fresh() if head == "$_" else head
            self.cases[name] = _CASES[kind]
        return name

    def _matched_constant(self, tree: Tree) -> str:
        name = tree.name or self._fresh()
        self.constants[name] = {"Yes": 1, "No": 0}.get(tree.head)
        if tree.head in {"Yes", "No"}:
            self.unite("1", name)
        return name

    def _made_constant(self, tree: Tree) -> str:
        name = self._fresh()
        arguments = [argument.head for argument in tree.arguments]
        if tree.head == "ZeroOf":
            self.unite(arguments[0], name)
            self.made[name] = lambda _: 0
            return name
        _, one, two = arguments
        self.unite(one, name)
        self.unite(two, name)
        apply = {
            "SumOf": lambda numbers: numbers[one] + numbers[two],
            "DifferenceOf": lambda numbers: numbers[one] - numbers[two],
            "ProductOf": lambda numbers: numbers[one] * numbers[two],
        }
        self.made[name] = apply[tree.head]
        return name

    def add_condition(self, tree: Tree) -> None:
        arguments = [argument.head for argument in tree.arguments]
        numbers = {"IsZero": 0, "IsOne": 1, "IsMinusOne": -1}
        if tree.head in numbers:
            self.constants[arguments[0]] = numbers[tree.head]
        elif tree.head == "SameType":
            self.unite(*arguments)
        elif tree.head == "Wider":
            self.relations.append((arguments[1], arguments[0]))
        else:
            assert tree.head == "IsUnused", tree


def is_right(rewrite: Rewrite, max_width: int) -> bool:
    """Return whether a rewrite is right for all values, on all choices of widths.

    Args:
        rewrite: the rewrite.
        max_width: the width of the widest type, in bits.
    """
    reader = _Reader()
    replaced = reader.value(rewrite.source)
    for condition in rewrite.conditions:
        reader.add_condition(condition)
    reader.is_new = True
    results = [reader.value(tree)[0] for tree in rewrite.results]
    unused = {
        condition.arguments[0].head
        for condition in rewrite.conditions
        if condition.head == "IsUnused"
    }
    pairs = [
        (old, new)
        for old, new in zip(replaced, results, strict=True)
        if old not in unused
    ]
    for old, new in pairs:
        reader.unite(old, new)
    choices = [*_widths(reader, max_width)]
    assert choices, f"no widths fit {rewrite.name}"
    return all(_is_right(reader, pairs, widths) for widths in choices)


def _widths(reader: _Reader, max_width: int) -> Iterator[dict[str, int]]:
    """Yield the widths of all values, for each choice of types."""
    values = {*reader.operands, *reader.constants, *reader.made}
    for step in (*reader.steps, *reader.new_steps):
        values |= {*step.operands, *step.results}
    types = sorted({reader.type_of(value) for value in values} - {"1"})
    for numbers in product(range(1, max_width + 1), repeat=len(types)):
        width_of = dict(zip(types, numbers, strict=True), **{"1": 1})
        widths = {value: width_of[reader.type_of(value)] for value in values}
        fits = all(widths[one] < widths[two] for one, two in reader.relations)
        if fits and max(numbers, default=max_width) == max_width:
            yield widths


def _is_right(
    reader: _Reader, pairs: Sequence[tuple[str, str]], widths: Mapping[str, int]
) -> bool:
    """Return whether a rewrite is right for all values of some widths."""
    constants = [
        range(1 << widths[name]) if number is None else [number % (1 << widths[name])]
        for name, number in reader.constants.items()
    ]
    operands = [[None, *range(1 << widths[name])] for name in reader.operands]
    for chosen in product(*reader.cases.values()):
        cases = dict(zip(reader.cases, chosen, strict=True), **{"": ""})
        cases |= {name: make(cases) for name, make in reader.made_cases.items()}
        old = [_bound(step, cases, widths) for step in reader.steps]
        new = [_bound(step, cases, widths) for step in reader.new_steps]
        for numbers in product(*constants):
            given: dict[str, Number] = dict(zip(reader.constants, numbers, strict=True))
            known = dict(zip(reader.constants, numbers, strict=True))
            for name, make in reader.made.items():
                given[name] = make(known) % (1 << widths[name])
            for values in product(*operands):
                given.update(zip(reader.operands, values, strict=True))
                if not _is_refined(old, new, pairs, given):
                    return False
    return True


_Bound: TypeAlias = tuple[
    Callable[[Sequence[Number]], Sequence[Number]], tuple[str, ...], tuple[str, ...]
]


def _bound(step: _Step, cases: Mapping[str, str], widths: Mapping[str, int]) -> _Bound:
    """Return a step on numbers."""
    operation, attribute = step.operation, cases[step.attribute]
    width, result_width = widths[step.operands[0]], widths[step.results[0]]
    poison = (None,) * len(step.results)
    divides = operation in {OPERATIONS["Arith_DivUIOp"], OPERATIONS["Arith_RemUIOp"]}

    def run(given: Sequence[Number]) -> Sequence[Number]:
        if divides and not given[1]:
            raise UndefinedError
        if None in given:
            return poison
        result = operation.run(width, result_width, attribute, *given)
        return result if isinstance(result, tuple) else (result,)

    def select(given: Sequence[Number]) -> Sequence[Number]:
        return (None if given[0] is None else given[1 if given[0] else 2],)

    is_select = operation is OPERATIONS["SelectOp"]
    return select if is_select else run, step.operands, step.results


def _is_refined(
    old: Sequence[_Bound],
    new: Sequence[_Bound],
    pairs: Sequence[tuple[str, str]],
    given: Mapping[str, Number],
) -> bool:
    """Return whether what is created does no more than what is matched allows."""
    values = dict(given)
    try:
        _run(old, values)
    except UndefinedError:
        return True
    wanted = [values[name] for name, _ in pairs]
    try:
        _run(new, values)
    except UndefinedError:
        return False
    found = [values[name] for _, name in pairs]
    return all(one in {None, two} for one, two in zip(wanted, found, strict=True))


def _run(steps: Sequence[_Bound], values: dict[str, Number]) -> None:
    for run, operands, results in steps:
        values.update(
            zip(results, run([values[name] for name in operands]), strict=True)
        )
