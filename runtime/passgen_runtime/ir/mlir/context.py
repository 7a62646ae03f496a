"""The context of MLIR's own IR: `Context` over MLIR's Python bindings.

    context = MLIRContext()                      # the package `mlir`
    context = MLIRContext("jaxlib.mlir")         # the copy that JAX ships
    context = MLIRContext(mlir=my_context)       # a context of MLIR that exists already

    module = context.parse(text, "input.mlir")
    manager = parse_pass_manager(pipeline, context, mlir_registry())
    manager.run(module)

Passes get objects of the bindings, `mlir.ir.Operation`, unwrapped. MLIR's own passes
stand in the same pipelines: see `mlir_passes`.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TYPE_CHECKING, Final, TypeAlias

from passgen_runtime.context import Context
from passgen_runtime.errors import (
    Diagnostic,
    DialectError,
    IRError,
    nearest_note,
)
from passgen_runtime.ir.mlir.bindings import (
    DEFAULT_PACKAGE,
    BindingsError,
    MLIRObject,
    bindings_of,
)
from passgen_runtime.ir.mlir.diagnostics import NOWHERE, MLIRDiagnostics, renamed
from passgen_runtime.ir.mlir_erasures import Erasures
from passgen_runtime.ir.mlir_graves import InvalidUseError, parent_of
from passgen_runtime.ir.mlir_guards import guard
from passgen_runtime.ir.mlir_handles import KeptHandles, LentOperations
from passgen_runtime.ir.mlir.locations import callers_of, place_of
from passgen_runtime.ir.mlir.native_pipeline import fuse
from passgen_runtime.ir.mlir.operation_info import MLIROperationInfo
from passgen_runtime.ir.mlir.parser import (
    is_about_number_of_operations,
    parse_module,
    parse_operation,
)
from passgen_runtime.ir.mlir.printer import (
    check_printable,
    fingerprint,
    frame,
    printed,
    shallow_fingerprint,
    used_dialects,
)

if TYPE_CHECKING:
    from passgen_runtime.pass_scheduling import ScheduledPipeline
    from passgen_runtime.printing_flags import PrintingFlags

Operation: TypeAlias = MLIRObject
"""`ir.Operation` of the bindings."""

BUILTIN_MODULE: Final = "builtin.module"

_ERASED: Final = "<erased>"
_DIALECTS = re.compile(r"Available dialects: (.*?) ?(?:;|\()")
_UNREGISTERED_MARK: Final = " (*)"


class MLIRContext(Context):
    """A context over MLIR's IR; passes find MLIR's own context in `mlir`."""

    can_be_audited = False

    def __init__(
        self,
        package: str = DEFAULT_PACKAGE,
        *,
        mlir: MLIRObject = None,
        allow_unregistered: bool = False,
    ) -> None:
        """Wrap `mlir`, or a new context with all dialects of the package loaded.

        MLIR's own threads are off in it from now on.

        Args:
            package: of the bindings.
            mlir: MLIR's own context, made by these bindings.
            allow_unregistered: whether a new context accepts operations of dialects
                that are not registered.

        Raises:
            BindingsError: there are no bindings, or `mlir` is not of these.
        """
        super().__init__()
        self.bindings = bindings_of(package)
        if mlir is None:
            mlir = self.bindings.new_context()
            mlir.allow_unregistered_dialects = allow_unregistered
        elif not isinstance(mlir, self.bindings.ir.Context):
            kind = f"{type(mlir).__module__}.{type(mlir).__qualname__}"
            message = f"{kind} is not a context of the bindings '{package}'"
            raise BindingsError(message)
        self.mlir = mlir
        guard(self.bindings)
        self.handles = KeptHandles(self.bindings, mlir)
        self.erasures = Erasures(self.handles, self._is_isolated)
        self._diagnostics = MLIRDiagnostics(self.bindings, mlir, self)
        self.emitting_errors = self._diagnostics.emitting_errors
        self._infos: dict[str, MLIROperationInfo | None] = {}
        # The bindings hold Python's lock while MLIR's passes run: a thread of MLIR that
        # has something to report would wait for it, and the run for the thread.
        mlir.enable_multithreading(enable=False)

    def lookup(self, name: str) -> MLIROperationInfo | None:
        """Return what is known of the operation called `name`."""
        if name not in self._infos:
            is_known = self.mlir.is_registered_operation(name)
            with self.handles.making_others():
                self._infos[name] = (
                    MLIROperationInfo(self.bindings, name, self.mlir)
                    if is_known
                    else None
                )
        return self._infos[name]

    def info(self, operation: Operation) -> MLIROperationInfo | None:
        """Return what is known of operations of the name of `operation`."""
        return self.lookup(self.name(operation))

    def type_key(self, operation: Operation) -> Hashable:
        """Return the name: one in a context for each type.

        The infrastructure asks before it runs anything on `operation`.
        """
        self._check_there(operation)
        return self.name(operation)

    def lend(self, operation: Operation) -> Operation:
        """Return another handle: what a pass keeps of it can be told from ours."""
        create = self.bindings.ir.Operation._CAPICreate  # noqa: SLF001 - its only name
        return create(operation._CAPIPtr)  # noqa: SLF001 - its only name

    def name(self, operation: Operation) -> str:
        """Return the name of `operation`, registered or not.

        Raises:
            BindingsError: it is a module of the bindings, which is no operation.
        """
        if type(operation) is self.bindings.ir.Module:
            message = "a module of the bindings is no operation: its `operation` is"
            raise BindingsError(message)
        try:
            # The view of an operation may have a `name` of its own.
            name: str = operation.operation.name
        except RuntimeError:  # what erased it has made it invalid
            return _ERASED
        return name

    def symbol_name(self, operation: Operation) -> str | None:
        """Return the value of `sym_name` if it is a string."""
        try:
            symbol = operation.attributes["sym_name"]
        except (KeyError, RuntimeError):
            return None
        string: type[MLIRObject] = self.bindings.ir.StringAttr
        if not isinstance(symbol, string):
            return None
        name: str = string(symbol).value
        return name

    def location(self, operation: Operation) -> str:
        """Return `file:line:col`, or MLIR's text of another location."""
        try:
            return place_of(operation.location)
        except RuntimeError:
            return NOWHERE

    def callers(self, operation: Operation) -> tuple[str, ...]:
        """Return the places that the call sites of the location name."""
        try:
            return callers_of(operation.location)
        except RuntimeError:
            return ()

    def key(self, operation: Operation) -> Hashable:
        """Return the address: handles are many, and hash by what the operation is."""
        return self.bindings.address(operation)

    def children(self, operation: Operation) -> LentOperations:
        """Return the operations directly inside `operation`, in order."""
        return self.handles.lend_children(operation)

    def parent(self, operation: Operation) -> Operation | None:
        """Return the operation directly around `operation`."""
        return parent_of(operation)

    @property
    def allow_unregistered(self) -> bool:
        """Whether MLIR's context accepts what is not registered."""
        allowed: bool = self.mlir.allow_unregistered_dialects
        return allowed

    def registered_dialects(self) -> Iterable[str]:
        """Return the names of all dialects; the bindings load them at once.

        The bindings have no list. MLIR's parser does, for those that ask for another.
        """
        found: list[Diagnostic] = []
        with (
            self._diagnostics.collected(found),
            suppress(self.bindings.ir.MLIRError),
        ):
            parse_operation(self.bindings, self.mlir, "no_dialect.op", "-")
        notes = "".join(note.message for each in found for note in each.notes)
        names = _DIALECTS.match(notes.replace(_UNREGISTERED_MARK, ""))
        return names[1].split(", ") if names else ()

    def is_loaded(self, dialect: str) -> bool:
        """Return whether there is a dialect called `dialect`: MLIR loads it then."""
        try:
            self.mlir.get_dialect_descriptor(dialect)
        except ValueError:
            return False
        return True

    def load_dialects(self, names: Iterable[str]) -> None:
        """Load the dialects called `names`.

        Raises:
            DialectError: one of them is not registered.
        """
        for name in names:
            if not self.is_loaded(name):
                near = nearest_note(name, self.registered_dialects())
                notes = "".join(f"\nnote: {note}" for note in near)
                message = f"dialect '{name}' is not registered{notes}"
                raise DialectError(message)

    def verify(self, operation: Operation, *, recursive: bool = True) -> None:
        """Check `operation` and all operations inside it: MLIR's bindings do both.

        Raises:
            IRError: it does not verify, or was erased.
        """
        del recursive
        found: list[Diagnostic] = []
        address = 0
        try:
            address = self.bindings.address(operation)
            self._check_there(operation)
            self.erasures.settle()
            with self._diagnostics.collected(found):
                is_valid = operation.verify()
        except self.bindings.ir.MLIRError:
            is_valid = False
        except InvalidUseError as error:
            place = self.location(operation)
            raise IRError(Diagnostic("error", str(error), place)) from error
        except RuntimeError as error:
            message = "the pass has erased the operation that it runs on"
            buried = self.erasures.buried(address)
            if buried is None:
                raise IRError(Diagnostic("error", message, NOWHERE)) from error
            message, place = f"{message}: '{self.name(buried)}'", self.location(buried)
            raise IRError(Diagnostic("error", message, place)) from error
        if not is_valid:
            place = self.location(operation)
            raise IRError(self._diagnostics.first_error(found, place))

    @property
    def printing_flags(self) -> PrintingFlags:
        """How IR is printed where no other flags are given."""
        return self._printing_flags

    @printing_flags.setter
    def printing_flags(self, flags: PrintingFlags) -> None:
        """Set them.

        Raises:
            PassError: the bindings lack what a flag asks for.
        """
        check_printable(flags)
        self._printing_flags = flags

    @property
    def file_end(self) -> str:
        """What `mlir-opt` writes after a file, below which aliases would stand."""
        return "\n" if self.printing_flags.local_scope else "\n\n"

    def print(
        self,
        operation: Operation,
        *,
        generic: bool = False,
        flags: PrintingFlags | None = None,
    ) -> str:
        """Return `operation` as MLIR prints it, in the generic form if asked.

        Raises:
            PassError: the bindings lack what a flag asks for.
        """
        if flags is None:
            flags = self.printing_flags
        else:
            check_printable(flags)
        return printed(operation, flags, generic=generic)

    def fingerprint(
        self, operation: Operation, *, with_locations: bool = True
    ) -> bytes:
        """Return a digest of the generic form."""
        return fingerprint(operation, with_locations=with_locations)

    def shallow_fingerprint(self, operation: Operation) -> bytes:
        """Return a digest of everything but the operations inside."""
        return shallow_fingerprint(operation)

    def frame(self, operation: Operation) -> tuple[Hashable, ...]:
        """Return name, operands, results, successors and block."""
        return frame(operation)

    def used_dialects(self, operation: Operation) -> set[str]:
        """Return the dialects that the generic form of `operation` names."""
        return used_dialects(operation)

    def clone(self, operation: Operation) -> Operation:
        """Return a copy of `operation` that has no parent."""
        return operation.clone(ip=False).operation

    def parse(self, text: str, name: str, *, implicit_module: bool = True) -> Operation:
        """Return the top-level operation that `text` holds or stands for.

        Raises:
            IRError: the text does not parse, or what it holds does not verify.
        """
        found: list[Diagnostic] = []
        given = self.bindings, self.mlir, text, name
        try:
            with self._diagnostics.collected(found):
                operation = parse_operation(*given)
            if not implicit_module or operation.name == BUILTIN_MODULE:
                self._diagnostics.say(found)
                return operation
        except self.bindings.ir.MLIRError as error:
            error_found = self._diagnostics.first_error(found)
            counts = is_about_number_of_operations(error_found.message)
            if not (implicit_module and counts):
                raise IRError(error_found) from error
        found.clear()
        try:
            with self._diagnostics.collected(found):
                operation = parse_module(*given)
        except self.bindings.ir.MLIRError as error:
            first = self._diagnostics.first_error(found)
            raise IRError(renamed(first, name)) from error
        self._diagnostics.say(renamed(each, name) for each in found)
        return operation

    def external_resources(
        self, operation: Operation
    ) -> Mapping[str, Mapping[str, str | bool]]:
        """Return nothing: MLIR forgets the resources that nobody has asked it for."""
        del operation
        return {}

    def fuse(
        self, pipeline: ScheduledPipeline, *, verify_each: bool
    ) -> ScheduledPipeline:
        """Return `pipeline` with MLIR's own passes that stand together as one step."""
        return fuse(pipeline, verify_each=verify_each)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Let all that MLIR reports while the block runs go to our handler."""
        if self.is_running:
            with super().running():
                yield
            return
        with super().running(), self._diagnostics.reported():
            self.erasures.begin_run()
            try:
                yield
            except BaseException:
                with suppress(InvalidUseError):
                    self.erasures.end_run()
                raise
            self.erasures.end_run()

    def called_by_pass(self) -> AbstractContextManager[None]:
        """Mark that what a pass holds in its loops is to stay as it is."""
        return self.erasures.called_by_pass()

    def _check_there(self, operation: Operation) -> None:
        """Make the handle `operation` invalid if what it stands for was erased."""
        if not self.handles.check(operation):
            self.erasures.enter(operation)
        if self.erasures.is_erased(operation):
            operation._set_invalid()  # noqa: SLF001 - its only name

    def _is_isolated(self, operation: Operation) -> bool:
        info = self.info(operation)
        return info is not None and info.is_isolated_from_above
