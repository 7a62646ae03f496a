"""xDSL's printer with MLIR's printing flags, and parts of locations."""

from __future__ import annotations

from collections.abc import Iterable
from io import StringIO
from typing import IO, Any

from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    DenseIntOrFPElementsAttr,
    FileLineColLoc,
    FusedLoc,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnknownLoc,
    UnregisteredOp,
)
from xdsl.ir import Attribute, Dialect, Operation, OpResult, Region, SSAValue
from xdsl.printer import Printer

from passgen_runtime.ir.xdsl.constant_printer import (
    MAX_LISTED_ELEMENTS,
    ConstantPrinter,
    is_splat,
)
from passgen_runtime.printing_flags import PrintingFlags

MAX_CALLERS = 10
"""How many callers MLIR shows below a diagnostic."""


def place_in_file(location: Attribute) -> str | None:
    """Return the first position in `location` as `file:line:col`, if it has one."""
    if isinstance(location, FileLineColLoc):
        file, line = location.filename.data, location.line.data
        return f"{file}:{line}:{location.column.data}"
    return next(filter(None, map(place_in_file, parts_of(location))), None)


def callers_of(location: Attribute) -> tuple[str, ...]:
    """Return the places of the callers in `location`, innermost call first."""
    callers: list[str] = []
    call = _call_site(location)
    while call is not None and len(callers) < MAX_CALLERS:
        if (place := place_in_file(call.caller)) is not None:
            callers.append(place)
        call = _call_site(call.caller)
    return tuple(callers)


def name_in(location: Attribute) -> str | None:
    """Return the first name in `location`, if it has one."""
    if isinstance(location, NameLoc):
        return location.desc.data
    return next(filter(None, map(name_in, parts_of(location))), None)


def parts_of(location: Attribute) -> Iterable[Attribute]:
    """Return the locations that `location` consists of."""
    if isinstance(location, CallSiteLoc):
        return (location.callee, location.caller)
    if isinstance(location, NameLoc):
        return (location.location,)
    if isinstance(location, FusedLoc) and isinstance(location.locations, ArrayAttr):
        return location.locations
    return ()


def _call_site(location: Attribute) -> CallSiteLoc | None:
    if isinstance(location, CallSiteLoc):
        return location
    return next(filter(None, map(_call_site, parts_of(location))), None)


LOCATIONS = (CallSiteLoc, FileLineColLoc, FusedLoc, NameLoc, UnknownLoc)
_ELIDED = "dense_resource<__elided__>"
_PUNCTUATION = "$._-"
"""Characters that a value's name may have beside letters and digits."""


class NamePrinter(ConstantPrinter):
    """xDSL's printer, which also escapes the names of unregistered operations."""

    def print_op(self, op: Operation) -> None:
        """Print an operation; escape the name of an unregistered one."""
        if not isinstance(op, UnregisteredOp) or _is_plain(op.op_name.data):
            super().print_op(op)
            return
        name = op.op_name
        literal = StringIO()
        Printer(literal).print_string_literal(name.data)
        op.attributes["op_name__"] = StringAttr(literal.getvalue()[1:-1])
        try:
            super().print_op(op)
        finally:
            op.attributes["op_name__"] = name


class FlaggedPrinter(NamePrinter):
    """A printer with `PrintingFlags`."""

    def __init__(self, stream: IO[str], flags: PrintingFlags) -> None:
        """Write to `stream`."""
        super().__init__(
            stream=stream,
            print_generic_format=flags.generic,
            print_debuginfo=flags.debug_info,
        )
        self._flags = flags

    def print_attribute(self, attribute: Attribute) -> None:
        """Print an attribute; elide it, or print hexadecimal, if the flags say so."""
        if isinstance(attribute, DenseIntOrFPElementsAttr) and self._elides(attribute):
            self.print_string(f"{_ELIDED} : ")
            super().print_attribute(attribute.get_type())
            return
        if self._flags.pretty_debug_info and isinstance(attribute, LOCATIONS):
            self.print_string(_pretty(attribute))
            return
        super().print_attribute(attribute)

    def print_region(
        self,
        region: Region,
        print_entry_block_args: bool = True,  # noqa: FBT001, FBT002 - xDSL's
        print_empty_block: bool = True,  # noqa: FBT001, FBT002
        print_block_terminators: bool = True,  # noqa: FBT001, FBT002
    ) -> None:
        """Print a region, or `{...}` if the flags say so."""
        if self._flags.skip_regions:
            self.print_string("{...}")
            return
        super().print_region(
            region, print_entry_block_args, print_empty_block, print_block_terminators
        )

    def print_ssa_value(self, value: SSAValue) -> str:
        """Print a value, named after its location if the flags say so."""
        if self._flags.name_locations_as_prefix and value not in self._ssa_values:
            owner = value.owner if isinstance(value, OpResult) else value
            name = name_in(owner.location) if hasattr(owner, "location") else None
            if name:
                prefix = _as_identifier(name)
                count = self.ssa_names.get(prefix, 0)
                self.ssa_names[prefix] = count + 1
                self._ssa_values[value] = f"{prefix}_{count}" if count else prefix
        return super().print_ssa_value(value)

    def enter_scope(self) -> None:
        """Restart the numbers of values from 0, unless names must be unique."""
        if not self._flags.unique_ssa_ids:
            super().enter_scope()

    def exit_scope(self) -> None:
        """Continue the numbers from before `enter_scope`."""
        if not self._flags.unique_ssa_ids:
            super().exit_scope()

    def print_metadata(self, dialects: Iterable[Dialect]) -> None:
        """Print the used resources that are not longer than the limit."""
        limit = self._flags.max_resource_chars
        if limit is not None:
            dialects = list(dialects)
            self._drop_long_resources(dialects, limit)
        super().print_metadata(dialects)

    def elements_text(
        self,
        attribute: DenseIntOrFPElementsAttr[Any],
        max_listed: int | None = MAX_LISTED_ELEMENTS,
    ) -> str:
        """Return the text of dense elements, hexadecimal if the flags say so."""
        limit = self._flags.max_decimal_elements
        if limit is not None:
            max_listed = limit if limit >= 0 else None
        return super().elements_text(attribute, max_listed)

    def _elides(self, attribute: DenseIntOrFPElementsAttr[Any]) -> bool:
        limit = self._flags.max_elements
        count = len(attribute)
        return limit is not None and count > limit and not is_splat(attribute)

    def _drop_long_resources(self, dialects: Iterable[Dialect], limit: int) -> None:
        for dialect in dialects:
            keys = self._dialect_resources.get(dialect.name)
            interface = dialect.get_interface(OpAsmDialectInterface)
            if keys and interface is not None:
                texts = interface.build_resources(keys)
                quoted = {key: f'"{text}"' for key, text in texts.items()}
                keys -= {key for key, text in quoted.items() if len(text) > limit}


def _pretty(location: Attribute) -> str:
    """Return the text of a location in MLIR's pretty form, on one line."""
    if isinstance(location, FileLineColLoc):
        return str(place_in_file(location))
    if isinstance(location, NameLoc):
        child = location.location
        has_child = not isinstance(child, NoneAttr | UnknownLoc)
        inner = f"({_pretty(child)})" if has_child else ""
        return f'"{location.desc.data}"{inner}'
    if isinstance(location, CallSiteLoc):
        return f"{_pretty(location.callee)} at {_pretty(location.caller)}"
    if isinstance(location, FusedLoc):
        return f"[{', '.join(map(_pretty, parts_of(location)))}]"
    return "[unknown]"


def _is_plain(name: str) -> bool:
    return name.isascii() and name.isprintable() and not {'"', "\\"} & set(name)


def _as_identifier(name: str) -> str:
    """Return `name` as the name of a value, with characters replaced as in MLIR."""
    text = "".join(
        (
            char
            if char.isascii() and (char.isalnum() or char in _PUNCTUATION)
            else "_" * (char == " ") or "".join(f"{byte:X}" for byte in char.encode())
        )
        for char in name
    )
    return f"_{text}" if text[:1].isdigit() else text
