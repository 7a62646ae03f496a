"""Transport of xDSL's IR: tables of attributes, locations and kinds of operations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from passgen_runtime.ir.xdsl import XDSLContext
from passgen_tools.adaptors.encoded_ir import (
    ir_error,
    pack_parts,
    packed_numbers,
    unpack_parts,
    unpacked_numbers,
)
from passgen_tools.adaptors.transport import Transport
from passgen_tools.adaptors.xdsl.decoding import decode
from passgen_tools.adaptors.xdsl.encoding import encode
from passgen_tools.adaptors.xdsl.isolated import (
    XDSLSymbolDeclarations,
    context_spec_of,
    load_as_in,
)


class XDSLTransport(Transport):
    """Carries operations of xDSL's IR."""

    context: XDSLContext

    @classmethod
    def make_context(cls, spec: Mapping[str, Any]) -> XDSLContext:
        """Return a new context with the same dialects loaded."""
        context = XDSLContext()
        load_as_in(spec, context.xdsl)
        return context

    def context_spec(self) -> dict[str, Any]:
        """Return the dialects that are loaded, and how to find them.

        Raises:
            SchedulingError: a dialect cannot be found by name.
        """
        return context_spec_of(self.context.xdsl)

    def encode(self, operation: Operation) -> bytes:
        """Return `operation` as bytes, with locations and name hints."""
        return encode(self.context, [operation])

    def decode(self, data: bytes) -> Operation:
        """Return a new operation from bytes of `encode`, without a parent."""
        operations = self._decode_all(data)
        if len(operations) != 1:
            raise ir_error(f"expected one encoded operation, found {len(operations)}")
        return operations[0]

    def _decode_all(self, data: bytes) -> list[Operation]:
        # What a worker sends back may be of dialects that only its passes import.
        self.context.loads_dialects_always = True
        try:
            return decode(self.context.xdsl, data)
        finally:
            self.context.loads_dialects_always = False

    def declarations_in(self, operation: Operation) -> XDSLSymbolDeclarations:
        """Return a function that declares the symbols that a child refers to."""
        return XDSLSymbolDeclarations(operation)

    def encode_isolated(
        self, operations: Iterable[tuple[Operation, Sequence[Operation]]]
    ) -> bytes:
        """Return operations that do not see each other, in one encoding."""
        sizes = []

        def roots() -> Iterator[Operation]:
            for operation, declarations in operations:
                sizes.append(1 + len(declarations))
                yield operation
                yield from declarations

        encoded = encode(self.context, roots())  # which counts the sizes
        return pack_parts([packed_numbers(sizes), encoded])

    def decode_isolated(self, data: bytes) -> Iterator[Operation]:
        """Yield the operations in `data`, each with its declarations around it."""
        packed_sizes, encoded = unpack_parts(data, 2)
        sizes = unpacked_numbers(packed_sizes)
        decoded = self._decode_all(encoded)
        if 0 in sizes or sum(sizes) != len(decoded):
            raise ir_error(f"expected {sum(sizes)} operations, found {len(decoded)}")
        operations = iter(decoded)
        for size in sizes:
            operation, *declarations = islice(operations, size)
            self.context.declarations = ModuleOp(declarations) if declarations else None
            yield operation
        self.context.declarations = None

    def take_contents(self, operation: Operation, other: Operation) -> Operation:
        """Move attributes, location and regions of `other` into `operation`."""
        operation.properties = other.properties
        operation.attributes = other.attributes
        operation.location = other.location
        for region in (*operation.regions,):
            operation.detach_region(region)
            region.drop_all_references()
        for region in (*other.regions,):
            operation.add_region(other.detach_region(region))
        return operation
