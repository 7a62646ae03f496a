"""Transport of MLIR's IR: MLIR's bytecode, after a header with a checksum."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import starmap
from typing import Any

from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.errors import IRError
from passgen_runtime.ir.mlir.bindings import MLIRObject
from passgen_runtime.ir.mlir.context import MLIRContext
from passgen_runtime.ir.mlir.diagnostics import rename_file
from passgen_tools.adaptors.encoded_ir import PLACE, ir_error, pack_parts, unpack_parts
from passgen_tools.adaptors.mlir.encoding import (
    content,
    encode,
    has_resources,
    read_operation,
)
from passgen_tools.adaptors.mlir.isolated import (
    IN_MODULE,
    MLIRSymbolDeclarations,
    in_module,
)
from passgen_tools.adaptors.mlir.symbol_uses import attributes_of
from passgen_tools.adaptors.transport import Transport


class MLIRTransport(Transport):
    """Carries operations of MLIR's IR."""

    context: MLIRContext
    _placeholder: MLIRObject = None
    """The module around the operation that was decoded last, if there is one."""

    @classmethod
    def make_context(cls, spec: Mapping[str, Any]) -> MLIRContext:
        """Return a new context over the same package.

        Raises:
            BindingsError: there are no bindings in the package.
            DialectError: a dialect is not there.
        """
        package, is_lenient = spec["package"], spec["allow_unregistered"]
        context = MLIRContext(package, allow_unregistered=is_lenient)
        context.disable_multithreading()
        registered = set(context.registered_dialects())
        for name in spec["dialects"]:
            if name not in registered:
                raise context.unregistered_dialect(name)
        return context

    def context_spec(self) -> dict[str, Any]:
        """Return the package of the bindings, and the dialects that are there."""
        context = self.context
        return {
            "packages": [context.bindings.package.partition(".")[0]],
            "package": context.bindings.package,
            "allow_unregistered": context.allow_unregistered,
            "dialects": sorted(context.registered_dialects()),
        }

    def encode(self, operation: MLIRObject) -> bytes:
        """Return `operation` as MLIR's bytecode, after a header with a checksum."""
        with self.context.without_threads:
            return encode(self.context, operation)

    def decode(self, data: bytes) -> MLIRObject:
        """Return a new operation from bytes of `encode`, without a parent."""
        read = partial(read_operation, self.context, content(data))
        return self.context.parse_with(read, partial(rename_file, name=PLACE))

    def declarations_in(self, operation: MLIRObject) -> MLIRSymbolDeclarations:
        """Return a function that declares the symbols that a child refers to."""
        return MLIRSymbolDeclarations(self.context, operation)

    def encode_isolated(
        self, operations: Iterable[tuple[MLIRObject, Sequence[MLIRObject]]]
    ) -> bytes:
        """Return each of `operations`, in a module with its declarations if need be."""
        return pack_parts([*map(pack_parts, starmap(self._encode_parts, operations))])

    def _encode_parts(
        self, operation: MLIRObject, declarations: Sequence[MLIRObject]
    ) -> list[bytes]:
        around = self._placeholder
        if declarations:
            around = in_module(self.context.bindings, operation, declarations)
        elif around is not None and self.context.parent(operation) != around:
            around = None
        parts = [self.encode(operation if around is None else around)]
        if has_resources(parts[0]):
            message = "its resources would have other names in another context"
            place = self.context.location(operation)
            raise IRError(Diagnostic("error", message, place))
        if around is not None:
            parts.append(IN_MODULE)
        return parts

    def decode_isolated(self, data: bytes) -> Iterator[MLIRObject]:
        """Yield the operations in `data`, each with its declarations around it."""
        for parts in unpack_parts(data):
            encoded, *marks = unpack_parts(parts) or [b""]
            decoded = self.decode(encoded)
            if not marks:
                self._placeholder = None
                yield decoded
                continue
            self._placeholder = decoded
            operations = self.context.children(decoded)
            if not operations:
                raise ir_error("damaged: expected an operation in the encoded module")
            yield operations[0]
        self._placeholder = None

    def take_contents(self, operation: MLIRObject, other: MLIRObject) -> MLIRObject:
        """Move attributes, location and blocks of `other` into `operation`.

        `other` gets the old blocks, and Python destroys them with it. Where the
        bindings cannot set a location, `other` itself is put in the place.
        """
        try:
            operation.location = other.location
        except AttributeError:
            other.move_before(operation)
            operation.erase()
            return other
        before = [list(region.blocks) for region in operation.regions]
        after = [list(region.blocks) for region in other.regions]
        for owner, moved in ((other, before), (operation, after)):
            for region, blocks in zip(owner.regions, moved, strict=True):
                for block in blocks:
                    block.append_to(region)
        wanted = attributes_of(other)
        present = attributes_of(operation)
        for name in present.keys() - wanted.keys():
            del operation.attributes[name]
        for name, value in wanted.items():
            if name not in present or present[name] != value:
                operation.attributes[name] = value
        return operation
