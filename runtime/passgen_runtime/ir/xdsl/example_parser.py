"""The parser of patterns that are shown as IR: it learns the types of free values.

xDSL's parser resolves each operand with a type, which the text spells or the definition
of the operation gives. The first one is the type of a value that nothing defines.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from xdsl.context import Context as XDSLIRContext
from xdsl.dialects.builtin import UnrealizedConversionCastOp
from xdsl.ir import Attribute, AttributeInvT, Operation, SSAValue
from xdsl.parser import UnresolvedOperand

from passgen_runtime.ir.xdsl.parser import LocatingParser


class ExampleParser(LocatingParser):
    """A parser of an example."""

    def __init__(
        self,
        context: XDSLIRContext,
        text: str,
        name: str,
        free: Collection[str],
        known: Mapping[str, Attribute],
    ) -> None:
        """Prepare to parse `text`.

        Args:
            context: the context with the dialects.
            text: the example.
            name: the file name for diagnostics.
            free: the names of values that it does not define.
            known: types of values by name; those of results that share a name are
                `%r` and `%r#1`.
        """
        super().__init__(context, text, name, None)
        self._free = {value.removeprefix("%") for value in free}
        self.definitions: list[Operation] = []
        """Operations that define the free values."""

        self._defined: dict[str, tuple[SSAValue, ...]] = {}
        """The free values by name."""

        groups: dict[str, list[Attribute]] = {}
        for value, type_ in sorted(known.items(), key=lambda item: _number(item[0])):
            groups.setdefault(value[1:].partition("#")[0], []).append(type_)
        for group, types in groups.items():
            if group in self._free:
                self._define(group, types)

    def resolve_operand(
        self, operand: UnresolvedOperand, type: AttributeInvT  # noqa: A002 - xDSL's
    ) -> SSAValue[AttributeInvT]:
        """Resolve `operand`; a free value without a type gets `type`."""
        name = operand.operand_name
        if name in self._free and name not in self.ssa_values:
            if name in self._defined:  # the names in a region end with it
                self.ssa_values[name] = self._defined[name]
            else:
                self._define(name, [type])
        return super().resolve_operand(operand, type)

    def names(self) -> dict[SSAValue, str]:
        """Return the names of all values."""
        return {
            value: f"%{name}#{number}" if number else f"%{name}"
            for name, values in (self.ssa_values | self._defined).items()
            for number, value in enumerate(values)
        }

    def _define(self, name: str, types: list[Attribute]) -> None:
        made = UnrealizedConversionCastOp.create(result_types=types)
        self.definitions.append(made)
        self.ssa_values[name] = self._defined[name] = tuple(made.results)


def _number(name: str) -> int:
    return int(name.partition("#")[2] or 0)
