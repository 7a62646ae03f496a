"""Operation classes of xDSL in the role of MLIR's registered operation types."""

from __future__ import annotations

from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation
from xdsl.traits import IsolatedFromAbove, OpTrait, SymbolOpInterface

FUNCTION_OP_INTERFACE = "FunctionOpInterface"

_TRAIT_NAMES = {
    "SymbolOpInterface": "SymbolOpInterface",
    "Symbol": "SymbolOpInterface",
    "Terminator": "IsTerminator",
}
"""xDSL's names of MLIR's traits and interfaces, by MLIR's names."""


class XDSLOperationInfo:
    """A registered operation class of xDSL."""

    def __init__(self, operation_class: type[Operation]) -> None:
        """Describe `operation_class`."""
        self.operation_class = operation_class
        self.name = operation_class.name
        self.is_isolated_from_above = operation_class.has_trait(IsolatedFromAbove)
        self._trait_names = frozenset(
            base.__name__
            for trait in operation_class.traits
            for base in type(trait).__mro__
            if issubclass(base, OpTrait)
        )

    def has_interface(self, interface: str) -> bool:
        """Return whether the class has `interface`, a trait in xDSL except for one."""
        if interface == FUNCTION_OP_INTERFACE:
            return self._is_function()
        return self.has_trait(interface)

    def has_trait(self, trait: str) -> bool:
        """Return whether the class has the trait with this name of MLIR or xDSL."""
        return _TRAIT_NAMES.get(trait, trait) in self._trait_names

    def _is_function(self) -> bool:
        """Return whether it is a symbol with a function type and one region."""
        if not issubclass(self.operation_class, IRDLOperation):
            return False
        definition = self.operation_class.get_irdl_definition()
        names = {*definition.properties, *definition.attributes}
        is_symbol = self.operation_class.has_trait(SymbolOpInterface)
        return "function_type" in names and is_symbol and len(definition.regions) == 1
