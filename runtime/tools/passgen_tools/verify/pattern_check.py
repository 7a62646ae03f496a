"""The check of a pattern: the search for a counterexample."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial, reduce
from importlib import import_module
from itertools import islice, product
from operator import or_
from time import monotonic
from typing import Any, Final, NoReturn, TypeAlias

from passgen_runtime.errors import text_of
from passgen_runtime.patterns import (
    AttributeNode,
    Call,
    Condition,
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
    TypeNode,
)
from passgen_tools.verify import attributes
from passgen_tools.verify.attributes import AttributeNumbers
from passgen_tools.verify.counterexample import counterexample
from passgen_tools.verify.exhaustion import TooManyBitsError, exhaustion
from passgen_tools.verify.graph_evaluation import (
    GraphEvaluation,
    NoMatchError,
    check_kind,
)
from passgen_tools.verify.judgements import (
    FAILURES,
    JudgedError,
    Judgement,
    Verdict,
)
from passgen_tools.verify.semantics import (
    Bits,
    Truth,
    Type,
)

_OPEN_TYPES: Final = ("i1", "i2", "i3", "i4", "i8", "i16", "i32", "i64", "index")
_INDEX_WIDTHS: Final = 32, 64
EXHAUSTED_WIDTH: Final = 4
"""The width of types up to which all values are tried."""

NUM_FREE_BITS: Final = 14, 24
"""How many bits may be free then: few in short tables first."""

_MATCHES_AT_ONCE: Final = 64
_DELAY_OF_Z3_S: Final = 1
"""About how long z3 goes on after its own time limit, on products of 64 bits."""

TIME_IS_OVER: Final = "the time limit is met"

_Match: TypeAlias = tuple[Truth, list[tuple[Bits, Bits]]]
"""Whether it is wrong, and its attributes with their numbers."""


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
            raise JudgedError("unknown", TIME_IS_OVER)

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
        verdict, self._engine = None, engine
        self._evaluation = GraphEvaluation(
            engine, self.graph, self.types, self.semantics, self._check_time
        )
        with suppress(NoMatchError):
            matches = self._matches(self._evaluation.is_wrong())
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
            raise JudgedError("unknown", TIME_IS_OVER)
        return solver.model() if answer == self._engine.sat else None

    def _text(self, find: Callable[[Any], Any]) -> str:
        found, is_true = self._evaluation, self._engine.is_true
        operations = found.evaluated.values()
        text = counterexample(operations, found.values, found.replaced, find, is_true)
        return f"{text}\n// {found.problem}" if found.problem else text

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
            for (source, name), value in self._evaluation.values.items()
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
                    for (key, _), (bits, _, type_) in self._evaluation.values.items()
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
        """Return the results of a rewrite, of whatever class; `None` becomes a text."""
        if not isinstance(call.function, Native):
            return [call.function.apply(self.library, *given)]
        result = self.functions.rewrites[call.function.name](_NoRewriter(), *given)
        listed = result if isinstance(result, tuple) else (result,)
        return ["None" if one is None else one for one in listed]

    def _choices(self, node: TypeNode) -> list[Type]:
        """Return the types to try for a type."""
        check_kind(node)
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
        raise NoMatchError
