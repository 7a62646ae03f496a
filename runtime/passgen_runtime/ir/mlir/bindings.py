"""MLIR's Python bindings, whichever package ships them.

Each project that builds on MLIR ships its own copy: `mlir`, `jaxlib.mlir`,
`iree.compiler`, ... All copies have the modules `ir` and `passmanager`; none accepts
objects of another. `installed_bindings` finds them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from importlib import import_module
from typing import Any, Final, TypeAlias

from passgen_runtime.errors import PassError, text_of
from passgen_runtime.ir.mlir.capabilities import missing_capabilities

MLIRObject: TypeAlias = Any
"""An object of any copy of the bindings."""

_UPSTREAM: Final = "mlir"
"""The package that MLIR itself builds; others are copies of it."""

_HOW_TO_INSTALL: Final = (
    "the extra 'mlir' of mlir-passgen-runtime brings the package 'mlir'; jaxlib has "
    "'jaxlib.mlir'"
)

_EXTENSIONS: Final = {"jaxlib.mlir": "jaxlib.mlir._mlir_libs._jax_mlir_ext"}
"""The modules that register dialects, for packages whose new contexts have none."""

_DIALECTS: Final = {
    "jaxlib.mlir": {
        "_stablehlo": "register_dialect",
        "_chlo": "register_dialect",
        "_mlirHlo": "register_mhlo_dialect",
        "_sdy": "register_dialect",
        "_sdyMpmd": "register_dialect",
    }
}
"""Dialects outside LLVM: the modules, and the functions in them that load dialects."""

_PASSES: Final = {
    "jaxlib.mlir": {
        "_stablehlo": "register_stablehlo_passes",
        "_mlirHlo": "register_mhlo_passes",
    }
}
"""Passes outside LLVM: the modules, and the functions in them that register passes."""

_CAPSULE_NAME = ctypes.pythonapi.PyCapsule_GetName
_CAPSULE_NAME.argtypes = [ctypes.py_object]
_CAPSULE_NAME.restype = ctypes.c_char_p
_CAPSULE_POINTER = ctypes.pythonapi.PyCapsule_GetPointer
_CAPSULE_POINTER.argtypes = [ctypes.py_object, ctypes.c_char_p]
_CAPSULE_POINTER.restype = ctypes.c_void_p


class BindingsError(PassError):
    """A package has no MLIR bindings, or an object belongs to other bindings."""


class Bindings:
    """The bindings in one package."""

    def __init__(self, package: str) -> None:
        """Import the bindings in `package`.

        Raises:
            Exception: they do not import. Any other package may raise anything.
        """
        self.package = package
        self.ir: MLIRObject = import_module(f"{package}.ir")
        self.passmanager: MLIRObject = self._module("passmanager")
        extension = _EXTENSIONS.get(package)
        self._extension = import_module(extension) if extension else None
        self._can_be_used = False
        for register in self._functions(_PASSES):
            register()

    def _module(self, name: str) -> MLIRObject:
        """Return the module called `name`, or the part of the extension it shows.

        Raises:
            ImportError: there is neither.
        """
        try:
            return import_module(f"{self.package}.{name}")
        except ModuleNotFoundError as error:
            extension = import_module(f"{self.package}._mlir_libs._mlir")
            if error.name != f"{self.package}.{name}" or not hasattr(extension, name):
                raise
            return getattr(extension, name)

    @cached_property
    def operation_classes(self) -> tuple[type, ...]:
        """The classes of all operations."""
        return self.ir.Operation, self.ir.OpView

    @cached_property
    def rewrite(self) -> MLIRObject:
        """The module with MLIR's rewriter; `None` if the bindings have none."""
        try:
            return self._module("rewrite")
        except ImportError:
            return None

    def refuse(self, mlir_object: MLIRObject) -> None:
        """Refuse an object of MLIR that is no operation of these bindings.

        Raises:
            BindingsError: the reason; none if it is no object of MLIR.
        """
        package = package_of(mlir_object)
        if package is not None and package != self.package:
            raise BindingsError(
                f"found an operation of the bindings '{package}', expected one of "
                f"'{self.package}'"
            )
        if isinstance(mlir_object, self.ir.Module):
            raise BindingsError(
                "found a Module, expected an operation: use its attribute `operation`"
            )

    def check(self, context: MLIRObject) -> None:
        """Check once that the bindings can do what this package needs.

        Raises:
            BindingsError: they cannot.
        """
        if self._can_be_used:
            return
        missing = missing_capabilities(self.ir, self.passmanager, context)
        if missing:
            raise BindingsError(
                f"the bindings of MLIR in the package '{self.package}' lack "
                f"{', '.join(missing)}\nnote: those of LLVM 22 and newer can be used; "
                "the extra 'mlir' of mlir-passgen-runtime brings them"
            )
        self._can_be_used = True

    def _functions(
        self, table: Mapping[str, Mapping[str, str]]
    ) -> Iterator[Callable[..., None]]:
        """Yield the functions in `table` that this version of the package has."""
        for module, name in table.get(self.package, {}).items():
            try:
                library = import_module(f"{self.package}._mlir_libs.{module}")
            except ImportError:
                continue
            yield getattr(library, name)

    def new_context(self) -> MLIRObject:
        """Return a new context of MLIR with all dialects of the package loaded.

        Raises:
            BindingsError: the bindings cannot do what this package needs.
        """
        context = self.ir.Context()
        self.check(context)
        if self._extension is not None:
            registry = self.ir.DialectRegistry()
            self._extension.register_dialects(registry)
            context.append_dialect_registry(registry)
            context.load_all_available_dialects()
        for register in self._functions(_DIALECTS):
            register(context)
        return context

    @cached_property
    def scratch(self) -> MLIRObject:
        """A context of MLIR for parsing pipelines; it holds no IR."""
        context = self.new_context()
        context.enable_multithreading(enable=False)
        return context

    def operation_names(self, dialect: str) -> list[str]:
        """Return the names of the operations of `dialect` that have classes."""
        try:
            module = import_module(f"{self.package}.dialects.{dialect}")
        except ImportError:
            return []
        names = (getattr(cls, "OPERATION_NAME", None) for cls in vars(module).values())
        return [name for name in names if isinstance(name, str)]

    def address(self, operation: MLIRObject) -> int:
        """Return the address of `operation`, its identity.

        The bindings create several objects for one operation, and their hashes change
        with its content.

        Raises:
            RuntimeError: this object has erased the operation.
        """
        capsule = operation._CAPIPtr  # noqa: SLF001 - public to other extensions
        address: int = _CAPSULE_POINTER(capsule, _CAPSULE_NAME(capsule))
        return address


_imported: Final[dict[str, Bindings]] = {}
_refused: Final[dict[str, BindingsError]] = {}
"""The first errors of packages, whose later ones only follow from them."""


def bindings_of(package: str | None = None) -> Bindings:
    """Return the bindings in `package`, or in `default_package()`, imported once.

    Raises:
        BindingsError: there are none.
    """
    package = package or default_package()
    if package not in _imported:
        try:
            _imported[package] = Bindings(package)
        except (Exception, SystemExit) as error:
            if _is_missing(package, error):
                raise _no_bindings(package, error) from error
            refusal = _refused.setdefault(package, _import_error(package, error))
            raise refusal.with_traceback(None) from error
    return _imported[package]


def loaded_bindings() -> tuple[Bindings, ...]:
    """Return the bindings that `bindings_of` has imported."""
    return tuple(_imported.values())


def _is_missing(package: str, error: BaseException) -> bool:
    """Return whether `error` is about the package itself, which is not installed."""
    name = error.name if isinstance(error, ModuleNotFoundError) else None
    return name is not None and f"{package}.ir.".startswith(f"{name}.")


def _no_bindings(package: str, error: BaseException) -> BindingsError:
    # It takes longer than most imports.
    from passgen_runtime.ir.mlir.installed_bindings import (  # noqa: PLC0415
        installed_packages,
    )

    installed = ", ".join(f"'{name}'" for name in installed_packages())
    note = f"installed are those in {installed}" if installed else _HOW_TO_INSTALL
    return BindingsError(
        f"no bindings of MLIR in the package '{package}': {error}\nnote: {note}"
    )


def _import_error(package: str, error: BaseException) -> BindingsError:
    """Return why the bindings in `package` cannot be imported in this process."""
    # It takes longer than most imports.
    from passgen_runtime.ir.mlir.installed_bindings import (  # noqa: PLC0415
        libraries_shared_with_others,
    )

    message = (
        f"the bindings of MLIR in the package '{package}' do not import: "
        f"{type(error).__name__}: {text_of(error)}"
    )
    for other, libraries in libraries_shared_with_others(package):
        message += (
            f"\nnote: '{other}' is imported in this process, and libraries of both "
            f"are called {' and '.join(libraries)}: use each in a process of its own"
        )
    return BindingsError(message)


@cache
def default_package() -> str:
    """Return `mlir` if it is installed, else the only other package with bindings.

    Raises:
        BindingsError: there are several others.
    """
    # It takes longer than most imports.
    from passgen_runtime.ir.mlir.installed_bindings import (  # noqa: PLC0415
        folder_of,
        installed_packages,
    )

    if folder_of(_UPSTREAM) is not None:  # without a look at each distribution
        return _UPSTREAM
    found = installed_packages()
    if len(found) > 1:
        raise BindingsError(
            f"several packages have bindings of MLIR: {', '.join(found)}\n"
            f"note: name one: MLIRContext('{found[0]}'), or --ir=mlir:{found[0]}"
        )
    return found[0] if found else _UPSTREAM


def package_of(mlir_object: MLIRObject) -> str | None:
    """Return the package of the bindings that made an object, `None` if none did."""
    for cls in type(mlir_object).__mro__:
        package, found, _ = cls.__module__.partition("._mlir_libs")
        if found:
            return package
    return None
