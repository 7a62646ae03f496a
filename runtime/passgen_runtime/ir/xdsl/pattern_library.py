"""The interface of patterns to xDSL's IR."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, Final, cast

from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    Signedness,
    StringAttr,
    TensorType,
    UnrankedTensorType,
    VectorType,
)
from xdsl.dialects.utils import BitEnumAttribute
from xdsl.ir import Attribute, Operation, SSAValue

from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.ir.xdsl.compiled_pattern import reads, type_of
from passgen_runtime.ir.xdsl.example_parser import ExampleParser
from passgen_runtime.ir.xdsl.parser import LocatingParser, parse_with
from passgen_runtime.ir.xdsl.patterns import XDSLPatternApplier
from passgen_runtime.patterns import (
    Create,
    Element,
    FilledText,
    MadeNode,
    NativeFunctions,
    Node,
    OperationNode,
    ParsedExample,
    PatternDriver,
    PatternGraph,
    PatternLibrary,
    Replace,
    ResultNode,
    integer_fits,
    pattern_error,
)

_INDEX_WIDTH: Final = 64
"""The width in which numbers of the type `index` are kept."""


class XDSLPatternLibrary(PatternLibrary):
    """The interface of patterns to xDSL's IR."""

    why_no_misses = ""
    classes = {  # noqa: RUF012 - constant
        "attribute": Attribute,
        "operation": Operation,
        "type": Attribute,
        "value": SSAValue,
    }

    def __init__(self, context: XDSLContext) -> None:
        """Serve `context`."""
        super().__init__(context)
        self._xdsl = context.xdsl

    def parse_example(
        self, example: FilledText, known: Mapping[str, Attribute]
    ) -> ParsedExample:
        """Parse an example; see `PatternLibrary`."""
        name = example.file

        def read(parser: ExampleParser) -> ParsedExample:
            operations = parser.parse_top_level()
            module = ModuleOp([*parser.definitions, *operations])
            return ParsedExample(module, operations, parser.names())

        parsed = parse_with(
            lambda: ExampleParser(self._xdsl, example.text, name, example.free, known),
            name,
            read,
        )
        self.context.verify(parsed.module)
        return parsed

    def parse_pdl(self, text: str, name: str) -> Operation:
        """Return the module in a text in PDL; see `PatternLibrary`."""
        # PDL is no dialect of the IR: it is loaded even while a pipeline runs.
        return XDSLContext(self._xdsl.clone()).parse(text, name)

    def parse_type(self, text: str) -> Attribute:
        """Return the type that a text stands for; see `PatternLibrary`."""
        return parse_with(
            lambda: LocatingParser(self._xdsl, text, "-", None),
            "-",
            LocatingParser.parse_only_type,
        )

    def applier(
        self,
        graphs: Sequence[PatternGraph],
        functions: NativeFunctions,
        driver: PatternDriver,
    ) -> XDSLPatternApplier:
        """Return an applier of patterns; see `PatternLibrary`."""
        return XDSLPatternApplier(self._xdsl, graphs, functions, driver)

    def check(self, graph: PatternGraph) -> None:
        """Check that a pattern can be compiled; see `PatternLibrary`."""
        if graph.benefit < 0:  # as MLIR reads 16 bits
            problem = f"the benefit is {graph.benefit}, and must not be negative"
            raise pattern_error(graph.pattern, graph.root.place, problem)
        found = _reachable_nodes(graph)
        for node in graph.nodes:
            if problem := _problem(node, found):
                raise pattern_error(graph.pattern, node.place, problem)
        used: set[Node] = {
            node.operation
            for step in graph.steps
            for node in step.arguments
            if isinstance(node, ResultNode)
        }
        for step in graph.steps:
            if isinstance(step, Replace) and step.is_by_operation:
                used.update(node for node in step.by if _types(step.operation))
        for step in graph.steps:
            for node in (*_new_operations(step), *step.arguments):
                if problem := _problem_in_rewrite(node, found, used):
                    raise pattern_error(graph.pattern, node.place, problem)
            if isinstance(step, Replace) and not step.by:
                problem = "xDSL cannot replace an operation by nothing: erase it"
                raise pattern_error(graph.pattern, step.place, problem)

    def attributes(self, operation: Operation) -> dict[str, Attribute]:
        """Return attributes and properties; see `PatternLibrary`."""
        return {**operation.properties, **operation.attributes}

    def default(self, operation: Operation, name: str) -> Attribute | None:
        """Return an attribute that xDSL adds; see `PatternLibrary`."""
        made = type(operation).create(
            operands=operation.operands,
            result_types=operation.result_types,
            properties={k: v for k, v in operation.properties.items() if k != name},
            attributes={k: v for k, v in operation.attributes.items() if k != name},
        )
        found = made.get_attr_or_prop(name)
        made.erase()
        return found

    def key(self, part: Operation | SSAValue) -> object:
        """Return the object itself; see `PatternLibrary`."""
        return part

    def count_uses(self, value: SSAValue, limit: int) -> int:
        """Return how often operations use `value`; see `PatternLibrary`."""
        return len([*islice(value.uses, limit)])

    def plain(self, attribute: Attribute) -> Any:  # noqa: ANN401 - as the field is
        """Return an attribute as an object of Python; see `PatternLibrary`."""
        match attribute:
            case StringAttr():
                return attribute.data
            case IntegerAttr():
                return attribute.value.data
            case ArrayAttr():
                return attribute.data
            case DenseArrayBase():
                return attribute.get_values()
        return attribute  # a type

    def type_of(self, attribute: Attribute) -> Attribute | None:
        """Return the type of a typed attribute; see `PatternLibrary`."""
        return type_of(attribute)

    def number(self, attribute: Attribute) -> float | None:
        """Return the number that an attribute is; see `PatternLibrary`."""
        match attribute:
            case IntegerAttr() | FloatAttr():
                return attribute.value.data
            case DenseIntOrFPElementsAttr():
                first, *others = attribute.get_values() or (None,)
                is_splat = all(other == first for other in others)
                return first if is_splat and isinstance(first, int | float) else None
        return None

    def constant(self, number: float, type_: Attribute) -> Attribute | None:
        """Return a number as an attribute; see `PatternLibrary`."""
        if isinstance(type_, VectorType | TensorType):
            if not type_.has_static_shape() or not self._fits(number, type_):
                return None
            try:
                found = DenseIntOrFPElementsAttr.from_list(type_, [number])
            except NotImplementedError:  # of f80, for one
                return None
            return cast("Attribute", found)
        if not self._fits(number, type_):
            return None
        if isinstance(type_, IntegerType | IndexType):
            return IntegerAttr(int(number), type_)
        return FloatAttr(number, type_) if isinstance(type_, AnyFloat) else None

    def _fits(self, number: float, type_: Attribute) -> bool:
        """Return whether a number can be one in values of a type."""
        kind, width, _ = self.element(type_)
        if isinstance(number, int):
            return kind == "integer" and integer_fits(number, width or _INDEX_WIDTH)
        return kind == "float"

    def flags(self, attribute: Attribute) -> frozenset[str] | None:
        """Return the names of the flags in an attribute; see `PatternLibrary`."""
        if not isinstance(attribute, BitEnumAttribute):
            return None
        return frozenset(flag.value for flag in attribute.data)

    def with_flags(self, attribute: Attribute, flags: frozenset[str]) -> Attribute:
        """Return an attribute with some of its flags; see `PatternLibrary`."""
        assert isinstance(attribute, BitEnumAttribute)
        kept = [flag for flag in attribute.data if flag.value in flags]
        return type(attribute)(kept)

    def element(self, type_: Attribute) -> Element:
        """Return the type of the numbers in a type; see `PatternLibrary`."""
        is_shaped = isinstance(type_, VectorType | TensorType | UnrankedTensorType)
        scalar: Any = getattr(type_, "element_type", None) if is_shaped else type_
        match scalar:
            case IntegerType() if scalar.signedness.data == Signedness.SIGNLESS:
                return Element("integer", scalar.width.data, is_shaped)
            case IndexType():
                return Element("integer", None, is_shaped)
            case _ if isinstance(scalar, AnyFloat):
                return Element("float", scalar.bitwidth, is_shaped)
        return Element("", None, is_shaped)

    def is_composite(self, attribute: Attribute) -> bool:
        """Return whether it consists of others; see `PatternLibrary`."""
        composite = ArrayAttr, DictionaryAttr, DenseArrayBase, DenseIntOrFPElementsAttr
        return isinstance(attribute, composite)


def _types(node: OperationNode | MadeNode) -> Sequence[Node]:
    return node.types if isinstance(node, OperationNode) else ()


def _new_operations(step: object) -> Sequence[Node]:
    return (step.operation,) if isinstance(step, Create) else ()


def _reachable_nodes(graph: PatternGraph) -> set[Node]:
    """Return constants, and the nodes that a match finds from the root."""
    results = [node for node in graph.nodes if isinstance(node, ResultNode)]
    parts = (read.part for read in reads(graph.root, results))
    constants = (
        node for node in graph.nodes if getattr(node, "constant", None) is not None
    )
    return {graph.root, *parts, *constants}


def _problem(node: Node, found: set[Node]) -> str:
    """Return why a node cannot be matched; empty if it can."""
    if problem := _problem_of_kind(node):
        return problem
    owner = node.operation if isinstance(node, ResultNode) else node
    if owner not in found:
        return "xDSL only finds operations that the root uses, and their parts"
    return ""


def _problem_in_rewrite(node: Node, found: set[Node], used: set[Node]) -> str:
    """Return why a rewrite cannot have a node; empty if it can."""
    if problem := _problem_of_kind(node):
        return problem
    if isinstance(node, OperationNode) and node.is_new:
        if node in used and not node.types:
            return "xDSL needs the types of the results"
        return ""
    is_known = isinstance(node, MadeNode) or getattr(node, "constant", None) is not None
    if node.kind in {"attribute", "type"} and not is_known and node not in found:
        return "xDSL does not infer types: write a constant"
    return ""


def _problem_of_kind(node: Node) -> str:
    if node.kind.startswith("range") or getattr(node, "is_range", False):
        return f"'pdl.{node.label}' is not supported here on xDSL's IR"
    return ""
