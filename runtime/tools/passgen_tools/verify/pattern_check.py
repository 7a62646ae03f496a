"""The check of a pattern: its interpretation, and the search for a counterexample."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import product
from random import Random
from time import monotonic
from typing import Any, Final, Literal, NamedTuple, NoReturn

from passgen_runtime.context import Context, Operation
from passgen_runtime.errors import text_of
from passgen_runtime.patterns import ParsedPattern, PDLOperation
from passgen_tools.verify.counterexample import (
    EvaluatedOperation,
    Key,
    attribute_text,
    counterexample,
)
from passgen_tools.verify.exhaustion import TooManyBitsError, exhaustion
from passgen_tools.verify.semantics import (
    SEMANTICS,
    Bits,
    Truth,
    Type,
    Value,
    own_semantics,
)

Verdict = Literal[
    "proved",
    "proved-for-constants",
    "may-not-end-by-greedy",
    "not-checked",
    "unknown",
    "wrong",
]
FAILURES: Final[tuple[Verdict, ...]] = "wrong", "unknown", "not-checked"
"""The verdicts that a program or a test fails for, unless it is told others."""

CALLS: Final = "pdl.apply_native_constraint", "pdl.apply_native_rewrite"
_KINDS: Final = {"attribute", "operand", "result", "rewrite", "type"}
_OPEN_TYPES: Final = ("i1", "i2", "i3", "i4", "i8", "i16", "i32", "i64", "index")
_FLAGS: Final = {"overflowFlags": 2, "isExact": 1, "predicate": 4}
_IS_LITERAL: Final = re.compile(r"passgen\.is (-?\d+)")
_FULL_WIDTH: Final = 8
"""The width of constants up to which functions get all."""

EXHAUSTED_WIDTH: Final = 4
"""The width of types up to which all values are tried."""


class Judgement(NamedTuple):
    """The verdict about a pattern on some types, and its reason: a counterexample."""

    pattern: str
    types: str
    verdict: Verdict
    reason: str = ""


class JudgedError(Exception):
    """The pattern may be wrong; the arguments are the verdict and its reason."""


class _NoMatchError(Exception):
    pass


class _NoRewriter:
    def __getattr__(self, name: str) -> NoReturn:
        raise JudgedError("not-checked", f"a rewrite uses '{name}' of its rewriter")


@dataclass
class PatternCheck:
    """The check of a pattern."""

    context: Context
    parsed: ParsedPattern
    functions: Mapping[str, Mapping[str, Callable[..., object]]]
    """The native functions, by the kind of operation that calls them and by name."""

    semantics: Mapping[str, Callable[..., object]]
    """The functions of operations of its own, by name."""

    timeout_s: float

    def run(self) -> Iterator[Judgement]:
        """Yield a judgement for all types that match anything; a wrong one is last."""
        operations = [*self.parsed.of_kind("pdl.type")]
        self._end_s = monotonic() + self.timeout_s
        for chosen in product(*map(_choices, operations)):
            self.types = dict(zip(operations, chosen, strict=True))
            try:
                verdict, reason = self._judge_by_any_engine(), ""
            except JudgedError as error:
                verdict, reason = error.args
            if verdict:
                types = "/".join(dict.fromkeys(map(str, chosen)))
                yield Judgement(self.parsed.name, types, verdict, reason)
            if verdict in {"wrong", "not-checked"}:
                return

    def _judge_by_any_engine(self) -> Verdict | None:
        if all(type_.width <= EXHAUSTED_WIDTH for type_ in self.types.values()):
            with suppress(TooManyBitsError):
                return self._judge(exhaustion())
        if find_spec("z3") is None:
            what = f"types of more than {EXHAUSTED_WIDTH} bits, or too many operands,"
            reason = f"{what} need z3: install 'mlir-passgen-tools[verify]'"
            raise JudgedError("not-checked", reason)
        return self._judge(import_module("z3"))

    def _judge(self, engine: Any) -> Verdict | None:  # noqa: ANN401 - it may be z3
        """Return the verdict about the chosen types, `None` if nothing matches them."""
        verdict, self._engine = None, engine
        self._values, self._steps = (
            dict[Key, Value](),
            dict[PDLOperation, EvaluatedOperation](),
        )
        with suppress(_NoMatchError):
            is_wrong = self._evaluate()
            for known, proved in self._attributes():
                verdict = proved
                solver = engine.SolverFor("QF_BV")
                left_ms = int((self._end_s - monotonic()) * 1000)
                solver.set("timeout", max(left_ms, 1))
                solver.add(is_wrong, *(bits == number for bits, number in known))
                answer = solver.check()
                if answer == engine.sat:
                    find = partial(solver.model().eval, model_completion=True)
                    steps, values = self._steps.values(), self._values
                    text = counterexample(steps, values, find, engine.is_true)
                    raise JudgedError("wrong", text)
                if answer == engine.unknown or left_ms < 0:
                    raise JudgedError("unknown", "the time limit is met")
        return verdict

    def _attributes(self) -> Iterator[tuple[list[tuple[Bits, int]], Verdict]]:
        """Yield the attributes of each match, and the verdict unless one is wrong."""
        objects = {
            attribute: field_of(attribute.original, "value")
            for attribute in self.parsed.of_kind("pdl.attribute")
        }
        for operation, type_ in self.types.items():
            objects[operation] = self._parse(f"0 : {type_.text}").type
        calls = [*self.parsed.of_kind(*CALLS)]
        given = {operand for call in calls for operand in call.operands}
        tested = {
            source: value.type
            for (source, name), value in self._values.items()
            if (source in given or name == "isExact") and objects.get(source, 0) is None
        }
        literals = {
            call.operands[0]: int(found[1])
            for call in calls
            if (found := _IS_LITERAL.fullmatch(call.text))
        }
        free = (type_ for source, type_ in tested.items() if source not in literals)
        is_sample = any(type_.width > _FULL_WIDTH for type_ in free)
        texts = (
            [attribute_text(number, type_) for number in _candidates(type_, literal)]
            for type_, literal in ((tested[key], literals.get(key)) for key in tested)
        )
        choices = [self._parse(f"[{', '.join(listed)}]") for listed in texts]
        for attributes in product(*choices):
            objects |= zip(tested, attributes, strict=True)
            if all(self._call(call, objects) for call in calls):
                known = [
                    (value.bits, _number(objects[source], value.type, source))
                    for (source, _), value in self._values.items()
                    if objects.get(source) is not None
                ]
                yield known, "proved-for-constants" if is_sample else "proved"

    def _parse(self, text: str) -> Any:  # noqa: ANN401 - of the IR library
        module = f"builtin.module attributes {{arith.value = {text}}} {{}}"
        return field_of(self.context.parse(module, "attribute"), "arith.value")

    def _call(self, call: PDLOperation, objects: dict[PDLOperation, Any]) -> bool:
        """Return whether a constraint holds; keep what a rewrite returns."""
        is_rewrite = call.kind == CALLS[1]
        given = [objects.get(operand) for operand in call.operands]
        if any(argument is None for argument in given):
            reason = f"'{call.text}' gets more than attributes and types"
            raise JudgedError("not-checked", reason)
        arguments = [_NoRewriter(), *given] if is_rewrite else given
        try:
            result = self.functions[call.kind][call.text](*arguments)
        except JudgedError:
            raise
        except Exception as error:
            reason = f"'{call.text}' fails for {', '.join(map(str, given))}"
            reason += f": {type(error).__name__}: {text_of(error)}"
            raise JudgedError("wrong", reason) from error
        if is_rewrite:
            objects[call] = "None" if result is None else result
        is_negated = str(field_of(call.original, "isNegated")) == "true"
        return is_rewrite or bool(result) != is_negated

    def _evaluate(self) -> Truth:
        """Return whether what is created does not refine what is matched."""
        e = self._engine
        differs, undefined = e.BoolVal(0), [e.BoolVal(0)] * 2
        for operation in self.parsed.operations:
            if operation.kind == "pdl.operation":
                self._steps[operation] = step = self._step(operation)
                is_new = operation.is_in_rewrite
                undefined[is_new] = undefined[is_new] | step.undefined
            elif operation.kind == "pdl.replace":
                differs = differs | self._differs(*operation.operands)
            elif operation.kind[4:] not in _KINDS and operation.kind not in CALLS:
                raise JudgedError("not-checked", f"'{operation.kind}' has no semantics")
        return e.Not(undefined[False]) & (undefined[True] | differs)

    def _differs(self, replaced: PDLOperation, *created: PDLOperation) -> Truth:
        """Return whether a value that replaces a result does not refine it."""
        differs, results = self._engine.BoolVal(0), self._results(replaced)
        created_values = [new for value in created for new in self._results(value)]
        if replaced is not self.parsed.root or len(created_values) != len(results):
            raise JudgedError("not-checked", "it replaces more than the root's results")
        for old, new in zip(results, created_values, strict=True):
            if old.type != new.type:
                raise _NoMatchError
            is_other = new.poison | (old.bits != new.bits)
            differs = differs | (self._engine.Not(old.poison) & is_other)
        return differs

    def _key(self, value: PDLOperation) -> Key:
        """Return the key of a value: a `pdl.operand` or a `pdl.result`."""
        if value.kind != "pdl.result":
            return value, 0
        key = value.defining, int(value.text)
        if key not in self._values:
            what = f"'{value.defining.text}' has no result {value.text}"
            raise JudgedError("not-checked", what)
        return key

    def _results(self, value: PDLOperation) -> list[Value]:
        """Return the results of a `pdl.operation`, or a value."""
        if value.kind != "pdl.operation":
            return [self._values[self._key(value)]]
        return [self._values[key] for key in self._steps[value].results]

    def _step(self, operation: PDLOperation) -> EvaluatedOperation:
        e, name, semantics = self._engine, operation.text, SEMANTICS.get(operation.text)
        given, shown, types = (
            [used for used in operation.operands if used.result_types == (kind,)]
            for kind in ("!pdl.value", "!pdl.attribute", "!pdl.type")
        )
        if own := self.semantics.get(name):
            semantics = own_semantics(own, len(given))
        if semantics is None:
            raise JudgedError("not-checked", f"'{name}' has no semantics")
        names = str(field_of(operation.original, "attributeValueNames"))
        sources = dict(zip(re.findall(r'"(.+?)"', names), shown, strict=True))
        num_operands = semantics.types.index(":")
        others = sources.keys() - {semantics.attribute}
        if others or len(given) != num_operands:
            reason = f"an operand or attribute of '{name}' has no semantics"
            raise JudgedError("not-checked", reason)
        keys = list(map(self._key, given))
        known = [*map(self._type, keys)] + [self.types[op] for op in types]
        bound = _bind(semantics.types.replace(":", ""), known)
        operand_types, result_types = bound[:num_operands], bound[num_operands:]
        operands = list(map(self._input, keys, operand_types))
        if operands and not semantics.fits(operand_types[0], result_types[0]):
            raise _NoMatchError
        bits = [operand.bits for operand in operands]
        if attribute := semantics.attribute:
            keys.append((sources.get(attribute, operation), attribute))
            named = Type(attribute, _FLAGS.get(attribute, 0))
            bits.append(
                self._input(keys[-1], named if named.width else result_types[0]).bits
            )
        bits += [result_types[0].width] if semantics.types == "a:b" else []
        poison = semantics.poison(e, *bits) | semantics.spread(e, *operands)
        try:
            found = semantics.value(e, *bits)
            listed = found if isinstance(found, tuple) else (found,)
            rows = enumerate(zip(listed, result_types, strict=True))
            made: dict[Key, Value] = {
                (operation, at): Value(e.BitVecVal(0, t.width) | result, poison, t)
                for at, (result, t) in rows
            }
        except Exception as error:
            reason = f"the semantics of '{name}' return no {result_types[0]}"
            reason += f": {type(error).__name__}: {text_of(error)}"
            raise JudgedError("not-checked", reason) from error
        self._values |= made
        return EvaluatedOperation(
            operation, keys, [*made], semantics.undefined(e, *operands)
        )

    def _type(self, key: Key) -> Type | None:
        if key in self._values:
            return self._values[key].type
        return self.types[key[0].operands[0]] if key[0].operands else None

    def _input(self, key: Key, type_: Type) -> Value:
        """Return a value that is there, or a new operand or attribute."""
        if key not in self._values:
            e = self._engine
            if key[0].kind == "pdl.operation" and key[0].is_in_rewrite:
                bits = e.BitVecVal(0, type_.width)  # the default
            else:
                bits = e.FreshConst(e.BitVecSort(type_.width))
            poison = e.BoolVal(0) if key[1] else e.FreshBool()
            self._values[key] = Value(bits, poison, type_)
        return self._values[key]


def _bind(letters: str, types: Iterable[Type | None]) -> list[Type]:
    """Return a type for each letter, of which some are known."""
    bound = {"1": Type("i1", 1)}
    for letter, type_ in zip(letters, types, strict=False):
        if type_ and bound.setdefault(letter, type_) != type_:
            raise _NoMatchError
    if not bound.keys() >= {*letters}:
        raise JudgedError("not-checked", "an operand or a result has no type")
    return [bound[letter] for letter in letters]


def _choices(operation: PDLOperation) -> list[Type]:
    """Return the types to try for a `pdl.type`."""
    constant, found = field_of(operation.original, "constantType"), []
    for text in _OPEN_TYPES if constant is None else [str(constant)]:
        if text != "index" and not re.fullmatch(r"i[1-9]\d*", text):
            raise JudgedError("not-checked", f"the type '{text}' has no semantics")
        widths = (32, 64) if text == "index" else (int(text[1:]),)
        found += [Type(text, width) for width in widths]
    return found


def _candidates(type_: Type, literal: int | None) -> Sequence[int]:
    """Return the numbers that functions get: all of few, or those that matter."""
    named = {"overflowFlags": range(4), "isExact": [1], "predicate": range(10)}
    half = 1 << (type_.width - 1)
    if literal is not None:
        return [literal] * (-half <= literal < 2 * half)
    if type_.text in named or type_.width <= _FULL_WIDTH:
        return named.get(type_.text, range(-half, half))
    powers = [sign << bit for bit in range(type_.width) for sign in (1, -1)]
    near = {power + step for power in powers for step in (-1, 0, 1)}
    random = {Random(seed).randrange(-half, half) for seed in range(16)}  # noqa: S311
    return [number for number in near | random if -half <= number < half]


def _number(attribute: object, type_: Type, source: PDLOperation) -> int:
    """Return the number that stands for an attribute."""
    text = str(attribute)
    if text.startswith("#arith.overflow"):
        return ("nsw" in text) + 2 * ("nuw" in text)
    text = {"true": "-1 : i1", "false": "0 : i1", "unit": "1 : isExact"}.get(text, text)
    found = re.fullmatch(r"(-?\d+) : (\w+)", text)
    if found is None:
        raise JudgedError("not-checked", f"the attribute '{text}' is no integer")
    if type_.text in {found[2], "predicate"}:
        return int(found[1])
    if source.is_in_rewrite:
        raise JudgedError("wrong", f"a new constant of type {type_} is '{text}'")
    raise _NoMatchError


def field_of(operation: Operation, name: str) -> Any:  # noqa: ANN401 - of the library
    """Return an attribute of an operation; `None` if it has none."""
    for fields in (getattr(operation, "properties", {}), operation.attributes):
        if name in fields:
            return fields[name]
    return None
