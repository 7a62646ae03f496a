"""Context: the one interface through which the pass infrastructure reads an IR library.

The infrastructure never inspects an operation itself; the context does. Passes get the
IR library's own objects, unwrapped. Another IR library needs one more subclass.
"""

from __future__ import annotations

import threading
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final, Protocol, TypeAlias

from passgen_runtime.diagnostics import (
    Diagnostic,
    DiagnosticEngine,
    DiagnosticHandler,
    Severity,
    is_in_run,
)
from passgen_runtime.errors import (
    DialectError,
    PassError,
    SchedulingError,
    nearest_note,
)
from passgen_runtime.printing_flags import PrintingFlags

Operation: TypeAlias = Any
"""An operation of the IR library; the infrastructure treats it as opaque."""

UNNAMED: Final = "<string>"
"""The file name, in diagnostics and locations, of a text that has none."""

OPTIONAL_INTERFACES: Final = frozenset({"SymbolOpInterface"})
"""The op interfaces that an operation may lack although its type has them."""

OPERATION_SHOWN: Final = "see current operation: "
"""The start of the note that shows the operation of a diagnostic, as in MLIR."""


class OperationInfo(Protocol):
    """A registered operation type (MLIR's `RegisteredOperationName`)."""

    @property
    def name(self) -> str:
        """The operation's name, e.g. `func.func`."""

    @property
    def is_isolated_from_above(self) -> bool:
        """Whether its regions use no value defined outside of them."""

    def has_interface(self, interface: str) -> bool:
        """Return whether the operation has the op interface of this name."""

    def has_trait(self, trait: str) -> bool:
        """Return whether the operation has the trait of this name."""


class Context(DiagnosticEngine, ABC):
    """The interface between pass managers and an IR library.

    A context is shared by all threads of a run. Its methods read; only
    `load_dialects`, `parse` and `clone` make something new.
    """

    library: str = ""
    """The name of the IR library, as `--ir` takes it."""

    def __init__(self) -> None:
        """Start with a diagnostic handler that prints to standard error."""
        super().__init__()
        self.printing_flags = PrintingFlags()
        """The flags of the printer."""

        self._redirection = threading.RLock()
        self._redirecting_thread: int | None = None
        """The thread that holds `_redirection`: its block gets the diagnostics."""

        self.prints_operation_on_diagnostic = True
        """Whether a diagnostic about an operation has a note that shows it."""

        self.prints_stacktrace_on_diagnostic = False
        """Whether a diagnostic has a note that says which code emitted it."""

        self.finalizer: Callable[[Sequence[Any], Any], Sequence[Any]] | None = None
        """Returns the steps to run for the elements of a finalized pipeline.

        It gets the elements and the `RunState` of the pipeline; for an IR library that
        itself runs several passes at once.
        """

        self.operation_scope: (
            Callable[[Operation], AbstractContextManager[object]] | None
        ) = None
        """Makes the library's own state current while passes run on an operation."""

        self.native_pass: Callable[[Any, Any], Any] | None = None
        """Returns the library's own pass for a declared class and its options.

        `None` if the library does not have it.
        """

        self.pattern_library: Callable[[], Any] | None = None
        """Returns the library's class of `PatternLibrary`, for declared patterns."""

    def __repr__(self) -> str:
        """Return the class, and how many dialects are registered."""
        num_dialects = len(set(self.registered_dialects()))
        return f"<{type(self).__qualname__}: {num_dialects} dialects>"

    # Operation types.

    @abstractmethod
    def lookup(self, name: str) -> OperationInfo | None:
        """Return the operation type called `name`; `None` if it is not registered."""

    @abstractmethod
    def info(self, operation: Operation) -> OperationInfo | None:
        """Return the type of `operation`; `None` if it is not registered."""

    # Operations.

    @abstractmethod
    def name(self, operation: Operation) -> str:
        """Return the name of `operation`, e.g. `func.func`."""

    @abstractmethod
    def symbol_name(self, operation: Operation) -> str | None:
        """Return the symbol that `operation` defines, without the `@`."""

    @abstractmethod
    def location(self, operation: Operation) -> str:
        """Return `file:line:col`, or `loc(...)` if `operation` has no file location."""

    @abstractmethod
    def children(self, operation: Operation) -> Sequence[Operation]:
        """Return the current operations directly inside `operation`, in order.

        The caller may erase or replace each operation while it walks over them.
        """

    @abstractmethod
    def parent(self, operation: Operation) -> Operation | None:
        """Return the operation directly around `operation`, if any."""

    # Dialects and whole IR.

    @abstractmethod
    def registered_dialects(self) -> Iterable[str]:
        """Return the names of the dialects that can be loaded, loaded or not."""

    @abstractmethod
    def load_dialects(self, names: Iterable[str]) -> None:
        """Load the dialects called `names`.

        Raises:
            DialectError: a dialect is not registered; or it is not loaded while a
                pipeline runs, because the pass that needs it does not declare it.
        """

    @abstractmethod
    def verify(self, operation: Operation, *, recursive: bool = True) -> None:
        """Check `operation` and, if `recursive`, all operations inside it.

        Raises:
            IRError: it does not verify.
        """

    @abstractmethod
    def print(
        self,
        operation: Operation,
        *,
        generic: bool = False,
        flags: PrintingFlags | None = None,
    ) -> str:
        """Return `operation`, which is valid, as text without a line end.

        Args:
            operation: the operation to print.
            generic: whether the form is generic whatever the flags say.
            flags: how to print; `printing_flags` if not given.
        """

    @abstractmethod
    def fingerprint(
        self, operation: Operation, *, with_locations: bool = True
    ) -> bytes:
        """Return a digest that differs when the IR in `operation` differs.

        Args:
            operation: itself counts as far as its printed form shows it, and the
                contents of the resources that it refers to.
            with_locations: whether locations count.
        """

    @abstractmethod
    def clone(self, operation: Operation) -> Operation:
        """Return a copy of `operation` that has no parent."""

    @abstractmethod
    def parse(
        self, text: str, name: str = UNNAMED, *, implicit_module: bool = True
    ) -> Operation:
        """Return the top-level operation in `text`, which is not verified.

        Args:
            text: the IR.
            name: the file name for diagnostics.
            implicit_module: whether text that is not one module is put into a new one;
                if not, it must be one operation, of any kind.

        Raises:
            IRError: the text does not parse.
        """

    # Derived from the methods above; an IR library may know more, or be faster.

    def type_key(self, operation: Operation) -> Hashable:
        """Return the identity of the type of `operation`, by which runs dispatch."""
        return self.name(operation)

    def has_interface(self, operation: Operation, interface: str) -> bool:
        """Return whether `operation` itself has the op interface of this name.

        As in MLIR, an operation without a symbol name is no symbol, whatever its type.
        """
        info = self.info(operation)
        if info is None or not info.has_interface(interface):
            return False
        is_optional = interface in OPTIONAL_INTERFACES
        return not is_optional or self.symbol_name(operation) is not None

    def operation_names(self, dialect: str = "") -> Iterable[str]:
        """Return known operation names, to suggest for a mistyped one.

        Args:
            dialect: the dialect of the mistyped name, if it has any.
        """
        del dialect
        return ("builtin.module", "func.func")

    @property
    def allow_unregistered(self) -> bool:
        """Whether operations of dialects that are not registered are accepted."""
        return False

    def loaded_dialects(self) -> frozenset[str]:
        """Return the names of the loaded dialects; all if they are loaded at once."""
        return frozenset(self.registered_dialects())

    # Shared by all contexts.

    @property
    def file_end(self) -> str:
        """The text that the library's own tools write at the end of a file."""
        return "\n"

    def disable_multithreading(self) -> None:
        """Disable threads in the IR library itself."""

    def unregistered_dialect(self, name: str) -> DialectError:
        """Return the error that no dialect called `name` is registered."""
        notes = nearest_note(name, self.registered_dialects())
        noted = "".join(f"\nnote: {note}" for note in notes)
        return DialectError(f"dialect '{name}' is not registered{noted}")

    def register_dialect(self, name: str, make: Callable[[], object]) -> None:
        """Register the dialect that `make` returns as `name`.

        Raises:
            DialectError: another dialect has this name, or the IR library accepts no
                external dialects.
        """
        del make
        message = f"dialect '{name}' cannot be registered in a {type(self).__name__}"
        raise DialectError(message)

    def key(self, operation: Operation) -> Hashable:
        """Return the identity of `operation`, valid while it exists.

        MLIR's bindings make any number of objects for one operation, and their hashes
        change with its content.
        """
        key: Hashable = operation
        return key

    def callers(self, operation: Operation) -> tuple[str, ...]:
        """Return the places into which `operation` was inlined, innermost first."""
        del operation
        return ()

    def ancestors(self, operation: Operation) -> Iterator[Operation]:
        """Yield `operation` and all operations around it, the innermost first."""
        current: Operation | None = operation
        while current is not None:
            yield current
            current = self.parent(current)

    def describe(self, operation: Operation) -> str:
        """Return `'func.func' operation: @main at file:3:1`, for error messages."""
        symbol = self.symbol_name(operation) or ""
        shown = symbol if symbol.isprintable() else ascii(symbol)
        name = f"'{self.name(operation)}' operation" + f": @{shown}" * bool(symbol)
        return f"{name} at {self.location(operation)}"

    def emit(
        self,
        severity: Severity,
        message: str,
        operation: Operation,
        notes: Iterable[Diagnostic] = (),
        *,
        shows_operation: bool = True,
    ) -> None:
        """Report `message` about `operation` to the context's diagnostic handler.

        Args:
            severity: the severity of the diagnostic.
            message: the text.
            operation: the operation that it is about.
            notes: further notes.
            shows_operation: whether a note may show the operation, if the context wants
                that; MLIR shows none where only the location matters.
        """
        location, callers = self.location(operation), self.callers(operation)
        shown = self.context_notes(severity, operation, shows_operation=shows_operation)
        all_notes = (*shown, *notes)
        self.handle(Diagnostic(severity, message, location, all_notes, callers))

    def context_notes(
        self, severity: Severity, operation: Operation, *, shows_operation: bool = True
    ) -> tuple[Diagnostic, ...]:
        """Return the notes that show the operation of a diagnostic, and the stack."""
        notes: list[str] = []
        if self.prints_stacktrace_on_diagnostic:
            stack = traceback.format_stack()[:-1]
            notes.append(f"diagnostic emitted with trace:\n{''.join(stack)}".rstrip())
        if shows_operation and self.prints_operation_on_diagnostic:
            text = self.print_in_any_state(operation, generic=severity == "error")
            from passgen_runtime.shown_operation import shown_operation  # noqa: PLC0415

            separator = "\n" if "\n" in text else ""
            notes.append(f"{OPERATION_SHOWN}{separator}{shown_operation(text)}")
        location = self.location(operation)
        return tuple(Diagnostic("note", text, location) for text in notes)

    @contextmanager
    def redirecting_diagnostics(self, handler: DiagnosticHandler) -> Iterator[None]:
        """Give the diagnostics of the block to `handler`.

        Raises:
            SchedulingError: another thread is in such a block, or runs a pass manager.
        """
        runs_elsewhere = self.is_running and not is_in_run()
        if runs_elsewhere or not self._redirection.acquire(blocking=False):
            raise self._used_elsewhere()
        previous = self.diagnostic_handler, self._redirecting_thread
        self.diagnostic_handler = handler
        self._redirecting_thread = threading.get_ident()
        try:
            yield
        finally:
            self.diagnostic_handler, self._redirecting_thread = previous
            self._redirection.release()

    def running(self) -> AbstractContextManager[list[Diagnostic]]:
        """Mark that a pipeline runs while the block runs; yield its diagnostics.

        Raises:
            SchedulingError: another thread redirects the diagnostics.
        """
        redirecting = self._redirecting_thread
        if redirecting not in {None, threading.get_ident()} and not is_in_run():
            raise self._used_elsewhere()
        return super().running()

    def _used_elsewhere(self) -> SchedulingError:
        message = f"another thread uses this {type(self).__qualname__}"
        note = "give each thread a context of its own"
        return SchedulingError(f"{message}\nnote: {note}")

    def print_in_any_state(
        self,
        operation: Operation,
        *,
        generic: bool = False,
        flags: PrintingFlags | None = None,
    ) -> str:
        """Return the text of `operation`, which need not be valid, without a line end.

        As MLIR does, IR that does not verify is printed in the generic form: the custom
        forms rely on the verifier's checks. IR that cannot be printed at all becomes
        a comment that says so.
        """
        flags = flags or self.printing_flags
        try:
            if not (generic or flags.generic or flags.assume_verified):
                try:
                    self.verify(operation)
                except PassError:
                    generic = True
            return self.print(operation, generic=generic, flags=flags)
        except Exception as error:  # noqa: BLE001 - the IR may be broken
            reason = f"{type(error).__name__}: {error}".partition("\n")[0]
            return f"// '{self.name(operation)}' does not print: {reason}"
