"""Which dialects a piece of xDSL's IR is made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from xdsl.dialects.builtin import UnregisteredAttr, UnregisteredOp
from xdsl.ir import Attribute, Data, Operation, ParametrizedAttribute

BUILTIN = "builtin"


def dialects_in(root: Operation) -> set[str]:
    """Return the dialects of operations, types and attributes in `root`."""
    dialects: set[str] = set()
    seen: set[Attribute] = set()
    for operation in root.walk():
        if isinstance(operation, UnregisteredOp):
            dialects.add(_dialect_of(operation.op_name.data))
        else:
            dialects.add(_dialect_of(operation.name))
        pending = list(_attributes_of(operation))
        while pending:
            attribute = pending.pop()
            if attribute not in seen:
                seen.add(attribute)
                dialects.add(_dialect_of(_name_of(attribute)))
                pending.extend(_attributes_within(attribute))
    return dialects


def _attributes_of(operation: Operation) -> Iterator[Attribute]:
    yield from operation.properties.values()
    yield from operation.attributes.values()
    yield from (result.type for result in operation.results)
    for region in operation.regions:
        for block in region.blocks:
            yield from (argument.type for argument in block.args)


def _attributes_within(attribute: Attribute) -> Iterable[Attribute]:
    if isinstance(attribute, ParametrizedAttribute):
        return attribute.parameters
    data: object = attribute.data if isinstance(attribute, Data) else None
    if isinstance(data, Mapping):
        data = data.values()
    if not isinstance(data, Iterable) or isinstance(data, str | bytes):
        return ()
    return [each for each in data if isinstance(each, Attribute)]


def _name_of(attribute: Attribute) -> str:
    if isinstance(attribute, UnregisteredAttr):
        return attribute.attr_name.data
    return attribute.name


def _dialect_of(name: str) -> str:
    """Return the part of `name` before the dot; xDSL's builtin attributes have none."""
    dialect, dot, _ = name.partition(".")
    return dialect if dot else BUILTIN
