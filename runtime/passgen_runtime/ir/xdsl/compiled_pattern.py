"""Patterns compiled to closures that match and rewrite xDSL's IR.

What a match finds is in a list, the frame, with an element for each node of the
pattern. Constants are in it from the beginning.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from operator import attrgetter, methodcaller
from typing import Any, Final, NamedTuple, TypeAlias, cast

from xdsl.context import Context as XDSLIRContext
from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Attribute, Operation, SSAValue, TypedAttribute
from xdsl.irdl import IRDLOperation
from xdsl.pattern_rewriter import PatternRewriter

from passgen_runtime.patterns import (
    AttributeNode,
    Call,
    Create,
    Erase,
    NativeFunctions,
    Node,
    OperandNode,
    OperationNode,
    PatternGraph,
    Replace,
    ResultNode,
    Step,
    TypeNode,
    note_patterns,
)

Getter: TypeAlias = Callable[[Any], Any]
"""Returns a part of what was found, `None` if there is no such part."""

_MatchStep: TypeAlias = Callable[[list[Any]], bool]
"""Reads a part into a frame, or compares it; returns whether the match goes on."""

_Condition: TypeAlias = tuple[Callable[..., bool], list[int], bool]
"""A test, the slots of what it gets, and what it has to return."""

_Change: TypeAlias = tuple[Callable[..., Any], list[int], list[int]]
"""A change, the slots of what it gets besides the rewriter, and of its results."""


class CompiledPattern:
    """A pattern that serves any number of matches at the same time."""

    def __init__(
        self, graph: PatternGraph, xdsl: XDSLIRContext, functions: NativeFunctions
    ) -> None:
        """Compile `graph`, whose operations `xdsl` knows."""
        self.name = graph.name
        self._pattern = graph.pattern
        self.root_name = graph.root.operation
        self._slots: dict[Node, int] = {}
        self._constants: list[Any] = []
        self._root = self._slot(graph.root)
        results = [node for node in graph.nodes if isinstance(node, ResultNode)]
        bound: set[Node] = {graph.root}
        self._steps: list[_MatchStep] = []
        for read in reads(graph.root, results):
            is_known = read.part in bound or constant_of(read.part) is not None
            bound.add(read.part)
            self._steps.append(self._match_step(read, is_known=is_known))
        self._conditions: list[_Condition] = [
            (
                functions.test(condition.test),
                [self._slot(node) for node in condition.arguments],
                not condition.is_negated,
            )
            for condition in graph.conditions
        ]
        self._changes: list[_Change] = []
        for step in graph.steps:
            self._compile(step, xdsl, functions)

    def match(self, operation: Operation) -> list[Any] | None:
        """Return the frame of the match at `operation`, `None` if there is none."""
        frame = self._constants.copy()
        frame[self._root] = operation
        for holds in self._steps:
            if not holds(frame):
                return None
        try:
            for test, given, expected in self._conditions:
                if bool(test(*[frame[slot] for slot in given])) is not expected:
                    return None
        except Exception as error:
            note_patterns(error, [self._pattern])
            raise
        return frame

    def _match_step(self, read: Read, *, is_known: bool) -> _MatchStep:
        """Return a function that reads a part into a frame, or compares it."""
        part, get = self._slot(read.part), read.get
        whole = self._slot(read.whole)
        if read.part is read.whole:
            return _fits(cast("OperationNode", read.whole), whole)
        if read.operand is not None:
            index = read.operand
            if is_known:
                return lambda frame: frame[whole].operands[index] is frame[part]

            def bind_operand(frame: list[Any]) -> bool:
                frame[part] = frame[whole].operands[index]
                return True

            return bind_operand
        if is_known:
            return lambda frame: bool(get(frame[whole]) == frame[part])

        def bind(frame: list[Any]) -> bool:
            frame[part] = found = get(frame[whole])
            return found is not None

        return bind

    def rewrite(self, frame: list[Any], rewriter: PatternRewriter) -> None:
        """Rewrite what `match` has found."""
        try:
            for change, given, results in self._changes:
                made = change(rewriter, *[frame[slot] for slot in given])
                for slot, result in zip(results, made or (), strict=True):
                    frame[slot] = result
        except Exception as error:
            note_patterns(error, [self._pattern])
            raise

    def _slot(self, node: Node) -> int:
        """Return the place of a node in frames."""
        if node not in self._slots:
            self._slots[node] = len(self._constants)
            self._constants.append(constant_of(node))
        return self._slots[node]

    def _compile(
        self, step: Step, xdsl: XDSLIRContext, functions: NativeFunctions
    ) -> None:
        """Add the changes of a step."""
        for node in step.arguments:
            if isinstance(node, ResultNode) and node not in self._slots:
                owner, slot = self._slot(node.operation), self._slot(node)
                get = _item("results", cast("int", node.index))
                self._changes.append((_selection(get), [owner], [slot]))
        given = [self._slot(node) for node in step.arguments]
        match step:
            case Create():
                change = _creation(
                    step.operation, xdsl.get_op(step.operation.operation)
                )
                self._changes.append((change, given, [self._slot(step.operation)]))
            case Call():
                kinds = [node.kind for node in step.results]
                change = functions.rewrite(step.function, kinds)
                made = [self._slot(node) for node in step.results]
                self._changes.append((change, given, made))
            case Replace():
                replace = (
                    _replace_by_operation
                    if step.is_by_operation
                    else _replace_by_values
                )
                self._changes.append((replace, given, []))
            case Erase():
                self._changes.append((PatternRewriter.erase, given, []))


class Read(NamedTuple):
    """A step of a match: from a whole to a part of it."""

    whole: Node
    part: Node
    """The whole itself, if the step looks whether an operation fits."""

    get: Getter
    operand: int | None = None
    """The number of the part among the operands of the whole, if it is one."""


def reads(root: OperationNode, results: Collection[ResultNode]) -> list[Read]:
    """Return the steps to all parts of what a match at `root` finds.

    Operations are the first, then other operands, attributes and types: most operations
    that do not match have operands that other operations define.

    Args:
        root: the operation that a match starts from.
        results: those of which the match speaks.
    """
    found: list[Node] = [root]
    steps: list[Read] = []
    for whole in found:  # grows meanwhile
        for read in _reads_of(whole, results):
            steps.append(read)
            if read.part not in found:
                found.append(read.part)
    return sorted(steps, key=lambda read: _ORDER.get(type(read.part), 0))


_ORDER: Final = {OperandNode: 1, AttributeNode: 2, TypeNode: 3}


def constant_of(node: Node) -> Attribute | None:
    """Return the type or attribute that a node is always, if it is one."""
    if isinstance(node, AttributeNode | TypeNode):
        return cast("Attribute", node.constant)
    return None


def name_of(operation: Operation) -> str:
    """Return the name of `operation`, also of an unregistered one."""
    if operation.name == UnregisteredOp.name:
        return cast("UnregisteredOp", operation).op_name.data
    return operation.name


def _reads_of(node: Node, results: Collection[ResultNode]) -> Iterator[Read]:
    """Yield the steps to the direct parts of a node."""
    match node:
        case OperationNode():
            yield Read(node, node, _fitting(node))
            for index, operand in enumerate(node.operands):
                yield Read(node, operand, _item("operands", index), index)
            for result in results:
                if result.operation is node and result.index is not None:
                    yield Read(node, result, _item("results", result.index))
            for name, attribute in node.attributes:
                yield Read(node, attribute, methodcaller("get_attr_or_prop", name))
            for index, type_ in enumerate(node.types):
                yield Read(node, type_, _type_of_result(index))
        case ResultNode():
            yield Read(node, node.operation, attrgetter("owner"))
        case OperandNode(type=TypeNode() as type_):
            yield Read(node, type_, attrgetter("type"))
        case AttributeNode(type=TypeNode() as type_):
            yield Read(node, type_, type_of)


def type_of(attribute: Attribute) -> Attribute | None:
    """Return the type of a typed attribute, `None` of any other."""
    return attribute.get_type() if isinstance(attribute, TypedAttribute) else None


def _fitting(node: OperationNode) -> Getter:
    """Return a function that returns an operation if it fits, else `None`."""
    fits = _fits(node, 0)
    return lambda owner: owner if fits([owner]) else None


def _fits(node: OperationNode, slot: int) -> _MatchStep:
    """Return whether the operation in a frame has the right name and sizes."""
    name = node.operation
    num_operands, num_results = len(node.operands), len(node.types)

    def fits(frame: list[Any]) -> bool:
        found = frame[slot]
        return (
            isinstance(found, Operation)  # a block owns arguments
            and (found.name == name or not name or name_of(found) == name)
            and len(found.results) == num_results
            and len(found.operands) == num_operands
        )

    return fits


def _type_of_result(index: int) -> Getter:
    return lambda operation: operation.results[index].type


def _item(name: str, index: int) -> Getter:
    return lambda operation: getattr(operation, name)[index]


def _selection(get: Getter) -> Callable[..., list[Any]]:
    return lambda _rewriter, whole: [get(whole)]


def _replace_by_operation(
    rewriter: PatternRewriter, old: Operation, new: Operation
) -> None:
    rewriter.replace(old, [], new.results)


def _replace_by_values(
    rewriter: PatternRewriter, old: Operation, *new: SSAValue
) -> None:
    rewriter.replace(old, [], new)


def _creation(node: OperationNode, class_: type[Operation]) -> Callable[..., Any]:
    end_operands = len(node.operands)
    end_attributes = end_operands + len(node.attributes)
    names = [name for name, _ in node.attributes]
    places = {name: place for place, name in enumerate(names, start=end_operands)}
    known: Collection[str] = ()
    if issubclass(class_, IRDLOperation):
        known = class_.get_irdl_definition().properties
    return lambda rewriter, *values: [
        rewriter.insert(
            class_.create(
                operands=values[:end_operands],
                result_types=values[end_attributes:],
                properties={n: values[places[n]] for n in places if n in known},
                attributes={n: values[places[n]] for n in places if n not in known},
            )
        )
    ]
