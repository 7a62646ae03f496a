"""The passes of LLVM's MLIR, with their anchors and options.

The bindings do not expose these. `make generate` writes them to `known_passes.yaml`,
a spec in JSON syntax, from the `Passes.td` files of LLVM 22. A pass outside the table,
which has no `Passes.td` in LLVM, can run too: MLIR checks its anchor.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from passgen_runtime.pass_options import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT8,
    INT16,
    INT32,
    INT64,
    PIPELINE,
    STRING,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    OptionInfo,
    OptionType,
)

_TABLE: Final = Path(__file__).with_name("known_passes.yaml")

_INTEGERS: Final = (INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64)
_TYPES: Final[Mapping[str, OptionType[Any]]] = {
    type_.name: type_ for type_ in (BOOL, DOUBLE, FLOAT, PIPELINE, STRING, *_INTEGERS)
}


class NativePassInfo(NamedTuple):
    """The declaration of a pass."""

    name: str
    """The name of its class, which reports show."""

    summary: str
    anchor: str | None = None
    """The operation that the pass is restricted to."""

    interface: str | None = None
    """The interface that the pass requires of operations."""

    option_specs: Sequence[Mapping[str, Any]] = ()
    """Its options in the form of a spec."""

    @property
    def options(self) -> dict[str, OptionInfo]:
        """Its options by argument, without their defaults."""
        return {spec["argument"]: _option_info(spec) for spec in self.option_specs}


@cache
def known_passes() -> Mapping[str, NativePassInfo]:
    """Return the table by argument, in the order of the arguments."""
    passes = json.loads(_TABLE.read_bytes())["passes"]
    infos = {
        spec["argument"]: NativePassInfo(
            name,
            spec["summary"],
            spec.get("anchor"),
            spec.get("interface"),
            spec.get("options", ()),
        )
        for name, spec in passes.items()
    }
    return dict(sorted(infos.items()))


def _option_info(spec: Mapping[str, Any]) -> OptionInfo:
    argument, is_list = spec["argument"], "listOf" in spec
    name = spec["listOf" if is_list else "type"]
    if name == "enum":
        values = (
            value if isinstance(value, str) else value["value"]
            for value in spec["values"]
        )
        type_ = replace(STRING, name=name, choices=tuple(values))
    else:
        type_ = _TYPES[name]
    return OptionInfo(argument, argument, type_, is_list, default=None, description="")
