"""What is known of MLIR's operation types, as far as the bindings can tell.

They do not know traits or interfaces. Isolation is found out by trial: MLIR itself
refuses to run a pass on an operation that is not isolated from above.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final

from passgen_runtime.ir.mlir.bindings import Bindings, MLIRObject

FUNCTION_OP_INTERFACE: Final = "FunctionOpInterface"
ISOLATED_FROM_ABOVE: Final = "IsolatedFromAbove"
SYMBOL_OP_INTERFACE: Final = "SymbolOpInterface"
SYMBOL_TABLE: Final = "SymbolTable"


class MLIROperationInfo:
    """What is known of a registered operation type of MLIR."""

    def __init__(self, bindings: Bindings, name: str, mlir: MLIRObject) -> None:
        """Describe the operations called `name`, registered in the context `mlir`."""
        self.name = name
        self._bindings = bindings
        self._mlir = mlir
        operation = _empty_operation(bindings, name, mlir)
        self.is_isolated_from_above = _accepts_passes(bindings, operation, mlir)
        view = type(operation.opview)
        self._is_function = hasattr(view, "function_type")
        self._is_symbol = self._is_function or hasattr(view, "sym_name")

    @cached_property
    def is_symbol_table(self) -> bool:
        """Whether symbols are looked up in its operations."""
        operation = _empty_operation(self._bindings, self.name, self._mlir)
        # MLIR takes for granted that there is a block in a symbol table.
        with self._mlir, self._bindings.ir.Location.unknown():
            operation.regions[0].blocks.append()
        try:
            self._bindings.ir.SymbolTable(operation)
        except TypeError:
            return False
        return True

    def has_interface(self, interface: str) -> bool:
        """Return whether the type has the interface; known are two, and `SymbolTable`.

        `FunctionOpInterface` is told by what its operations have: a function type.
        """
        if interface == SYMBOL_TABLE:
            return self.is_symbol_table
        if interface == FUNCTION_OP_INTERFACE:
            return self._is_function
        return interface == SYMBOL_OP_INTERFACE and self._is_symbol

    def has_trait(self, trait: str) -> bool:
        """Return whether the type has the trait; known are isolation and symbols."""
        if trait == SYMBOL_TABLE:
            return self.is_symbol_table
        if trait == ISOLATED_FROM_ABOVE:
            return self.is_isolated_from_above
        return trait in ("Symbol", SYMBOL_OP_INTERFACE) and self._is_symbol


def _empty_operation(bindings: Bindings, name: str, mlir: MLIRObject) -> MLIRObject:
    """Return an operation of the type with nothing in it: it need not be valid."""
    with mlir, bindings.ir.Location.unknown(mlir):
        return bindings.ir.Operation.create(name, regions=1, ip=False)


def _accepts_passes(
    bindings: Bindings, operation: MLIRObject, mlir: MLIRObject
) -> bool:
    """Return whether MLIR runs a pass on `operation`."""
    ran: list[str] = []
    manager = bindings.passmanager.PassManager("any", mlir)
    manager.enable_verifier(enable=False)
    manager.add(lambda operation, _: ran.append(operation.name))
    reported = mlir.attach_diagnostic_handler(lambda _: True)
    try:
        manager.run(operation)
    except bindings.ir.MLIRError:
        pass  # said: it is not isolated from above
    finally:
        reported.detach()
    return bool(ran)
