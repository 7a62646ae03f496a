"""Traits and interfaces of MLIR's operation types, as far as they are known.

The bindings do not expose them, so some are found by trial: MLIR refuses to run a pass
on an operation that is not isolated from above, and refuses a pass that requires an
interface in a pipeline anchored on an operation without it.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final

from passgen_runtime.ir.mlir.bindings import Bindings, MLIRObject
from passgen_runtime.ir.mlir.diagnostics import reported_to
from passgen_runtime.ir.mlir.known_passes import llvm_passes
from passgen_runtime.ir.mlir.settings import errors_reported

FUNCTION_OP_INTERFACE: Final = "FunctionOpInterface"
ISOLATED_FROM_ABOVE: Final = "IsolatedFromAbove"
SYMBOL_OP_INTERFACE: Final = "SymbolOpInterface"
SYMBOL_TABLE: Final = "SymbolTable"


class MLIROperationInfo:
    """A registered operation type of MLIR."""

    def __init__(self, bindings: Bindings, name: str, mlir: MLIRObject) -> None:
        """Describe the operations called `name`, registered in the context `mlir`."""
        self.name = name
        self._bindings = bindings
        self._mlir = mlir
        operation = _empty_operation(bindings, name, mlir)
        self.is_isolated_from_above = _accepts_passes(bindings, operation, mlir)
        view = type(operation.opview)
        self._has_symbol_name = hasattr(view, "sym_name")
        self._has_function_type = hasattr(view, "function_type")

    @cached_property
    def _is_function(self) -> bool:
        accepted = _accepts_function_passes(self._bindings, self.name, self._mlir)
        return self._has_function_type if accepted is None else accepted

    @property
    def _is_symbol(self) -> bool:
        return self._has_symbol_name or self._is_function

    @cached_property
    def is_symbol_table(self) -> bool:
        """Whether its operations are symbol tables."""
        operation = _empty_operation(self._bindings, self.name, self._mlir)
        # MLIR assumes that a symbol table has a block.
        with self._mlir, self._bindings.ir.Location.unknown():
            operation.regions[0].blocks.append()
        try:
            self._bindings.ir.SymbolTable(operation)
        except TypeError:
            return False
        return True

    def has_interface(self, interface: str) -> bool:
        """Return whether the type has `interface`, of functions, symbols or tables.

        If no pass of the bindings requires `FunctionOpInterface`, operations with a
        function type are assumed to have it. Other interfaces are unknown.
        """
        if interface == SYMBOL_TABLE:
            return self.is_symbol_table
        if interface == FUNCTION_OP_INTERFACE:
            return self._is_function
        return interface == SYMBOL_OP_INTERFACE and self._is_symbol

    def has_trait(self, trait: str) -> bool:
        """Return whether the type has `trait`; only isolation and symbols are known."""
        if trait == SYMBOL_TABLE:
            return self.is_symbol_table
        if trait == ISOLATED_FROM_ABOVE:
            return self.is_isolated_from_above
        return trait in ("Symbol", SYMBOL_OP_INTERFACE) and self._is_symbol


def _empty_operation(bindings: Bindings, name: str, mlir: MLIRObject) -> MLIRObject:
    """Return an operation with one region without blocks; it may be invalid."""
    with mlir, bindings.ir.Location.unknown(mlir):
        return bindings.ir.Operation.create(name, regions=1, ip=False)


def _accepts_passes(
    bindings: Bindings, operation: MLIRObject, mlir: MLIRObject
) -> bool:
    """Return whether MLIR runs passes on `operation`: it is isolated from above."""
    manager = bindings.passmanager.PassManager("any", mlir)
    manager.add(lambda *_: None)
    return _runs(bindings, manager, operation)


def _accepts_function_passes(
    bindings: Bindings, name: str, mlir: MLIRObject
) -> bool | None:
    """Return whether MLIR accepts a pass on functions in a pipeline anchored on `name`.

    `None` if these bindings have no such pass.
    """
    with mlir, bindings.ir.Location.unknown(mlir):
        empty = bindings.ir.Module.create().operation
    for argument, info in llvm_passes().items():
        if info.interface == FUNCTION_OP_INTERFACE:
            try:
                manager = bindings.passmanager.PassManager.parse(
                    f"{empty.name}({name}({argument}))", mlir
                )
            except ValueError:  # the bindings lack this pass
                continue
            return _runs(bindings, manager, empty)
    return None


def _runs(bindings: Bindings, manager: MLIRObject, operation: MLIRObject) -> bool:
    """Return whether MLIR's `manager` runs on `operation`; report no diagnostics."""
    manager.enable_verifier(enable=False)
    mlir = operation.context
    try:
        with errors_reported(mlir), reported_to(lambda _: None, mlir):
            manager.run(operation)
    except bindings.ir.MLIRError:
        return False
    return True
