"""The check of a pattern: its interpretation, and the search for a counterexample."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial, reduce
from importlib import import_module
from itertools import islice, product
from operator import or_
from time import monotonic
from typing import Any, Final, Literal, NamedTuple, NoReturn, TypeAlias

from passgen_runtime.errors import text_of
from passgen_runtime.patterns import (
    AttributeNode,
    Call,
    Condition,
    Create,
    EqualsLiteral,
    HasNoUses,
    LacksAttribute,
    Native,
    NativeFunctions,
    Node,
    OperandNode,
    OperationNode,
    PatternGraph,
    PatternLibrary,
    Replace,
    ResultNode,
    TypeNode,
)
from passgen_tools.verify import attributes
from passgen_tools.verify.attributes import AttributeNumbers
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
"""The verdicts that a program or a test fails for, unless it is told others.

After one of them, a pattern is not tried on more types.
"""

LAST_VERDICTS: Final[frozenset[Verdict]] = frozenset(
    {"wrong", "unknown", "not-checked"}
)
"""The verdicts after which a pattern is not tried on more types."""

_OPEN_TYPES: Final = ("i1", "i2", "i3", "i4", "i8", "i16", "i32", "i64", "index")
_INDEX_WIDTHS: Final = 32, 64
EXHAUSTED_WIDTH: Final = 4
"""The width of types up to which all values are tried."""

NUM_FREE_BITS: Final = 14, 24
"""How many bits may be free then: few in short tables first."""

_MATCHES_AT_ONCE: Final = 64
_DELAY_OF_Z3_S: Final = 1
"""About how long z3 goes on after its own time limit, on products of 64 bits."""

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

    library: PatternLibrary
    graph: PatternGraph
    functions: NativeFunctions
    semantics: Mapping[str, Callable[..., object]]
    """The functions of operations of its own, by name."""

    end_s: float
    """The monotonic time at which the time limit of the pattern is met."""

    def run(self) -> Iterator[Judgement]:
        """Yield a judgement for all types that match anything; a wrong one is last."""
        self._numbers = AttributeNumbers(self.library)
        self._lacking = {
            (condition.arguments[0], condition.test.name)
            for condition in self.graph.conditions
            if isinstance(condition.test, LacksAttribute)
        }
        nodes = self.graph.all_nodes
        shown = [node for node in nodes if isinstance(node, TypeNode)]
        used = set[Node]()
        for node in nodes:
            if isinstance(node, OperationNode):
                used.update(node.types)
            elif isinstance(node, OperandNode) and node.type:
                used.add(node.type)
        for chosen in product(*map(self._choices, shown)):
            if len({type_ for type_ in chosen if type_.text == "index"}) > 1:
                continue  # it has one width in a program
            self.types: dict[Node, Type] = dict(zip(shown, chosen, strict=True))
            types = [self.types[node] for node in shown if node in used]
            try:
                verdict, reason = self._judge_by_any_engine(types), ""
            except JudgedError as error:
                verdict, reason = error.args
            if verdict:
                text = "/".join(dict.fromkeys(map(str, types)))
                yield Judgement(self.graph.name, text, verdict, reason)
            if verdict in FAILURES:
                return

    def _check_time(self) -> None:
        """Check that the time limit of the pattern is not met.

        Raises:
            JudgedError: it is.
        """
        if monotonic() > self.end_s:
            raise JudgedError("unknown", _TIME_IS_OVER)

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
        self._evaluated: dict[OperationNode, EvaluatedOperation] = {}
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
        self._check_time()
        solver = self._engine.SolverFor("QF_BV")
        left_s = self.end_s - monotonic()
        asked_s = left_s - min(left_s / 3, _DELAY_OF_Z3_S)
        solver.set("timeout", max(int(asked_s * 1000), 1))
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
        e, graph = self._engine, self.graph
        objects: dict[Node, Any] = {
            node: node.constant
            for node in graph.all_nodes
            if isinstance(node, AttributeNode) and node.constant is not None
        }
        for node, type_ in self.types.items():
            objects[node] = self.library.parse_type(type_.text)
        tests = [
            condition
            for condition in graph.conditions
            if not isinstance(condition.test, HasNoUses | LacksAttribute)
        ]
        calls: list[Condition | Call] = [*tests, *graph.calls]
        given = {argument for call in calls for argument in call.arguments}
        tested = {
            source: value.type
            for (source, name), value in self._values.items()
            if (source in given or name == "isExact")
            and isinstance(source, AttributeNode)
            and source.constant is None
        }
        literals = {
            condition.arguments[0]: condition.test.number
            for condition in graph.conditions
            if isinstance(condition.test, EqualsLiteral)
            and isinstance(condition.test.number, int)
        }
        free = (type_ for source, type_ in tested.items() if source not in literals)
        is_sample = any(type_.width > attributes.FULL_WIDTH for type_ in free)
        self._proved: Verdict = "proved-for-constants" if is_sample else "proved"
        choices = []
        for key, type_ in tested.items():
            numbers = attributes.candidates(type_, literals.get(key))
            choices.append(self._numbers.attributes(numbers, type_))
        for chosen in product(*choices):
            self._check_time()
            objects |= zip(tested, chosen, strict=True)
            if all(self._call(call, objects) for call in calls):
                known = [
                    (
                        bits,
                        e.BitVecVal(
                            self._number(objects[key], type_, key), type_.width
                        ),
                    )
                    for (key, _), (bits, _, type_) in self._values.items()
                    if objects.get(key) is not None
                ]
                # Products of variables that equal constants would be hard to decide.
                yield e.substitute(is_wrong, *known), known

    def _call(self, call: Condition | Call, objects: dict[Node, Any]) -> bool:
        """Return whether a constraint holds; keep what a rewrite returns."""
        name = call.test if isinstance(call, Condition) else call.function
        given = [objects.get(argument) for argument in call.arguments]
        if any(argument is None for argument in given):
            reason = f"'{name}' gets more than attributes and types"
            raise JudgedError("not-checked", reason)
        try:
            if isinstance(call, Condition):
                holds = self.functions.test(call.test)(*given)
                return bool(holds) != call.is_negated
            results = self._results(call, given)
        except JudgedError:
            raise
        except (Exception, SystemExit) as error:
            reason = f"'{name}' fails for {', '.join(map(str, given))}"
            reason += f": {type(error).__name__}: {text_of(error)}"
            raise JudgedError("wrong", reason) from error
        objects |= zip(call.results, results, strict=False)
        return True

    def _results(self, call: Call, given: Sequence[Any]) -> Sequence[Any]:
        """Return what a rewrite returns, of whatever class, or a text of `None`."""
        if not isinstance(call.function, Native):
            return [call.function.apply(self.library, *given)]
        result = self.functions.rewrites[call.function.name](_NoRewriter(), *given)
        listed = result if isinstance(result, tuple) else (result,)
        return ["None" if one is None else one for one in listed]

    def _evaluate(self) -> Truth:
        """Return whether what is created does not refine what is matched."""
        e = self._engine
        differs, undefined = e.BoolVal(0), [e.BoolVal(0)] * 2
        for node in self.graph.nodes:
            self._check_kind(node)
            if isinstance(node, OperationNode):
                undefined[False] = undefined[False] | self._evaluate_one(node)
        for step in self.graph.steps:
            try:
                for node in step.arguments:
                    self._check_kind(node)
                if isinstance(step, Create):
                    self._problem = "the types of the new "
                    self._problem += f"'{step.operation.operation}' do not fit"
                    undefined[True] = undefined[True] | self._evaluate_one(
                        step.operation
                    )
                elif isinstance(step, Replace):
                    self._problem = "a value of another type replaces a result"
                    differs = differs | self._differs(step)
                elif not isinstance(step, Call):
                    raise JudgedError("not-checked", "'pdl.erase' has no semantics")
            except _NoMatchError:
                return e.BoolVal(1)
        self._problem = ""
        return e.Not(undefined[False]) & (undefined[True] | differs)

    def _check_kind(self, node: Node) -> None:
        if node.kind.startswith("range"):
            raise JudgedError("not-checked", f"'pdl.{node.label}' has no semantics")

    def _differs(self, step: Replace) -> Truth:
        """Return whether a value that replaces a result does not refine it."""
        root, differs = self.graph.root, self._engine.BoolVal(0)
        results = self._result_keys(root)
        new_keys = [key for value in step.by for key in self._result_keys(value)]
        if step.operation is not root or len(new_keys) != len(results):
            raise JudgedError("not-checked", "it replaces more than the root's results")
        unused = {
            self._key(condition.arguments[0])
            for condition in self.graph.conditions
            if isinstance(condition.test, HasNoUses)
        }
        for pair in zip(results, new_keys, strict=True):
            if pair[0] in unused:
                continue
            old, new = (self._values[key] for key in pair)
            if old.type != new.type:
                raise _NoMatchError
            self._replaced.append(pair)
            is_other = new.poison | (old.bits != new.bits)
            differs = differs | (self._engine.Not(old.poison) & is_other)
        return differs

    def _key(self, value: Node) -> Key:
        """Return the key of an operand or a result."""
        if not isinstance(value, ResultNode) or value.index is None:
            return value, 0
        key = value.operation, value.index
        if key not in self._values:
            name = getattr(value.operation, "operation", value.operation.label)
            what = f"'{name}' has no result {value.index}"
            raise JudgedError("not-checked", what)
        return key

    def _result_keys(self, value: Node) -> list[Key]:
        """Return the keys of the results of an operation, or of a value."""
        if isinstance(value, OperationNode):
            return self._evaluated[value].results
        return [self._key(value)]

    def _evaluate_one(self, node: OperationNode) -> Truth:
        """Keep the results of an operation; return when its behavior is undefined."""
        self._check_time()
        e, name, semantics = self._engine, node.operation, SEMANTICS.get(node.operation)
        if own := self.semantics.get(name):
            semantics = own_semantics(own, len(node.operands))
        if semantics is None:
            raise JudgedError("not-checked", f"'{name}' has no semantics")
        sources = dict(node.attributes)
        num_operands = semantics.types.index(":")
        if sources.keys() - {semantics.attribute} or len(node.operands) != num_operands:
            reason = f"an operand or attribute of '{name}' has no semantics"
            raise JudgedError("not-checked", reason)
        keys = list(map(self._key, node.operands))
        known = [*map(self._type, keys), *(self.types.get(part) for part in node.types)]
        bound = _bind(semantics.types.replace(":", ""), known)
        operand_types, result_types = bound[:num_operands], bound[num_operands:]
        operands = list(map(self._input, keys, operand_types))
        if operands and not semantics.fits(operand_types[0], result_types[0]):
            raise _NoMatchError
        bits = [operand.bits for operand in operands]
        if attribute := semantics.attribute:
            keys.append((sources.get(attribute, node), attribute))
            width = attributes.WIDTHS.get(attribute)
            type_ = Type(attribute, width) if width else result_types[0]
            self._check_attribute(node, keys[-1], type_)
            bits.append(self._input(keys[-1], type_).bits)
        bits += [result_types[0].width] if semantics.types == "a:b" else []
        poison = semantics.poison(e, *bits) | semantics.spread(e, *operands)
        try:
            found = semantics.value(e, *bits)
            listed = found if isinstance(found, tuple) else (found,)
            rows = enumerate(zip(listed, result_types, strict=True))
            made: dict[Key, Value] = {
                (node, at): Value(e.BitVecVal(0, t.width) | result, poison, t)
                for at, (result, t) in rows
            }
        except (Exception, SystemExit) as error:
            reason = f"the semantics of '{name}' return no {result_types[0]}"
            reason += f": {type(error).__name__}: {text_of(error)}"
            raise JudgedError("not-checked", reason) from error
        self._values |= made
        undefined = semantics.undefined(e, *operands)
        self._evaluated[node] = EvaluatedOperation(node, keys, [*made], undefined)
        return undefined

    def _check_attribute(self, node: OperationNode, key: Key, type_: Type) -> None:
        """Check that an operation may lack an attribute, and that it has one kind.

        Raises:
            _NoMatchError: no such IR is valid.
            JudgedError: an attribute is two things.
        """
        source, name = key
        if source is node and node.is_new and name not in attributes.OPTIONAL:
            self._problem = f"the new '{node.operation}' has no attribute '{name}'"
            raise _NoMatchError
        for (other, _), known in self._values.items():
            if other is not source or known.type == type_:
                continue
            if {known.type.text, type_.text} == {"i64", "predicate"}:
                what = "an attribute is both a predicate and an i64"
                raise JudgedError("not-checked", what)
            self._problem = f"an attribute of {known.type} is '{name}' of "
            self._problem += f"'{node.operation}'"
            raise _NoMatchError

    def _type(self, key: Key) -> Type | None:
        if key in self._values:
            return self._values[key].type
        type_ = getattr(key[0], "type", None)
        return None if type_ is None else self.types[type_]

    def _input(self, key: Key, type_: Type) -> Value:
        """Return a value that is there, or a new operand or attribute."""
        if key not in self._values:
            e = self._engine
            is_new = isinstance(key[0], OperationNode) and key[0].is_new
            if is_new or key in self._lacking:
                bits = e.BitVecVal(0, type_.width)  # the default
            else:
                bits = e.FreshConst(e.BitVecSort(type_.width))
            poison = e.BoolVal(0) if key[1] else e.FreshBool()
            self._values[key] = Value(bits, poison, type_)
        return self._values[key]

    def _choices(self, node: TypeNode) -> list[Type]:
        """Return the types to try for a type."""
        self._check_kind(node)
        if node.constant is None:
            texts = {text: self.library.parse_type(text) for text in _OPEN_TYPES}
        else:
            texts = {str(node.constant): node.constant}
        found = []
        for text, type_ in texts.items():
            kind, width, is_shaped = self.library.element(type_)
            if kind != "integer" or is_shaped or width == 0:
                reason = f"the type '{text}' has no semantics"
                raise JudgedError("not-checked", reason)
            widths = _INDEX_WIDTHS if width is None else (width,)
            found += [Type(text, one) for one in widths]
        return found

    def _number(self, attribute: Any, type_: Type, source: Node) -> int:  # noqa: ANN401
        """Return the number that stands for an attribute."""
        try:
            number = self._numbers.number(attribute, type_)
        except TypeError as error:
            # A function that returns `None` makes no attribute.
            if source not in self.graph.nodes and attribute != "None":
                reason = f"a new '{attribute}' is no {type_}"
                raise JudgedError("wrong", reason) from error
            reason = f"the attribute '{attribute}' is no integer"
            raise JudgedError("not-checked", reason) from error
        if number is not None:
            return number
        if source not in self.graph.nodes:
            raise JudgedError("wrong", f"a new '{attribute}' is no {type_}")
        raise _NoMatchError


def _bind(letters: str, types: Iterable[Type | None]) -> list[Type]:
    """Return a type for each letter, of which some are known."""
    bound = {"1": Type("i1", 1)}
    for letter, type_ in zip(letters, types, strict=False):
        if type_ and bound.setdefault(letter, type_) != type_:
            raise _NoMatchError
    if not bound.keys() >= {*letters}:
        raise JudgedError("not-checked", "an operand or a result has no type")
    return [bound[letter] for letter in letters]
