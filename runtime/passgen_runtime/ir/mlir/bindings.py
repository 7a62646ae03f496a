"""MLIR's Python bindings, whichever package ships them.

Each project that builds on MLIR ships its own copy: `mlir`, `jaxlib.mlir`,
`iree.compiler`, ... All copies have the modules `ir` and `passmanager`; none accepts
objects of another.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, TypeAlias

from passgen_runtime.errors import PassError

MLIRObject: TypeAlias = Any
"""An object of any copy of the bindings."""

_UPSTREAM: Final = "mlir"
"""The package that MLIR itself builds; others are copies of it."""

_PACKAGES: Final = ("jaxlib.mlir", "iree.compiler", "torch_mlir", "circt")

ENTRY_POINT_GROUP: Final = "passgen.mlir_bindings"
"""The entry points that announce more packages with bindings, as their values."""

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
            BindingsError: the package has none.
        """
        self.package = package
        try:
            self.ir: MLIRObject = import_module(f"{package}.ir")
            self.passmanager: MLIRObject = import_module(f"{package}.passmanager")
            extension = _EXTENSIONS.get(package)
            self._extension = import_module(extension) if extension else None
        except ImportError as error:
            raise BindingsError(
                f"no bindings of MLIR in the package '{package}': {error}\n"
                "note: the extra 'mlir' of mlir-passgen-runtime brings the package "
                "'mlir'; jaxlib has 'jaxlib.mlir'"
            ) from error
        for register in self._functions(_PASSES):
            register()

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
        """Return a new context of MLIR with all dialects of the package loaded."""
        context = self.ir.Context()
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


_imported_bindings: Final = cache(Bindings)


def bindings_of(package: str | None = None) -> Bindings:
    """Return the bindings in `package`, or in `default_package()`, imported once.

    Raises:
        BindingsError: there are none.
    """
    return _imported_bindings(package or default_package())


@cache
def default_package() -> str:
    """Return `mlir` if it is installed, else the only other package with bindings.

    Raises:
        BindingsError: there are several others.
    """
    if _has_bindings(_UPSTREAM):
        return _UPSTREAM
    announced = [point.value for point in entry_points(group=ENTRY_POINT_GROUP)]
    found = sorted(filter(_has_bindings, {*_PACKAGES, *announced}))
    if len(found) > 1:
        raise BindingsError(
            f"several packages have bindings of MLIR: {', '.join(found)}\n"
            f"note: name one: MLIRContext('{found[0]}'), or --ir=mlir:{found[0]}"
        )
    return found[0] if found else _UPSTREAM


def _has_bindings(package: str) -> bool:
    """Return whether `package` has bindings, without importing it."""
    top, *inner = package.split(".")
    spec = find_spec(top)
    folders = (spec and spec.submodule_search_locations) or ()
    return any(Path(folder, *inner, "ir.py").is_file() for folder in folders)


def package_of(mlir_object: MLIRObject) -> str | None:
    """Return the package of the bindings that made an object, `None` if none did."""
    for cls in type(mlir_object).__mro__:
        package, found, _ = cls.__module__.partition("._mlir_libs")
        if found:
            return package
    return None
