"""Patterns in PDL, compiled to closures that match and rewrite xDSL's IR.

What a match finds is in a list, the frame, with an element for each value of the
pattern. Constants are in it from the beginning.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from operator import attrgetter, methodcaller
from typing import Any, Final, TypeAlias, cast

from xdsl.context import Context as XDSLIRContext
from xdsl.dialects import pdl
from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Attribute, Operation, SSAValue, TypedAttribute
from xdsl.irdl import IRDLOperation
from xdsl.pattern_rewriter import PatternRewriter

from passgen_runtime.patterns import NativeFunctions, ParsedPattern, PDLOperation

_Getter: TypeAlias = Callable[[Any], Any]
"""Returns a part of what was found, `None` if there is no such part."""

_Call: TypeAlias = Callable[..., Any]
"""A constraint, or a change: that gets the rewriter too, and returns its results."""

_CLASSES: Final[Mapping[str, Any]] = {
    "!pdl.attribute": Attribute,
    "!pdl.operation": Operation,
    "!pdl.type": Attribute,
    "!pdl.value": SSAValue,
}


class CompiledPattern:
    """A pattern that serves any number of matches at the same time."""

    def __init__(
        self, parsed: ParsedPattern, xdsl: XDSLIRContext, functions: NativeFunctions
    ) -> None:
        """Compile `parsed`, whose operations `xdsl` knows."""
        self.name = parsed.name
        self.root_name = parsed.root.text
        values = {
            value: value_of(known)
            for known in parsed.operations
            for value in known.original.results
        }
        self._constants: list[Any] = list(values.values())
        slots = {value: slot for slot, value in enumerate(values)}
        root = parsed.root.original.results[0]
        self._root = slots[root]
        self._reads: list[tuple[int, _Getter, int]] = []
        found = [root]
        for whole in found:  # grows meanwhile
            for part, get in _parts(whole):
                self._reads.append((slots[part], get, slots[whole]))
                if part not in found:
                    found.append(part)
        self._conditions: list[tuple[_Call, list[int], list[int]]] = []
        self._changes: list[tuple[_Call, list[int], list[int]]] = []
        for known in parsed.operations:
            if call := _call(known, xdsl, functions):
                operands = [slots[value] for value in known.original.operands]
                results = [slots[value] for value in known.original.results]
                calls = self._changes if known.is_in_rewrite else self._conditions
                calls.append((call, operands, results))

    def match(self, operation: Operation) -> list[Any] | None:
        """Return the frame of the match at `operation`, `None` if there is none."""
        frame = self._constants.copy()
        frame[self._root] = operation
        for part, get, whole in self._reads:
            found, known = get(frame[whole]), frame[part]
            if known is None and found is not None:
                frame[part] = found
            elif found is None or (found is not known and found != known):
                return None
        for holds, operands, _ in self._conditions:
            if not holds(*[frame[slot] for slot in operands]):
                return None
        return frame

    def rewrite(self, frame: list[Any], rewriter: PatternRewriter) -> None:
        """Rewrite what `match` has found."""
        for change, operands, results in self._changes:
            made = change(rewriter, *[frame[slot] for slot in operands])
            for slot, result in zip(results, made or (), strict=True):
                frame[slot] = result


def value_of(known: PDLOperation) -> Attribute | None:
    """Return the value of a `pdl.attribute` or `pdl.type` that has one."""
    properties = known.original.properties
    return cast("Attribute", properties.get("value", properties.get("constantType")))


def name_of(operation: Operation) -> str:
    """Return the name of `operation`, also of an unregistered one."""
    if operation.name == UnregisteredOp.name:
        return cast("UnregisteredOp", operation).op_name.data
    return operation.name


def _parts(value: SSAValue) -> Iterator[tuple[SSAValue, _Getter]]:
    """Yield the direct parts of a value; an operation that fits is a part of itself."""
    match value.owner:
        case pdl.OperationOp(attributeValueNames=names) as operation:
            yield value, _fitting(operation)
            for use in value.uses:
                if isinstance(result := use.operation, pdl.ResultOp):
                    yield result.val, _item("results", result.index.value.data)
            for name, attribute in zip(names, operation.attribute_values, strict=True):
                yield attribute, methodcaller("get_attr_or_prop", name.data)
            for index, operand in enumerate(operation.operand_values):
                yield operand, _item("operands", index)
            for index, type_ in enumerate(operation.type_values):
                yield type_, _item("result_types", index)
        case pdl.ResultOp(parent_=owner):
            yield owner, attrgetter("owner")
        case pdl.OperandOp(value_type=SSAValue() as type_):
            yield type_, attrgetter("type")
        case pdl.AttributeOp(value_type=SSAValue() as type_):
            yield type_, lambda found: (
                found.get_type() if isinstance(found, TypedAttribute) else None
            )


def _fitting(pattern: pdl.OperationOp) -> _Getter:
    name = pattern.opName.data if pattern.opName else ""
    num_operands, num_results = len(pattern.operand_values), len(pattern.type_values)
    return lambda owner: (
        owner
        if isinstance(owner, Operation)  # a block owns arguments
        and (not name or name_of(owner) == name)
        and len(owner.operands) == num_operands
        and len(owner.results) == num_results
        else None
    )


def _item(name: str, index: int) -> _Getter:
    return lambda operation: getattr(operation, name)[index]


def _call(
    known: PDLOperation, xdsl: XDSLIRContext, functions: NativeFunctions
) -> _Call | None:
    match known.kind:
        case "pdl.apply_native_constraint":
            condition = functions.constraints[known.text]
            is_negated = bool(known.original.is_negated.value.data)
            return lambda *given: bool(condition(*given)) != is_negated
        case "pdl.apply_native_rewrite":
            name, function = known.text, functions.rewrites[known.text]
            return lambda *given: functions.results(name, function(*given), _CLASSES)
        case "pdl.operation" if known.is_in_rewrite:
            return _creation(known.original, xdsl.get_op(known.text))
        case "pdl.result" if known.is_in_rewrite:
            return lambda _, owner: [owner.results[int(known.text)]]
        case "pdl.replace":
            return lambda rewriter, old, *new: rewriter.replace(
                old, [], new[0].results if isinstance(new[0], Operation) else new
            )
    return PatternRewriter.erase if known.kind == "pdl.erase" else None


def _creation(pattern: pdl.OperationOp, class_: type[Operation]) -> _Call:
    end_operands = len(pattern.operand_values)
    end_attributes = end_operands + len(pattern.attribute_values)
    names = [name.data for name in pattern.attributeValueNames]
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
