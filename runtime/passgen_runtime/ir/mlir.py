"""The context of MLIR's own IR: `Context` over MLIR's Python bindings.

    context = MLIRContext()                      # the package `mlir`
    context = MLIRContext("jaxlib.mlir")         # the copy that JAX ships
    context = MLIRContext(mlir=my_context)       # a context of MLIR that exists already

    module = context.parse(text, "input.mlir")
    manager = parse_pass_manager(pipeline, context, mlir_registry(context.bindings))
    manager.run(module)

Passes get objects of the bindings, `mlir.ir.Operation`, unwrapped. MLIR's own passes
stand in the same pipelines: see `mlir_passes`.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Final, TypeAlias
from weakref import ref

from passgen_runtime.context import Context
from passgen_runtime.errors import (
    Diagnostic,
    DialectError,
    IRError,
    PassError,
    nearest_note,
)
from passgen_runtime.ir.mlir_bindings import (
    DEFAULT_PACKAGE,
    BindingsError,
    MLIRObject,
    bindings_of,
    place_of,
)
from passgen_runtime.ir.mlir_handles import KeptHandles, LentOperations
from passgen_runtime.ir.mlir_native_pipeline import fuse
from passgen_runtime.ir.mlir_operation_info import MLIROperationInfo
from passgen_runtime.ir.mlir_parser import (
    is_about_number_of_operations,
    parse_module,
    parse_operation,
)

if TYPE_CHECKING:
    from passgen_runtime.pass_scheduling import ScheduledPipeline
    from passgen_runtime.printing_flags import PrintingFlags

Operation: TypeAlias = MLIRObject
"""`ir.Operation` of the bindings."""

BUILTIN_MODULE: Final = "builtin.module"

_REPRODUCER_IGNORED: Final = "ignoring unknown external resources for 'mlir_reproducer'"
"""What MLIR says about what we read ourselves."""

_ERASED: Final = "<erased>"
_NOWHERE: Final = "loc(unknown)"
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_GENERIC_OPERATION = re.compile(r'"([\w$-]+)\.[\w$.-]+"(?=\()')
_TYPE_OR_ATTRIBUTE = re.compile(r"[!#]([\w$-]+)[.<]")
_DIALECTS = re.compile(r"Available dialects: (.*?) ?(?:;|\()")
_UNREGISTERED_MARK: Final = " (*)"

_NOT_PRINTED = (
    "MLIR's Python bindings print neither unique SSA ids nor another limit of decimal "
    "elements"
)


class MLIRContext(Context):
    """A context over MLIR's IR; passes find MLIR's own context in `mlir`."""

    can_be_audited = False
    file_end = "\n\n"

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
        self.handles = KeptHandles(self.bindings, mlir)
        self._infos: dict[str, MLIROperationInfo | None] = {}
        self._collected = threading.local()
        self._reported: MLIRObject = None
        # The bindings hold Python's lock while MLIR's passes run: a thread of MLIR that
        # has something to report would wait for it, and the run for the thread.
        mlir.enable_multithreading(enable=False)

    def lookup(self, name: str) -> MLIROperationInfo | None:
        """Return what is known of the operation called `name`."""
        if name not in self._infos:
            is_known = self.mlir.is_registered_operation(name)
            self._infos[name] = (
                MLIROperationInfo(self.bindings, name, self.mlir) if is_known else None
            )
        return self._infos[name]

    def info(self, operation: Operation) -> MLIROperationInfo | None:
        """Return what is known of operations of the name of `operation`."""
        return self.lookup(self.name(operation))

    def type_key(self, operation: Operation) -> Hashable:
        """Return the name: one in a context for each type.

        The infrastructure asks before it runs anything on `operation`.
        """
        self.handles.check(operation)
        return self.name(operation)

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
            return _NOWHERE

    def key(self, operation: Operation) -> Hashable:
        """Return the address: handles are many, and hash by what the operation is."""
        return self.bindings.address(operation)

    def children(self, operation: Operation) -> LentOperations:
        """Return the operations directly inside `operation`, in order."""
        return self.handles.lend_children(operation)

    def parent(self, operation: Operation) -> Operation | None:
        """Return the operation directly around `operation`."""
        try:
            parent = operation.parent
        except ValueError:  # it is no part of anything, not even of a `Module`
            return None
        return None if parent is None else parent.operation

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
            self._collecting_diagnostics(found),
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
        self.handles.check(operation)
        found: list[Diagnostic] = []
        try:
            with self._collecting_diagnostics(found):
                is_valid = operation.verify()
        except self.bindings.ir.MLIRError:
            is_valid = False
        except RuntimeError as error:
            message = "the pass has erased the operation that it runs on"
            raise IRError(Diagnostic("error", message, _NOWHERE)) from error
        if not is_valid:
            raise IRError(self._first_error(found, operation))

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
        _check_printable(flags)
        self._printing_flags = flags

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
            _check_printable(flags)
        wanted = {
            "enable_debug_info": flags.debug_info,
            "pretty_debug_info": flags.pretty_debug_info,
            "use_name_loc_as_prefix": flags.name_locations_as_prefix,
            "assume_verified": flags.assume_verified,
            "skip_regions": flags.skip_regions,
            "large_elements_limit": flags.max_elements,
            "large_resource_limit": flags.max_resource_chars,
        }
        # Bindings of older versions lack some: what is not asked for is not named.
        options = {
            name: value
            for name, value in wanted.items()
            if value is not None and value is not False
        }
        text: str = operation.get_asm(
            print_generic_op_form=generic or flags.generic, **options
        )
        return text.removesuffix("\n")

    def fingerprint(
        self, operation: Operation, *, with_locations: bool = True
    ) -> bytes:
        """Return a digest of the generic form."""
        return _digest(
            operation.get_asm(
                print_generic_op_form=True,
                enable_debug_info=with_locations,
                use_local_scope=True,
            )
        )

    def shallow_fingerprint(self, operation: Operation) -> bytes:
        """Return a digest of everything but the operations inside."""
        arguments = [
            [str(each.type) for each in block.arguments]
            for region in operation.regions
            for block in region.blocks
        ]
        attributes = [f"{each.name}={each.attr}" for each in _attributes(operation)]
        parts = (*self.frame(operation), attributes, str(operation.location), arguments)
        return _digest(repr(parts))

    def frame(self, operation: Operation) -> tuple[Hashable, ...]:
        """Return name, operands, results, successors and block."""
        is_nested = self.parent(operation) is not None
        return (
            self.name(operation),
            tuple(map(hash, operation.operands)),
            tuple(str(result.type) for result in operation.results),
            tuple(map(hash, operation.successors)),
            hash(operation.block) if is_nested else None,
        )

    def used_dialects(self, operation: Operation) -> set[str]:
        """Return the dialects that the generic form of `operation` names."""
        text = operation.get_asm(print_generic_op_form=True, use_local_scope=True)
        without_strings = _STRING.sub("", text)
        return {
            *_GENERIC_OPERATION.findall(text),
            *_TYPE_OR_ATTRIBUTE.findall(without_strings),
        }

    def clone(self, operation: Operation) -> Operation:
        """Return a copy of `operation` that has no parent."""
        return operation.clone().operation

    def parse(self, text: str, name: str, *, implicit_module: bool = True) -> Operation:
        """Return the top-level operation that `text` holds or stands for.

        Raises:
            IRError: the text does not parse, or what it holds does not verify.
        """
        found: list[Diagnostic] = []
        given = self.bindings, self.mlir, text, name
        try:
            with self._collecting_diagnostics(found):
                operation = parse_operation(*given)
            if not implicit_module or operation.name == BUILTIN_MODULE:
                self._say(found)
                return operation
        except self.bindings.ir.MLIRError as error:
            error_found = self._first_error(found, None)
            counts = is_about_number_of_operations(error_found.message)
            if not (implicit_module and counts):
                raise IRError(error_found) from error
        found.clear()
        try:
            with self._collecting_diagnostics(found):
                operation = parse_module(*given)
        except self.bindings.ir.MLIRError as error:
            renamed = _renamed(self._first_error(found, None), name)
            raise IRError(renamed) from error
        self._say(_renamed(each, name) for each in found)
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
        return fuse(pipeline, self.bindings, verify_each=verify_each)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Let all that MLIR reports while the block runs go to our handler."""
        if self.is_running:
            with super().running():
                yield
            return
        with super().running(), self._diagnostics_reported():
            self.handles.begin_run()
            yield

    @contextmanager
    def _collecting_diagnostics(self, found: list[Diagnostic]) -> Iterator[None]:
        """Append what MLIR reports in this thread to `found`."""
        around = getattr(self._collected, "found", None)
        self._collected.found = found
        try:
            with self._diagnostics_reported():
                yield
        finally:
            self._collected.found = around

    @contextmanager
    def _diagnostics_reported(self) -> Iterator[None]:
        """Let MLIR report to us; its context is afterwards as it was before."""
        if self._reported is not None:
            yield
            return
        mlir, here = self.mlir, ref(self)
        raised: list[BaseException] = []

        def receive(diagnostic: MLIRObject) -> bool:
            # MLIR calls this: an exception must not travel through it.
            try:
                this = here()
                if this is not None:
                    this._receive(  # noqa: SLF001 - of this object
                        this.bindings.diagnostic(diagnostic)
                    )
            except BaseException as error:  # noqa: BLE001 - raised again below
                raised.append(error)
            return True

        emitted_errors = mlir.emit_error_diagnostics
        mlir.emit_error_diagnostics = True
        self._reported = mlir.attach_diagnostic_handler(receive)
        try:
            yield
        finally:
            self._reported.detach()
            self._reported = None
            mlir.emit_error_diagnostics = emitted_errors
        if raised:
            raise raised[0]

    def _receive(self, diagnostic: Diagnostic) -> None:
        found: list[Diagnostic] | None = getattr(self._collected, "found", None)
        if found is None:
            self.handle(diagnostic)
        else:
            found.append(diagnostic)

    def _say(self, found: Iterable[Diagnostic]) -> None:
        for each in found:
            if not each.message.startswith(_REPRODUCER_IGNORED):
                self.handle(each)

    def _first_error(
        self, found: list[Diagnostic], operation: Operation | None
    ) -> Diagnostic:
        """Return the first error in `found`; what came with it is reported."""
        errors = [each for each in found if each.severity == "error"]
        if not errors:
            place = _NOWHERE if operation is None else self.location(operation)
            return Diagnostic("error", "the IR is not valid", place)
        self._say(each for each in found if each is not errors[0])
        return errors[0]


def _attributes(operation: Operation) -> Iterator[MLIRObject]:
    for index in range(len(operation.attributes)):
        yield operation.attributes[index]


def _renamed(diagnostic: Diagnostic, name: str) -> Diagnostic:
    """Return `diagnostic` about the nameless file as one about `name`."""
    place = diagnostic.location
    if place.startswith("-:"):
        place = f"{name}{place[1:]}"
    notes = tuple(_renamed(note, name) for note in diagnostic.notes)
    return Diagnostic(diagnostic.severity, diagnostic.message, place, notes)


def _check_printable(flags: PrintingFlags) -> None:
    if flags.unique_ssa_ids or flags.max_decimal_elements is not None:
        raise PassError(_NOT_PRINTED)


def _digest(text: str) -> bytes:
    # Imported when first needed: it takes long to start OpenSSL.
    digest: bytes = (
        import_module("hashlib").blake2b(text.encode(), digest_size=16).digest()
    )
    return digest
