"""The dialects that an xDSL context can load, and a guard against late loading."""

from __future__ import annotations

from collections.abc import Callable, KeysView
from copy import deepcopy
from typing import Protocol
from weakref import WeakSet

from xdsl.context import Context as XDSLIRContext
from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.dialects import get_all_dialects
from xdsl.ir import Dialect
from xdsl.universe import Universe

from passgen_runtime.errors import DialectError, RegistrationError


class _LoadingContext(Protocol):
    """A context that wraps one of xDSL."""

    @property
    def is_running(self) -> bool: ...

    @property
    def loads_dialects_always(self) -> bool: ...


class LoadingGuard:
    """Prevents an xDSL context from loading dialects while a pipeline runs.

    xDSL has no hook for this, but loads all dialects through one method of the context.
    The guard replaces it, once for all `XDSLContext`s that wrap the same context.
    """

    def __init__(self, load: Callable[[str], None]) -> None:
        """Guard `load`."""
        self._load = load
        self.contexts: WeakSet[_LoadingContext] = WeakSet()
        """The contexts that wrap the xDSL context."""

    @classmethod
    def of(cls, xdsl: XDSLIRContext) -> LoadingGuard:
        """Return the guard of `xdsl`; install one if there is none."""
        load = xdsl.load_registered_dialect
        if isinstance(load, LoadingGuard):
            return load
        guard = cls(load)
        xdsl.load_registered_dialect = guard  # type: ignore[method-assign] # of this instance
        return guard

    def __call__(self, name: str) -> None:
        """Load the dialect called `name`.

        Raises:
            DialectError: a pipeline runs.
        """
        if any(
            context.is_running and not context.loads_dialects_always
            for context in self.contexts
        ):
            raise DialectError(
                f"dialect '{name}' cannot be loaded while a pipeline runs: declare it "
                "in the dependentDialects of the pass"
            )
        self._load(name)


def installed_dialects_context() -> XDSLIRContext:
    """Return a new xDSL context that loads any installed dialect on demand."""
    return XDSLIRContext(_registered_dialects=_InstalledDialects())


def installed_universe() -> Universe:
    """Return the dialects and passes of xDSL, and of the packages that extend it.

    Raises:
        RegistrationError: a package that extends xDSL is broken.
    """
    try:
        return Universe.get_multiverse()
    except Exception as error:
        from importlib.metadata import entry_points  # noqa: PLC0415 - 13 ms

        found = f"the packages that extend xDSL cannot be used: {error}"
        for plugin in entry_points(group="xdsl.universe"):
            try:
                plugin.load()
            except Exception as broken:
                reason = f"{type(broken).__name__}: {broken}"
                found = f"xDSL's plugin '{plugin.name}' ({plugin.value}) is broken"
                raise RegistrationError(f"{found}: {reason}") from broken
        raise RegistrationError(found) from error


class _InstalledDialects(dict[str, Callable[[], Dialect]]):
    """xDSL's own dialects; a look-up of another one loads those of other packages.

    Loading the entry points of all packages takes too long to do it always.
    """

    def __init__(self) -> None:
        super().__init__(get_all_dialects())
        self._is_complete = False

    def __contains__(self, name: object) -> bool:
        if not super().__contains__(name):
            self._complete()
        return super().__contains__(name)

    def __getitem__(self, name: str) -> Callable[[], Dialect]:
        """Return a function that makes a dialect with resources of its own.

        xDSL keeps the resources of all contexts in one object of a dialect.
        """
        dialect = super().__getitem__(name)()
        has_resources = dialect.has_interface(OpAsmDialectInterface)
        return lambda: deepcopy(dialect) if has_resources else dialect

    def keys(self) -> KeysView[str]:  # type: ignore[override] # a view as well
        self._complete()
        return super().keys()

    def copy(self) -> _InstalledDialects:
        """Return a copy that also looks for dialects of other packages."""
        copied = _InstalledDialects()
        copied.update(self)
        return copied

    def _complete(self) -> None:
        if not self._is_complete:
            self._is_complete = True
            for name, factory in installed_universe().all_dialects.items():
                self.setdefault(name, factory)
