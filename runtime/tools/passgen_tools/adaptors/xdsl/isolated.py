"""Operations of xDSL's IR without those around them, for workers.

A worker has one operation, and no symbol outside of it: a pass that looks one up gets
xDSL's error. xDSL's verifier looks symbols up too, such as the callee of `func.call`,
so declarations of those that an operation refers to stand around it while it verifies.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from importlib import import_module
from typing import Any

from xdsl.context import Context as XDSLIRContext
from xdsl.dialects import get_all_dialects
from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import Dialect, Operation, Region
from xdsl.traits import SymbolOpInterface, SymbolTable

from passgen_runtime.errors import DialectError, SchedulingError


def context_spec_of(xdsl: XDSLIRContext) -> dict[str, Any]:
    """Return the loaded dialects by name, with the places of those not xDSL's own.

    Raises:
        SchedulingError: no module has a dialect under a name.
    """
    installed = get_all_dialects()
    dialects: dict[str, str] = {}
    for dialect in xdsl.loaded_dialects:
        factory = installed.get(dialect.name)
        is_installed = factory is not None and _classes(factory()) == _classes(dialect)
        dialects[dialect.name] = "" if is_installed else _place_of(dialect)
    return {
        "packages": ["xdsl"],
        "allow_unregistered": xdsl.allow_unregistered,
        "dialects": dialects,
    }


def _classes(dialect: Dialect) -> tuple[type, ...]:
    """Return what tells dialects apart: contexts may have copies of them."""
    return (*dialect.operations, *dialect.attributes)


def _place_of(dialect: Dialect) -> str:
    classes = _classes(dialect)
    for module_name in dict.fromkeys(cls.__module__ for cls in classes):
        for name, value in vars(import_module(module_name)).items():
            is_it = isinstance(value, Dialect) and _classes(value) == classes
            if is_it and module_name != "__main__":
                return f"{module_name}:{name}"
    raise SchedulingError(
        f"dialect '{dialect.name}' cannot be found in another process: let the module "
        "of its operations hold it under a name"
    )


def load_as_in(spec: Mapping[str, Any], xdsl: XDSLIRContext) -> None:
    """Load into `xdsl` the dialects of `spec`.

    Raises:
        DialectError: one is not there.
    """
    xdsl.allow_unregistered = spec["allow_unregistered"]
    for name, place in spec["dialects"].items():
        if not place:
            if xdsl.get_optional_dialect(name) is None:
                raise DialectError(f"dialect '{name}' is not registered")
            continue
        module_name, _, attribute = place.partition(":")
        try:
            xdsl.load_dialect(getattr(import_module(module_name), attribute))
        except Exception as error:  # importing may raise anything
            message = f"dialect '{name}' cannot be loaded from '{place}': {error}"
            raise DialectError(message) from error


class XDSLSymbolDeclarations:
    """The symbols that operations directly inside another one refer to."""

    def __init__(self, around: Operation) -> None:
        """Look symbols up from `around`, which holds the operations."""
        self._around = around

    def __call__(self, operation: Operation) -> list[Operation] | None:
        """Return the symbols that `operation` refers to, without regions' content.

        `None` if it refers to symbols inside of symbols.
        """
        if operation.has_trait(SymbolTable, value_if_unregistered=False):
            return []
        names: dict[str, None] = {}
        for inner in operation.walk():
            for attribute in (*inner.properties.values(), *inner.attributes.values()):
                if type(attribute) is SymbolRefAttr:
                    if len(attribute.nested_references):
                        return None
                    names[attribute.root_reference.data] = None
        symbols = self._symbols if names else {}
        return [_declaration(symbols[name]) for name in names if name in symbols]

    @cached_property
    def _symbols(self) -> dict[str, Operation]:
        """The symbols of the nearest table."""
        table: Operation | None = self._around
        while table is not None and not table.has_trait(
            SymbolTable, value_if_unregistered=False
        ):
            table = table.parent_op()
        symbols: dict[str, Operation] = {}
        for operation in () if table is None else table.regions[0].block.ops:
            trait = operation.get_trait(SymbolOpInterface)
            name = None if trait is None else trait.get_sym_attr_name(operation)
            if name is not None:
                symbols.setdefault(name.data, operation)
        return symbols


def _declaration(symbol: Operation) -> Operation:
    return type(symbol).create(
        result_types=symbol.result_types,
        properties=symbol.properties,
        attributes=symbol.attributes,
        regions=[Region() for _ in symbol.regions],
    )
