"""The check of a pattern: its interpretation, and the search for a counterexample."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial, reduce
from importlib import import_module
from itertools import islice, product
from operator import or_
from time import monotonic
from typing import Any, Final, Literal, NamedTuple, NoReturn, TypeAlias

from passgen_runtime.context import Context
from passgen_runtime.errors import text_of
from passgen_runtime.patterns import ParsedPattern, PDLOperation
from passgen_tools.verify import attributes
from passgen_tools.verify.counterexample import EvaluatedOperation, Key, counterexample
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
_IS_LITERAL: Final = re.compile(r"passgen\.is (-?\d+)")
EXHAUSTED_WIDTH: Final = 4
"""The width of types up to which all values are tried."""

NUM_FREE_BITS: Final = 14, 24
"""How many bits may be free then: few in short tables first."""

_MATCHES_AT_ONCE: Final = 64
_TIME_IS_OVER: Final = "the time limit is met"

_Match: TypeAlias = tuple[Truth, list[tuple[Bits, Bits]]]
"""Whether it is wrong, and its attributes with their numbers."""


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

    end_s: float
    """The monotonic time at which the time limit of the pattern is met."""

    def run(self) -> Iterator[Judgement]:
        """Yield a judgement for all types that match anything; a wrong one is last."""
        operations = [*self.parsed.of_kind("pdl.type")]
        users = self.parsed.of_kind("pdl.operand", "pdl.operation")
        used = {operand for user in users for operand in user.operands}
        for chosen in product(*map(_choices, operations)):
            if len({type_ for type_ in chosen if type_.text == "index"}) > 1:
                continue  # it has one width in a program
            self.types = dict(zip(operations, chosen, strict=True))
            types = [self.types[key] for key in operations if key in used]
            try:
                verdict, reason = self._judge_by_any_engine(types), ""
            except JudgedError as error:
                verdict, reason = error.args
            if verdict:
                text = "/".join(dict.fromkeys(map(str, types)))
                yield Judgement(self.parsed.name, text, verdict, reason)
            if verdict in {"wrong", "not-checked"}:
                return

    def _judge_by_any_engine(self, types: Iterable[Type]) -> Verdict | None:
        if all(type_.width <= EXHAUSTED_WIDTH for type_ in types):
            for num_free_bits in NUM_FREE_BITS:
                with suppress(TooManyBitsError):
                    return self._judge(exhaustion(num_free_bits))
        try:
            z3 = import_module("z3")
        except Exception as error:
            what = f"types of more than {EXHAUSTED_WIDTH} bits, or too many operands,"
            reason = f"{what} need z3: install 'mlir-passgen-tools[verify]' ({error})"
            raise JudgedError("not-checked", reason) from error
        return self._judge(z3)

    def _judge(self, engine: Any) -> Verdict | None:  # noqa: ANN401 - it may be z3
        """Return the verdict about the chosen types, `None` if nothing matches them."""
        verdict, self._engine, self._problem = None, engine, ""
        self._values: dict[Key, Value] = {}
        self._evaluated: dict[PDLOperation, EvaluatedOperation] = {}
        self._replaced: list[tuple[Key, Key]] = []
        with suppress(_NoMatchError):
            matches = self._matches(self._evaluate())
            while some := [*islice(matches, _MATCHES_AT_ONCE)]:
                verdict = self._proved
                if self._model(reduce(or_, (is_wrong for is_wrong, _ in some))) is None:
                    continue
                for is_wrong, known in some:
                    model = self._model(is_wrong, *(bits == n for bits, n in known))
                    if model is not None:
                        find = partial(model.eval, model_completion=True)
                        raise JudgedError("wrong", self._text(find))
        return verdict

    def _model(self, *truths: Truth) -> Any:  # noqa: ANN401 - it may be z3's
        """Return an assignment that makes all true; `None` if there is none."""
        solver = self._engine.SolverFor("QF_BV")
        solver.set("timeout", max(int((self.end_s - monotonic()) * 1000), 1))
        solver.add(*truths)
        answer = solver.check()
        if answer == self._engine.unknown:
            raise JudgedError("unknown", _TIME_IS_OVER)
        return solver.model() if answer == self._engine.sat else None

    def _text(self, find: Callable[[Any], Any]) -> str:
        evaluated = self._evaluated.values()
        is_true = self._engine.is_true
        text = counterexample(evaluated, self._values, self._replaced, find, is_true)
        return f"{text}\n// {self._problem}" if self._problem else text

    def _matches(self, is_wrong: Truth) -> Iterator[_Match]:
        """Yield the matches: one for all attributes that constraints allow."""
        e = self._engine
        shown = self.parsed.of_kind("pdl.attribute")
        objects = {used: attributes.field_of(used.original, "value") for used in shown}
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
        is_sample = any(type_.width > attributes.FULL_WIDTH for type_ in free)
        self._proved: Verdict = "proved-for-constants" if is_sample else "proved"
        choices = []
        for key, type_ in tested.items():
            numbers = attributes.candidates(type_, literals.get(key))
            texts = (attributes.attribute_text(number, type_) for number in numbers)
            choices.append(self._parse(f"[{', '.join(texts)}]"))
        for chosen in product(*choices):
            if monotonic() > self.end_s:
                raise JudgedError("unknown", _TIME_IS_OVER)
            objects |= zip(tested, chosen, strict=True)
            if all(self._call(call, objects) for call in calls):
                known = [
                    (bits, e.BitVecVal(_number(objects[key], type_, key), type_.width))
                    for (key, _), (bits, _, type_) in self._values.items()
                    if objects.get(key) is not None
                ]
                # Products of variables that equal constants would be hard to decide.
                yield e.substitute(is_wrong, *known), known

    def _parse(self, text: str) -> Any:  # noqa: ANN401 - of the IR library
        module = f"builtin.module attributes {{arith.value = {text}}} {{}}"
        parsed = self.context.parse(module, "attribute")
        return attributes.field_of(parsed, "arith.value")

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
        except (Exception, SystemExit) as error:
            reason = f"'{call.text}' fails for {', '.join(map(str, given))}"
            reason += f": {type(error).__name__}: {text_of(error)}"
            raise JudgedError("wrong", reason) from error
        if is_rewrite:
            objects[call] = "None" if result is None else result
        is_negated = str(attributes.field_of(call.original, "isNegated")) == "true"
        return is_rewrite or bool(result) != is_negated

    def _evaluate(self) -> Truth:
        """Return whether what is created does not refine what is matched."""
        e = self._engine
        differs, undefined = e.BoolVal(0), [e.BoolVal(0)] * 2
        for operation in self.parsed.operations:
            try:
                if operation.kind == "pdl.operation":
                    self._evaluated[operation] = found = self._evaluate_one(operation)
                    is_new = operation.is_in_rewrite
                    undefined[is_new] = undefined[is_new] | found.undefined
                elif operation.kind == "pdl.replace":
                    differs = differs | self._differs(*operation.operands)
                elif operation.kind[4:] not in _KINDS and operation.kind not in CALLS:
                    what = f"'{operation.kind}' has no semantics"
                    raise JudgedError("not-checked", what)
            except _NoMatchError:
                if not operation.is_in_rewrite:
                    raise
                self._problem = f"the types of the new '{operation.text}' do not fit"
                if operation.kind == "pdl.replace":
                    self._problem = "a value of another type replaces a result"
                return e.BoolVal(1)
        return e.Not(undefined[False]) & (undefined[True] | differs)

    def _differs(self, root: PDLOperation, *created: PDLOperation) -> Truth:
        """Return whether a value that replaces a result does not refine it."""
        differs, results = self._engine.BoolVal(0), self._result_keys(root)
        new_keys = [key for value in created for key in self._result_keys(value)]
        if root is not self.parsed.root or len(new_keys) != len(results):
            raise JudgedError("not-checked", "it replaces more than the root's results")
        for pair in zip(results, new_keys, strict=True):
            old, new = (self._values[key] for key in pair)
            if old.type != new.type:
                raise _NoMatchError
            self._replaced.append(pair)
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

    def _result_keys(self, value: PDLOperation) -> list[Key]:
        """Return the keys of the results of a `pdl.operation`, or of a value."""
        is_operation = value.kind == "pdl.operation"
        return self._evaluated[value].results if is_operation else [self._key(value)]

    def _evaluate_one(self, operation: PDLOperation) -> EvaluatedOperation:
        e, name, semantics = self._engine, operation.text, SEMANTICS.get(operation.text)
        given, shown, types = (
            [used for used in operation.operands if used.result_types == (kind,)]
            for kind in ("!pdl.value", "!pdl.attribute", "!pdl.type")
        )
        if own := self.semantics.get(name):
            semantics = own_semantics(own, len(given))
        if semantics is None:
            raise JudgedError("not-checked", f"'{name}' has no semantics")
        names = str(attributes.field_of(operation.original, "attributeValueNames"))
        sources = dict(zip(re.findall(r'"(.+?)"', names), shown, strict=True))
        num_operands = semantics.types.index(":")
        if sources.keys() - {semantics.attribute} or len(given) != num_operands:
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
            width = attributes.WIDTHS.get(attribute)
            type_ = Type(attribute, width) if width else result_types[0]
            bits.append(self._input(keys[-1], type_).bits)
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
        except (Exception, SystemExit) as error:
            reason = f"the semantics of '{name}' return no {result_types[0]}"
            reason += f": {type(error).__name__}: {text_of(error)}"
            raise JudgedError("not-checked", reason) from error
        self._values |= made
        undefined = semantics.undefined(e, *operands)
        return EvaluatedOperation(operation, keys, [*made], undefined)

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
    constant, found = attributes.field_of(operation.original, "constantType"), []
    for text in _OPEN_TYPES if constant is None else [str(constant)]:
        if text != "index" and not re.fullmatch(r"i[1-9]\d*", text):
            raise JudgedError("not-checked", f"the type '{text}' has no semantics")
        widths = (32, 64) if text == "index" else (int(text[1:]),)
        found += [Type(text, width) for width in widths]
    return found


def _number(attribute: object, type_: Type, source: PDLOperation) -> int:
    """Return the number that stands for an attribute."""
    known = attributes.number_of(attribute)
    if known is None:
        raise JudgedError("not-checked", f"the attribute '{attribute}' is no integer")
    number, kind = known
    if kind == "i64" and type_.text == "predicate" and number in attributes.PREDICATES:
        kind = "predicate"
    if kind == type_.text:
        return number
    if source.is_in_rewrite:
        raise JudgedError("wrong", f"a new '{attribute}' is no {type_}")
    raise _NoMatchError
