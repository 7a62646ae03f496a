"""The context of xDSL's IR: `Context` over `xdsl.context.Context`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from io import StringIO
from traceback import walk_tb
from typing import cast

from xdsl.context import Context as XDSLIRContext
from xdsl.dialects.builtin import StringAttr, UnregisteredOp
from xdsl.ir import Dialect, Operation
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException, PassFailedException

from passgen_runtime.context import UNNAMED, Context
from passgen_runtime.diagnostics import UNKNOWN_LOCATION, Diagnostic
from passgen_runtime.errors import DialectError, IRError, wrong_argument
from passgen_runtime.ir.digests import digest_with
from passgen_runtime.ir.xdsl.attribute_check import AttributeCheck
from passgen_runtime.ir.xdsl.dialect_loading import (
    LoadingGuard,
    installed_dialects_context,
)
from passgen_runtime.ir.xdsl.operation_info import XDSLOperationInfo
from passgen_runtime.ir.xdsl.parser import message_of, parse_ir
from passgen_runtime.ir.xdsl.printer import (
    FlaggedPrinter,
    NamePrinter,
    callers_of,
    place_in_file,
)
from passgen_runtime.ir.xdsl.resources import HandlePrinter, referenced_resources
from passgen_runtime.operation_pass import Pass
from passgen_runtime.printing_flags import PrintingFlags


class XDSLContext(Context):
    """A context over xDSL's IR; passes find xDSL's own context in `xdsl`."""

    library = "xdsl"

    def __init__(
        self, xdsl: XDSLIRContext | None = None, *, allow_unregistered: bool = False
    ) -> None:
        """Wrap `xdsl`, or a new context with all installed dialects registered.

        Args:
            xdsl: xDSL's own context.
            allow_unregistered: whether a new context accepts operations of dialects
                that are not registered.

        Raises:
            TypeError: `xdsl` is not a context of xDSL.
        """
        super().__init__()
        if xdsl is not None and not isinstance(xdsl, XDSLIRContext):
            raise wrong_argument("XDSLContext()", xdsl, "an xdsl.context.Context")
        if xdsl is None:
            xdsl = installed_dialects_context()
            xdsl.allow_unregistered = allow_unregistered
        self.xdsl = xdsl
        self.pattern_library = _pattern_library
        LoadingGuard.of(xdsl).contexts.add(self)
        self.on_token: Callable[[int], object] | None = None
        """Called before the parser reads a token, with the offset where it is.

        Blanks may follow the offset, before the token.
        """

        self._attributes = AttributeCheck()
        self._infos: dict[type[Operation], XDSLOperationInfo | None] = {}
        self._registered: dict[str, Callable[[], object]] = {}
        self.declarations: Operation | None = None
        """The module in which the verifier looks up symbols, for operations without a
        parent whose symbols are defined elsewhere."""

        self.loads_dialects_always = False
        """Whether dialects may also be loaded while a pipeline runs."""

    def lookup(self, name: str) -> XDSLOperationInfo | None:
        """Return the operation type called `name`, `None` if it is not registered.

        Loads its dialect. While a pipeline runs, only loaded dialects count.
        """
        dialect, dot, _ = name.partition(".")
        if not dot or (self.is_running and not self.is_loaded(dialect)):
            return None
        found = self.xdsl.get_optional_op(name)
        return None if found is None else self._info_of(found)

    def operation_names(self, dialect: str = "") -> Iterable[str]:
        """Return the names of the loaded operations."""
        names = super().operation_names(dialect)
        return (*names, *(op.name for op in self.xdsl.loaded_ops))

    def info(self, operation: Operation) -> XDSLOperationInfo | None:
        """Return the type of `operation`, `None` if it is not registered."""
        return self._info_of(type(operation))

    type_key = staticmethod(type)  # type: ignore[assignment] # a builtin, for speed
    """The class of an operation: xDSL has one for each operation name."""

    def name(self, operation: Operation) -> str:
        """Return the name of `operation`, also of an unregistered one."""
        if isinstance(operation, UnregisteredOp):
            return operation.op_name.data
        return operation.name

    def symbol_name(self, operation: Operation) -> str | None:
        """Return the value of `sym_name` if it is a string."""
        symbol = operation.get_attr_or_prop("sym_name")
        data = symbol.data if isinstance(symbol, StringAttr) else None
        # A pass may have made an attribute of another value.
        return data if isinstance(data, str) else None

    def location(self, operation: Operation) -> str:
        """Return the first file position in the location, else its text."""
        try:
            return place_in_file(operation.location) or str(operation.location)
        except Exception:  # noqa: BLE001 - a pass may have made it of other values
            return UNKNOWN_LOCATION

    def callers(self, operation: Operation) -> tuple[str, ...]:
        """Return the places of the callers in the location, innermost call first."""
        return callers_of(operation.location)

    def children(self, operation: Operation) -> list[Operation]:
        """Return the operations directly inside `operation`, in order."""
        found: list[Operation] = []
        append = found.append
        for region in operation.regions:
            for block in region.blocks:
                # Half the time that iterating over `block.ops` takes.
                child = block.first_op
                while child is not None:
                    append(child)
                    child = child.next_op
        return found

    def parent(self, operation: Operation) -> Operation | None:
        """Return the operation directly around `operation`."""
        return operation.parent_op()

    @property
    def allow_unregistered(self) -> bool:
        """Whether xDSL's context accepts operations of unregistered dialects."""
        return self.xdsl.allow_unregistered

    def registered_dialects(self) -> Iterable[str]:
        """Return the names of the dialects that can be loaded, loaded or not."""
        return self.xdsl.registered_dialect_names

    def is_loaded(self, dialect: str) -> bool:
        """Return whether `dialect` is loaded."""
        return dialect in self.loaded_dialects()

    def loaded_dialects(self) -> frozenset[str]:
        """Return the names of the loaded dialects."""
        return frozenset(loaded.name for loaded in self.xdsl.loaded_dialects)

    def load_dialects(self, names: Iterable[str]) -> None:
        """Load the dialects called `names`.

        Raises:
            DialectError: a dialect is not registered, or a pipeline runs and the
                dialect is not loaded yet.
        """
        for name in names:
            if self.xdsl.get_optional_dialect(name) is None:
                raise self.unregistered_dialect(name)

    def register_dialect(self, name: str, make: Callable[[], object]) -> None:
        """Register `make`, which returns the dialect `name`; a repetition is ignored.

        Raises:
            DialectError: another dialect of this name is registered.
        """
        if self._registered.get(name) == make:
            return
        if name in self.registered_dialects():
            message = f"dialect '{name}' is already registered with another definition"
            raise DialectError(message)
        self.xdsl.register_dialect(name, cast("Callable[[], Dialect]", make))
        self._registered[name] = make

    def verify(self, operation: Operation, *, recursive: bool = True) -> None:
        """Check `operation` and, if `recursive`, all operations inside it.

        Raises:
            IRError: an operation is invalid; the error has its location.
        """
        try:
            with _placed_in(self.declarations, operation):
                operation.verify(verify_nested_ops=recursive)
        except Exception as error:
            # With wrong data, a verifier may fail by any exception.
            self._check_attributes(operation, recursive=recursive)
            culprit = _failed_operation(error) or operation
            location = self.location(culprit)
            name = self.name(culprit)
            reason = message_of(error)
            for named in (f"'{name}' op ", f"'{name}' ", f"{name} "):
                reason = reason.removeprefix(named)
            message = f"'{name}' op {reason}"
            notes = self.context_notes("error", culprit)
            raise IRError(Diagnostic("error", message, location, notes)) from error
        self._check_attributes(operation, recursive=recursive)

    def _check_attributes(self, operation: Operation, *, recursive: bool) -> None:
        """Check that attributes are attributes, and have data of their kind.

        Raises:
            IRError: one is not; the error has the location of its operation.
        """
        inspected = operation.walk() if recursive else (operation,)
        found = self._attributes.first_problem(inspected)
        if found is not None:
            culprit, problem = found
            message = f"'{self.name(culprit)}' op {problem}"
            raise IRError(Diagnostic("error", message, self.location(culprit)))

    def print(
        self,
        operation: Operation,
        *,
        generic: bool = False,
        flags: PrintingFlags | None = None,
    ) -> str:
        """Return `operation` as text according to `flags`, generic if `generic`.

        Raises:
            IRError: xDSL cannot print it, such as a text in place of an attribute, or
                an integer of thousands of digits.
        """
        stream = StringIO()
        flags = flags or self.printing_flags
        if generic:
            flags = replace(flags, generic=True)
        if flags == PrintingFlags(generic=flags.generic):
            printer = NamePrinter(stream=stream, print_generic_format=flags.generic)
        else:
            printer = FlaggedPrinter(stream, flags)
        try:
            printer.print_op(operation)
        except Exception as error:
            reason = message_of(error)
            if not isinstance(error, ValueError):
                reason = f"{type(error).__name__}: {reason}"
            if (found := self._attributes.first_problem(operation.walk())) is not None:
                operation, reason = found
            message = f"'{self.name(operation)}' op cannot be printed: {reason}"
            place = self.location(operation)
            raise IRError(Diagnostic("error", message, place)) from error
        if operation.parent is None and not flags.local_scope:
            printer.print_metadata(self.xdsl.loaded_dialects)
        return stream.getvalue()

    def fingerprint(
        self, operation: Operation, *, with_locations: bool = True
    ) -> bytes:
        """Return a digest of the generic form, and of resources."""
        printer = HandlePrinter(has_locations=with_locations)
        printer.print_op(operation)
        resources = referenced_resources(self.xdsl, printer)
        return digest_with(printer.text, resources)

    def clone(self, operation: Operation) -> Operation:
        """Return a copy of `operation` that has no parent."""
        return operation.clone()

    def parse(
        self, text: str, name: str = UNNAMED, *, implicit_module: bool = True
    ) -> Operation:
        """Return the top-level operation in `text`, or a new module around the others.

        Raises:
            IRError: the text does not parse.
        """
        return parse_ir(
            self.xdsl, text, name, self.on_token, implicit_module=implicit_module
        )

    def _info_of(self, operation_class: type[Operation]) -> XDSLOperationInfo | None:
        if operation_class not in self._infos:
            is_registered = not issubclass(operation_class, UnregisteredOp)
            info = XDSLOperationInfo(operation_class) if is_registered else None
            self._infos[operation_class] = info
        return self._infos[operation_class]


def apply_module_pass(pass_: Pass, module_pass: ModulePass) -> None:
    """Apply xDSL's pass to the module of `pass_`, which fails if xDSL's does."""
    # xDSL's passes may load dialects while they run, e.g. to read a file of PDL.
    context = cast("XDSLContext", pass_.context).xdsl.clone()
    try:
        module_pass.apply(context, pass_.operation)
    except (PassFailedException, DiagnosticException) as error:
        pass_.emit_error(str(error).strip())
        pass_.signal_pass_failure()


@contextmanager
def _placed_in(around: Operation | None, operation: Operation) -> Iterator[None]:
    """Put the outermost ancestor of `operation` into `around` for the block."""
    if around is None:
        yield
        return
    root = operation
    while (parent := root.parent_op()) is not None:
        root = parent
    block = around.regions[0].block
    block.add_op(root)
    try:
        yield
    finally:
        block.detach_op(root)


def _failed_operation(error: Exception) -> Operation | None:
    """Return the operation whose `verify` raised `error`, from its traceback."""
    found: Operation | None = None
    for frame, _ in walk_tb(error.__traceback__):
        subject = frame.f_locals.get("self")
        if frame.f_code.co_name == "verify" and isinstance(subject, Operation):
            found = subject
    return found


def _pattern_library() -> type:
    # Most runs apply no patterns.
    from passgen_runtime.ir.xdsl.pattern_library import (  # noqa: PLC0415
        XDSLPatternLibrary,
    )

    return XDSLPatternLibrary
