"""The context of MLIR's own IR: `Context` over MLIR's Python bindings.

    context = MLIRContext()                      # the bindings that are installed
    context = MLIRContext("jaxlib.mlir")         # the copy that JAX ships
    context = MLIRContext(mlir=my_context)       # a context of MLIR that exists already

    module = context.parse(text, "input.mlir")
    manager = parse_pass_manager(pipeline, context, mlir_registry())
    manager.run(module)

Passes get unwrapped objects of the bindings, `mlir.ir.Operation`. Pipelines may also
contain MLIR's own passes: see `native_passes`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from operator import attrgetter
from typing import Final, TypeAlias

from passgen_runtime.context import UNNAMED, Context
from passgen_runtime.diagnostics import UNKNOWN_LOCATION, Diagnostic
from passgen_runtime.errors import IRError
from passgen_runtime.ir.digests import digest_of, digest_with
from passgen_runtime.ir.mlir.bindings import (
    BindingsError,
    MLIRObject,
    bindings_of,
    package_of,
)
from passgen_runtime.ir.mlir.diagnostics import (
    callers_of,
    errors_of,
    place_of,
    rename_file,
    reported_to,
    without_operation,
)
from passgen_runtime.ir.mlir.fusing import fuse
from passgen_runtime.ir.mlir.native_passes import create_native_pass
from passgen_runtime.ir.mlir.operation_info import MLIROperationInfo
from passgen_runtime.ir.mlir.parser import (
    Parsed,
    available_dialects,
    file_of,
    is_about_number_of_operations,
    parse_module,
    parse_operation,
)
from passgen_runtime.ir.mlir.printer import check_printable, print_operation
from passgen_runtime.ir.mlir.resources import may_refer_to_resources, resources_of
from passgen_runtime.ir.mlir.settings import (
    errors_reported,
    has_threads,
    without_threads,
)
from passgen_runtime.printing_flags import PrintingFlags

Operation: TypeAlias = MLIRObject
"""`ir.Operation` of the bindings."""

BUILTIN_MODULE: Final = "builtin.module"

_ERASED: Final = "<erased>"


class MLIRContext(Context):
    """A context over MLIR's IR; passes find MLIR's own context in `mlir`."""

    def __init__(
        self,
        package: str | None = None,
        *,
        mlir: MLIRObject = None,
        allow_unregistered: bool = False,
    ) -> None:
        """Wrap `mlir`, or a new context with all dialects of the package loaded.

        Of `mlir`, only the loaded dialects change. While it has threads, MLIR prints
        its warnings and remarks itself.

        Args:
            package: the package of the bindings; by default the one that made `mlir`,
                or else `default_package()`.
            mlir: a context of these bindings.
            allow_unregistered: whether a new context accepts operations of dialects
                that are not registered.

        Raises:
            BindingsError: the package has no bindings, or they did not make `mlir`.
        """
        super().__init__()
        self.bindings = bindings_of(package or package_of(mlir))
        self.is_own = mlir is None
        """Whether this object created the context of MLIR."""

        if self.is_own:
            mlir = self.bindings.new_context()
            mlir.allow_unregistered_dialects = allow_unregistered
        elif not isinstance(mlir, self.bindings.ir.Context):
            kind = f"{type(mlir).__module__}.{type(mlir).__qualname__}"
            package = self.bindings.package
            raise BindingsError(f"{kind} is not a context of the bindings '{package}'")
        else:
            self.bindings.check(mlir)
        self.mlir = mlir
        self.without_threads: AbstractContextManager[None] = (
            without_threads(mlir) if self.is_own else nullcontext()
        )
        """Switches MLIR's threads off in `with` blocks if `is_own`."""

        self._errors_reported = errors_reported(mlir)
        self._infos: dict[str, MLIROperationInfo | None] = {}
        self.operation_scope = attrgetter("location")
        self.finalizer = fuse
        self.native_pass = partial(create_native_pass, self.bindings)
        self.pattern_library = _pattern_library
        self.library = f"mlir:{self.bindings.package}"

    def lookup(self, name: str) -> MLIROperationInfo | None:
        """Return the operation type called `name`, `None` if it is not registered."""
        if name not in self._infos:
            info = None
            if self.mlir.is_registered_operation(name):
                info = MLIROperationInfo(self.bindings, name, self.mlir)
            self._infos[name] = info
        return self._infos[name]

    def info(self, operation: Operation) -> MLIROperationInfo | None:
        """Return the type of `operation`, `None` if it is not registered."""
        return self.lookup(self.name(operation))

    def name(self, operation: Operation) -> str:
        """Return the name of `operation`, registered or not.

        Raises:
            BindingsError: it is a `Module`, which is not an operation, or an operation
                of other bindings.
        """
        if not isinstance(operation, self.bindings.operation_classes):
            self.bindings.refuse(operation)
        try:
            # The class of an operation may define another `name`.
            name: str = operation.operation.name
        except RuntimeError:  # the bindings refuse an erased operation
            return _ERASED
        return name

    def symbol_name(self, operation: Operation) -> str | None:
        """Return the value of `sym_name` if it is a string in UTF-8."""
        string: type[MLIRObject] = self.bindings.ir.StringAttr
        try:
            symbol = operation.attributes["sym_name"]
            name: str | None = string(symbol).value
        except (KeyError, RuntimeError, ValueError):
            return None
        return name

    def location(self, operation: Operation) -> str:
        """Return `file:line:col`, or MLIR's text if the location has no file."""
        try:
            return place_of(operation.location)
        except RuntimeError:
            return UNKNOWN_LOCATION

    def callers(self, operation: Operation) -> tuple[str, ...]:
        """Return the places of the callers in the location, innermost call first."""
        try:
            return callers_of(operation.location)
        except RuntimeError:
            return ()

    def key(self, operation: Operation) -> Hashable:
        """Return the address of `operation`."""
        return self.bindings.address(operation)

    def children(self, operation: Operation) -> list[Operation]:
        """Return the operations directly inside `operation`, in order."""
        return [
            child.operation
            for region in operation.regions
            for block in region.blocks
            for child in block.operations
        ]

    def parent(self, operation: Operation) -> Operation | None:
        """Return the operation directly around `operation`."""
        try:
            parent = operation.parent
        except ValueError:  # a copy has no parent
            return None
        return None if parent is None else parent.operation

    @property
    def allow_unregistered(self) -> bool:
        """Whether MLIR's context accepts operations of unregistered dialects."""
        allowed: bool = self.mlir.allow_unregistered_dialects
        return allowed

    def registered_dialects(self) -> Iterable[str]:
        """Return the names of all registered dialects."""
        return available_dialects(self.bindings, self.mlir)

    def operation_names(self, dialect: str = "") -> Iterable[str]:
        """Return the names of the operations for which the bindings have classes.

        Those of one dialect: to import the classes of all takes long.
        """
        names = super().operation_names(dialect)
        if not self.is_loaded(dialect):
            return names
        return (*names, *self.bindings.operation_names(dialect))

    def is_loaded(self, dialect: str) -> bool:
        """Return whether `dialect` is registered; MLIR loads it to answer."""
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
                raise self.unregistered_dialect(name)

    def verify(self, operation: Operation, *, recursive: bool = True) -> None:
        """Check `operation` and all operations inside it, even if not `recursive`.

        Raises:
            IRError: `operation` is invalid, or was erased.
        """
        del recursive
        found: list[Diagnostic] = []
        try:
            with self.without_threads, self.collected_in(found):
                is_valid = operation.verify()
        except self.bindings.ir.MLIRError:
            is_valid = False
        except RuntimeError as error:
            message = "the pass has erased the operation that it runs on"
            place = self.location(operation)
            raise IRError(Diagnostic("error", message, place)) from error
        if not is_valid:
            raise IRError(self._first_error(found, self.location(operation)))
        for diagnostic in found:
            self.report(diagnostic)

    @property
    def printing_flags(self) -> PrintingFlags:
        """The flags that `print` uses by default."""
        return self._printing_flags

    @printing_flags.setter
    def printing_flags(self, flags: PrintingFlags) -> None:
        """Set the default flags.

        Raises:
            PassError: the bindings do not support a flag.
        """
        check_printable(flags)
        self._printing_flags = flags

    @property
    def file_end(self) -> str:
        """The end of a file from `mlir-opt`: a blank line unless scope is local."""
        return "\n" if self.printing_flags.local_scope else "\n\n"

    def print(
        self,
        operation: Operation,
        *,
        generic: bool = False,
        flags: PrintingFlags | None = None,
    ) -> str:
        """Return `operation` as MLIR prints it, in the generic form if `generic`.

        Raises:
            PassError: the bindings do not support a flag.
        """
        if flags is None:
            flags = self.printing_flags
        else:
            check_printable(flags)
        return print_operation(operation, flags, generic=generic)

    def fingerprint(
        self, operation: Operation, *, with_locations: bool = True
    ) -> bytes:
        """Return a digest of the generic form, and of resources."""
        text = operation.get_asm(
            print_generic_op_form=True,
            enable_debug_info=with_locations,
            use_local_scope=True,
        )
        if not may_refer_to_resources(text):
            return digest_of(text)
        return digest_with(text, resources_of(operation))

    def clone(self, operation: Operation) -> Operation:
        """Return a copy of `operation` that has no parent."""
        return operation.clone(ip=False).operation

    def parse(
        self, text: str, name: str = UNNAMED, *, implicit_module: bool = True
    ) -> Operation:
        """Return the top-level operation in `text`, or a new module around the others.

        Raises:
            IRError: the text does not parse, or its IR does not verify.
        """
        if implicit_module and (path := file_of(text, name)):
            parse_file = self.bindings.ir.Module.parseFile
            return self.parse_with(lambda: parse_file(str(path), self.mlir).operation)
        given = self.bindings, self.mlir, text, name
        rename = partial(rename_file, name=name)
        if implicit_module and "{-#" in text:
            # A second attempt would find the keys of resources taken, and rename them.
            return self.parse_with(partial(parse_module, *given), rename)
        parsed = self._parsed(partial(parse_operation, *given))
        is_module = parsed.error is None and parsed.operation.name == BUILTIN_MODULE
        is_wrong = parsed.error and not is_about_number_of_operations(parsed.found)
        if is_module or is_wrong or not implicit_module:
            return self._result(parsed)
        return self.parse_with(partial(parse_module, *given), rename)

    def parse_with(
        self,
        parse: Callable[[], Operation],
        rename: Callable[[Diagnostic], Diagnostic] = lambda diagnostic: diagnostic,
    ) -> Operation:
        """Return the result of `parse`; report what MLIR says.

        Raises:
            IRError: the text does not parse, or its IR does not verify.
        """
        parsed = self._parsed(parse)
        return self._result(parsed._replace(found=[*map(rename, parsed.found)]))

    def parse_module(self, text: str, name: str) -> Operation:
        """Return a module around the operations in `text`; report nothing.

        Raises:
            IRError: the text does not parse, or its IR does not verify. It has the
                first error.
        """
        parsed = self._parsed(
            partial(parse_module, self.bindings, self.mlir, text, name)
        )
        if parsed.error is None:
            return parsed.operation
        errors = [found for found in parsed.found if found.severity == "error"]
        errors.append(Diagnostic("error", "the IR is not valid", f"{name}:1:1"))
        raise IRError(rename_file(without_operation(errors[0]), name)) from parsed.error

    def _parsed(self, parse: Callable[[], Operation]) -> Parsed:
        """Return the outcome of `parse`; report nothing."""
        found: list[Diagnostic] = []
        try:
            with self.without_threads, self.collected_in(found):
                return Parsed(parse(), found, None)
        except self.bindings.ir.MLIRError as error:
            return Parsed(None, found, error)

    def _result(self, parsed: Parsed) -> Operation:
        """Return the parsed operation; report what MLIR said.

        Raises:
            IRError: there is none.
        """
        if parsed.error is not None:
            error = self._first_error(parsed.found, UNKNOWN_LOCATION)
            raise IRError(error) from parsed.error
        for diagnostic in parsed.found:
            self.handle(diagnostic)
        return parsed.operation

    @contextmanager
    def collected_in(
        self, found: list[Diagnostic], *, reports: bool = False
    ) -> Iterator[None]:
        """Append what MLIR reports in the block to `found`, and report it if `reports`.

        MLIR's threads must not call a handler: while a context that exists already has
        them, only the errors of an exception are found.
        """
        try:
            if not self.is_own and has_threads(self.mlir):
                yield
                return
            with (
                self._errors_reported,
                reported_to(found.append, self.mlir, passes_on=reports),
            ):
                yield
        except self.bindings.ir.MLIRError as error:
            captured = errors_of(error)
            found += captured
            for diagnostic in captured if reports else ():
                self.report(diagnostic)
            raise

    @contextmanager
    def running(self) -> Iterator[list[Diagnostic]]:
        """Make MLIR's context current and handle its diagnostics during the block."""
        with super().running() as diagnostics, self.mlir:
            if not self.is_own and has_threads(self.mlir):
                yield diagnostics
                return
            with reported_to(self.report, self.mlir):
                yield diagnostics

    def disable_multithreading(self) -> None:
        """Let MLIR use no threads."""
        self.mlir.enable_multithreading(enable=False)

    def report(self, diagnostic: Diagnostic) -> None:
        """Pass a diagnostic of MLIR to the diagnostic handler."""
        self.handle(self._format(diagnostic))

    def _first_error(self, found: list[Diagnostic], place: str) -> Diagnostic:
        """Return the first error, else one at `place`; report all others of `found`."""
        errors = [diagnostic for diagnostic in found if diagnostic.severity == "error"]
        errors.append(Diagnostic("error", "the IR is not valid", place))
        for diagnostic in found:
            if diagnostic is not errors[0]:
                self.report(diagnostic)
        return self._format(errors[0])

    def _format(self, diagnostic: Diagnostic) -> Diagnostic:
        """Return `diagnostic`, without the operation if the context hides it."""
        if self.prints_operation_on_diagnostic:
            return diagnostic
        return without_operation(diagnostic)


def _pattern_library() -> type:
    # Most runs apply no patterns.
    from passgen_runtime.ir.mlir.pattern_library import (  # noqa: PLC0415
        MLIRPatternLibrary,
    )

    return MLIRPatternLibrary
