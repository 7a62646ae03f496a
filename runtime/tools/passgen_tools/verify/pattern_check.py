"""The check of a pattern: its interpretation, and z3's search for a counterexample."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from itertools import product
from random import Random
from typing import Any, Final, Literal, NamedTuple, NoReturn, TypeAlias

from passgen_runtime.context import Context, Operation
from passgen_runtime.errors import text_of
from passgen_runtime.patterns import ParsedPattern, PDLOperation
from passgen_tools.verify.semantics import SEMANTICS, Bits, Truth, Type, Value

Verdict = Literal["proved", "proved-for-constants", "not-checked", "unknown", "wrong"]
Key: TypeAlias = tuple[PDLOperation, str]
"""An operand or result; or an attribute, whose name stands in the second place."""

Step: TypeAlias = tuple[PDLOperation, list[Key], Truth]
"""An operation, its operands and attribute, and whether its behavior is undefined."""

CALLS: Final = "pdl.apply_native_constraint", "pdl.apply_native_rewrite"
_KINDS: Final = {"attribute", "operand", "result", "rewrite", "type"}
_OPEN_TYPES: Final = ("i1", "i2", "i3", "i4", "i8", "i16", "i32", "i64", "index")
_FLAGS: Final = {"overflowFlags": 2, "isExact": 1, "predicate": 4}
_OVERFLOW: Final = [f"#arith.overflow<{f}>" for f in ("none", "nsw", "nuw", "nsw, nuw")]
_IS_LITERAL: Final = re.compile(r"passgen\.is (-?\d+)")
_FULL_WIDTH: Final = 8
"""The width of constants up to which functions get all."""


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

    timeout_s: float
    z3: Any = field(default_factory=partial(import_module, "z3"))

    def run(self) -> Iterator[Judgement]:
        """Yield a judgement for all types that match anything; a wrong one is last."""
        operations = [*self.parsed.of_kind("pdl.type")]
        for chosen in product(*map(_choices, operations)):
            self.types = dict(zip(operations, chosen, strict=True))
            try:
                verdict, reason = self._judge(), ""
            except JudgedError as error:
                verdict, reason = error.args
            if verdict:
                types = "/".join(dict.fromkeys(map(str, chosen)))
                yield Judgement(self.parsed.name, types, verdict, reason)
            if verdict in {"wrong", "not-checked"}:
                return

    def _judge(self) -> Verdict | None:
        """Return the verdict about the chosen types, `None` if nothing matches them."""
        verdict, self._values = None, dict[Key, Value]()
        with suppress(_NoMatchError):
            is_wrong, steps = self._evaluate()
            for known, proved in self._attributes():
                verdict = proved
                solver = self.z3.SolverFor("QF_BV")
                solver.set("timeout", int(self.timeout_s * 1000))
                solver.add(is_wrong, *(bits == number for bits, number in known))
                answer = solver.check()
                if answer == self.z3.unknown:
                    raise JudgedError("unknown", "z3 met the time limit")
                if answer == self.z3.sat:
                    raise JudgedError("wrong", self._text(steps, solver.model()))
        return verdict

    def _attributes(self) -> Iterator[tuple[list[tuple[Bits, int]], Verdict]]:
        """Yield the attributes of each match, and the verdict unless one is wrong."""
        attributes = self.parsed.of_kind("pdl.attribute")
        objects = {used: field_of(used.original, "value") for used in attributes}
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
        choices = (_candidates(tested[key], literals.get(key)) for key in tested)
        for numbers in product(*choices):
            for (source, type_), number in zip(tested.items(), numbers, strict=True):
                objects[source] = self._parse(_attribute(number, type_))
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

    def _evaluate(self) -> tuple[Truth, list[Step]]:
        """Return whether what is created does not refine what is matched."""
        e, steps = self.z3, []
        differs, undefined = e.BoolVal(0), [e.BoolVal(0)] * 2
        for operation in self.parsed.operations:
            if operation.kind == "pdl.operation":
                steps.append(step := self._step(operation))
                is_new = operation.is_in_rewrite
                undefined[is_new] = undefined[is_new] | step[2]
            elif operation.kind == "pdl.replace":
                old, new = (self._values[op.defining, ""] for op in operation.operands)
                if operation.operands[0] is not self.parsed.root:
                    raise JudgedError("not-checked", "it replaces more than the root")
                if old.type != new.type:
                    raise _NoMatchError
                differs = e.Not(old.poison) & (new.poison | (old.bits != new.bits))
            elif operation.kind[4:] not in _KINDS and operation.kind not in CALLS:
                raise JudgedError("not-checked", f"'{operation.kind}' has no semantics")
        return e.Not(undefined[False]) & (undefined[True] | differs), steps

    def _step(self, operation: PDLOperation) -> Step:
        e, name, semantics = self.z3, operation.text, SEMANTICS.get(operation.text)
        if semantics is None:
            raise JudgedError("not-checked", f"'{name}' has no semantics")
        given, shown, types = (
            [used for used in operation.operands if used.result_types == (kind,)]
            for kind in ("!pdl.value", "!pdl.attribute", "!pdl.type")
        )
        listed = str(field_of(operation.original, "attributeValueNames"))
        sources = dict(zip(re.findall(r'"(.+?)"', listed), shown, strict=True))
        others = sources.keys() - {semantics.attribute}
        if others or len(given) != semantics.types.index(":"):
            reason = f"an operand or attribute of '{name}' has no semantics"
            raise JudgedError("not-checked", reason)
        keys = [(value.defining, "") for value in given]
        known = [self._type(*key) for key in keys] + [self.types[op] for op in types]
        *operand_types, type_ = _bind(semantics.types.replace(":", ""), known)
        operands = list(map(self._input, keys, operand_types))
        if operands and not semantics.fits(operand_types[0], type_):
            raise _NoMatchError
        bits = [operand.bits for operand in operands]
        if attribute := semantics.attribute:
            keys.append((sources.get(attribute, operation), attribute))
            named = Type(attribute, _FLAGS.get(attribute, 0))
            bits.append(self._input(keys[-1], named if named.width else type_).bits)
        bits += [type_.width] if semantics.types == "a:b" else []
        poison = semantics.poison(e, *bits) | semantics.spread(e, *operands)
        self._values[operation, ""] = Value(semantics.value(e, *bits), poison, type_)
        return operation, keys, semantics.undefined(e, *operands)

    def _type(self, value: PDLOperation, name: str) -> Type | None:
        if (value, name) in self._values:
            return self._values[value, name].type
        return self.types[value.operands[0]] if value.operands else None

    def _input(self, key: Key, type_: Type) -> Value:
        """Return a value that is there, or a new operand or attribute."""
        if key not in self._values:
            bits = self.z3.FreshConst(self.z3.BitVecSort(type_.width))
            if key[0].kind == "pdl.operation" and key[0].is_in_rewrite:
                bits = self.z3.BitVecVal(0, type_.width)  # the default
            poison = self.z3.BoolVal(0) if key[1] else self.z3.FreshBool()
            self._values[key] = Value(bits, poison, type_)
        return self._values[key]

    def _text(self, steps: Sequence[Step], model: Any) -> str:  # noqa: ANN401 - of z3
        """Return the operations as IR, with their results as comments."""
        find, names = partial(model.eval, model_completion=True), dict[Key, str]()

        def text(key: Key) -> str:
            bits, poison, type_ = self._values[key]
            name = "poison" if self.z3.is_true(find(poison)) else ""
            return name or _attribute(find(bits).as_signed_long(), type_)

        lines = []
        for operation, keys, undefined in steps:
            operands = [key for key in keys if not key[1]]
            for key in [key for key in dict.fromkeys(operands) if key not in names]:
                names[key], made = f"%{len(names)}", f"arith.constant {text(key)}"
                if text(key) == "poison":
                    made = f"ub.poison : {self._values[key].type.text}"
                lines.append(f"{names[key]} = {made}")
            names[operation, ""] = f"%{len(names)}"
            attributes = {key[1]: text(key) for key in keys if key[1]}
            shown = "".join(f"{name} = {t}" for name, t in attributes.items() if t)
            types = ", ".join(self._values[key].type.text for key in operands)
            note = text((operation, ""))
            note = "undefined behavior" if self.z3.is_true(find(undefined)) else note
            lines.append(
                f'{names[operation, ""]} = "{operation.text}"'
                f"({', '.join(names[key] for key in operands)}) {{{shown}}}"
                f" : ({types}) -> {self._values[operation, ''].type.text}  // {note}"
            )
        return "\n".join(lines)


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


def _attribute(number: int, type_: Type) -> str:
    """Return the attribute that a number stands for."""
    if type_.text == "overflowFlags":
        return _OVERFLOW[number]
    texts = {"predicate": f"{number % 16} : i64", "isExact": "unit" if number else ""}
    return texts.get(type_.text, f"{number} : {type_.text}")


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
