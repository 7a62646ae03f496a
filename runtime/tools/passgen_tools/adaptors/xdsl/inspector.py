"""Inspection of xDSL's IR."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping

from xdsl.dialects.builtin import UnregisteredAttr
from xdsl.ir import Attribute, Data, Operation, ParametrizedAttribute

from passgen_runtime.ir.digests import Resources, digest_with
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.ir.xdsl.constant_printer import attribute_text
from passgen_runtime.ir.xdsl.resources import resources_of, stored_contents
from passgen_tools.adaptors.inspection import Inspector
from passgen_tools.adaptors.pattern_checks import PatternChecks

BUILTIN = "builtin"


class XDSLInspector(Inspector):
    """Looks at operations of xDSL's IR."""

    context: XDSLContext

    def pattern_checks(self) -> PatternChecks:
        """Return new checks around patterns; few runs need them."""
        from passgen_tools.adaptors.xdsl.pattern_checks import (  # noqa: PLC0415
            XDSLPatternChecks,
        )

        return XDSLPatternChecks(self.context)

    def snapshot(self, operation: Operation) -> list[object]:
        """Return the parts of all operations, which lists compare by identity first.

        Each operation stands with its block, in the order of the walk, so that one that
        was moved is elsewhere in the list. The contents of all resources stand first:
        a pass may replace one under its key.
        """
        parts: list[object] = [stored_contents(self.context.xdsl)]
        for inner in operation.walk():
            parts += (inner, inner.parent, inner.location, len(inner.properties))
            parts += (*inner.operands, *inner.successors)
            parts += (*inner.properties.items(), *inner.attributes.items())
            for result in inner.results:
                parts += (result.type, result.name_hint)
            for region in inner.regions:
                parts.append(region)
                for block in region.blocks:
                    parts += (block, block.name_hint)
                    for argument in block.args:
                        parts += (argument.type, argument.name_hint, argument.location)
        return parts

    def first_difference(self, one: Operation, other: Operation) -> Operation | None:
        """Compare attributes, types and the use of values; no texts."""
        # Where one has fewer operations, a block before them differs.
        pairs = zip(self._structure(one), self._structure(other), strict=False)
        for (operation, parts), (_, other_parts) in pairs:
            if parts != other_parts:
                return operation
        return None

    def _structure(self, root: Operation) -> Iterator[tuple[Operation, list[object]]]:
        """Yield each operation and its parts, with numbers for values and blocks."""
        operations = list(root.walk())
        numbers: dict[int, int] = {}
        for operation in operations:
            blocks = [block for region in operation.regions for block in region.blocks]
            for block in blocks:
                for defined in (block, *block.args):
                    numbers[id(defined)] = len(numbers)
            for result in operation.results:
                numbers[id(result)] = len(numbers)
        for operation in operations:
            used = (*operation.operands, *operation.successors)
            parts: list[object] = [
                self.context.name(operation),
                operation.properties,
                operation.attributes,
                [result.type for result in operation.results],
                # Values from outside stand for themselves.
                [numbers.get(id(each), each) for each in used],
            ]
            for region in operation.regions:
                parts.append(len(region.blocks))
                for block in region.blocks:
                    parts.append([argument.type for argument in block.args])
                    parts.append(len(block.ops))
            yield operation, parts

    def shallow_fingerprint(self, operation: Operation) -> bytes:
        """Return a digest of `operation` without the operations inside it."""
        arguments = [
            [str(argument.type) for argument in block.args]
            for region in operation.regions
            for block in region.blocks
        ]
        parts = (
            *self.frame(operation),
            _texts(operation.properties),
            _texts(operation.attributes),
            str(operation.location),
            arguments,
        )
        resources = self.resources(operation, recursive=False)
        return digest_with(repr(parts), resources)

    def resources(self, operation: Operation, *, recursive: bool = True) -> Resources:
        """Return the resources that `operation` refers to and that have a content."""
        return resources_of(self.context.xdsl, operation, recursive=recursive)

    def frame(self, operation: Operation) -> tuple[Hashable, ...]:
        """Return name, operands, results, successors and block."""
        return (
            self.context.name(operation),
            tuple(map(id, operation.operands)),
            tuple(str(result.type) for result in operation.results),
            tuple(map(id, operation.successors)),
            id(operation.parent),
        )

    def used_dialects(self, operation: Operation) -> set[str]:
        """Return the dialects of the operations, types and attributes inside."""
        dialects: set[str] = set()
        seen: set[Attribute] = set()
        for inner in operation.walk():
            dialects.add(_dialect_of(self.context.name(inner)))
            pending = list(_attributes_of(inner))
            while pending:
                attribute = pending.pop()
                if attribute not in seen:
                    seen.add(attribute)
                    dialects.add(_dialect_of(_name_of(attribute)))
                    pending.extend(_attributes_within(attribute))
        return dialects


def _texts(attributes: Mapping[str, Attribute]) -> list[tuple[str, str]]:
    return [(name, attribute_text(value)) for name, value in attributes.items()]


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
    return [element for element in data if isinstance(element, Attribute)]


def _name_of(attribute: Attribute) -> str:
    if isinstance(attribute, UnregisteredAttr):
        return attribute.attr_name.data
    return attribute.name


def _dialect_of(name: str) -> str:
    """Return the part of `name` before the dot; xDSL's builtin attributes have none."""
    dialect, dot, _ = name.partition(".")
    return dialect if dot else BUILTIN
