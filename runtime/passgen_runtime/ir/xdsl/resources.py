"""The resources that operations of xDSL's IR refer to."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO

from xdsl.context import Context as XDSLIRContext
from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.ir import Operation, Region

from passgen_runtime.ir.digests import Resources
from passgen_runtime.ir.xdsl.constant_printer import ConstantPrinter


def stored_contents(xdsl: XDSLIRContext) -> dict[str, dict[str, str]]:
    """Return the contents of all resources by dialect and key, if there are any."""
    return {
        name: dict(contents)
        for name, interface in _interfaces(xdsl)
        if (contents := interface._blob_storage)  # noqa: SLF001 - xDSL lists no keys
    }


def referenced_resources(xdsl: XDSLIRContext, printer: HandlePrinter) -> Resources:
    """Return the contents of the resources whose handles `printer` has printed."""
    if not printer.handles:
        return {}
    from passgen_runtime.instrumentations.file_metadata import (  # noqa: PLC0415
        unquote,  # few texts have resources
    )

    interfaces = dict(_interfaces(xdsl))
    return {
        (dialect, unquote(key) if key.startswith('"') else key): f'"{content}"'
        for dialect, keys in sorted(printer.handles.items())
        if dialect in interfaces
        for key, content in interfaces[dialect].build_resources(sorted(keys)).items()
    }


def resources_of(
    xdsl: XDSLIRContext, operation: Operation, *, recursive: bool
) -> Resources:
    """Return the resources that `operation` refers to, by dialect and key."""
    if not stored_contents(xdsl):  # printing takes long
        return {}
    printer = HandlePrinter(has_regions=recursive)
    printer.print_op(operation)
    return referenced_resources(xdsl, printer)


def _interfaces(xdsl: XDSLIRContext) -> Iterator[tuple[str, OpAsmDialectInterface]]:
    for dialect in xdsl.loaded_dialects:
        interface = dialect.get_interface(OpAsmDialectInterface)
        if interface is not None:
            yield dialect.name, interface


class HandlePrinter(ConstantPrinter):
    """A printer of the generic form that keeps the keys of resources by dialect."""

    def __init__(
        self, *, has_locations: bool = False, has_regions: bool = True
    ) -> None:
        """Print into `text`, with locations and regions if so."""
        self._output = StringIO()
        super().__init__(
            self._output, print_generic_format=True, print_debuginfo=has_locations
        )
        self._has_regions = has_regions
        self.handles: dict[str, set[str]] = {}

    @property
    def text(self) -> str:
        """The printed text."""
        return self._output.getvalue()

    def print_resource_handle(self, dialect: str, handle: str) -> None:
        """Print a handle, and keep it."""
        self.handles.setdefault(dialect, set()).add(handle)
        super().print_resource_handle(dialect, handle)

    def print_region(
        self,
        region: Region,
        print_entry_block_args: bool = True,  # noqa: FBT001, FBT002 - xDSL's
        print_empty_block: bool = True,  # noqa: FBT001, FBT002
        print_block_terminators: bool = True,  # noqa: FBT001, FBT002
    ) -> None:
        """Print a region, unless there are to be none."""
        if self._has_regions:
            super().print_region(
                region,
                print_entry_block_args,
                print_empty_block,
                print_block_terminators,
            )
