"""The passes of LLVM's MLIR, with their anchors and options.

The bindings do not expose these. `make generate` writes them to `known_passes.yaml`,
a spec in JSON syntax, from the `Passes.td` files of LLVM 22. A pass outside the table,
which has no `Passes.td` in LLVM, can run too: MLIR checks its anchor.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from passgen_runtime.diagnostics import Diagnostic, print_diagnostic
from passgen_runtime.errors import text_of
from passgen_runtime.ir.mlir.native_pass_base import NativePassBase
from passgen_runtime.pass_options import OPTION_TYPES, STRING, OptionInfo

ENTRY_POINT_GROUP: Final = "passgen.native_passes"
"""The entry points that announce the passes of a project over MLIR."""

_TABLE: Final = Path(__file__).with_name("known_passes.yaml")

_TYPES: Final = {type_.name: type_ for type_ in OPTION_TYPES}


class NativePassInfo(NamedTuple):
    """The declaration of a pass."""

    argument: str
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
def llvm_passes() -> Mapping[str, NativePassInfo]:
    """Return the table by argument, in the order of the arguments."""
    infos = {
        spec["argument"]: NativePassInfo(
            spec["argument"],
            name,
            spec["summary"],
            spec.get("anchor"),
            spec.get("interface"),
            [_with_plain_values(option) for option in spec.get("options", ())],
        )
        for name, spec in json.loads(_TABLE.read_bytes())["passes"].items()
    }
    return dict(sorted(infos.items()))


@cache
def announced_passes() -> Mapping[str, NativePassInfo]:
    """Return the passes that projects over MLIR announce, by argument.

    An entry point names a module that the target `native-python` of `passgen` wrote.
    There is a warning if it does not import.
    """
    # Its import takes longer than that of all passes of LLVM.
    from importlib.metadata import entry_points  # noqa: PLC0415

    found: dict[str, NativePassInfo] = {}
    for entry_point in sorted(entry_points(group=ENTRY_POINT_GROUP)):
        try:
            infos = [info_of(declared) for declared in entry_point.load().passes]
        except (Exception, SystemExit) as error:  # noqa: BLE001 - another package
            message = (
                f"the native passes '{entry_point.name}' ({entry_point.value}) do not "
                f"import: {type(error).__name__}: {text_of(error)}"
            )
            print_diagnostic(Diagnostic("warning", message, ENTRY_POINT_GROUP))
            continue
        found |= {info.argument: info for info in infos}
    return dict(sorted(found.items()))


def known_passes() -> Mapping[str, NativePassInfo]:
    """Return the passes of LLVM, and those that projects announce, by argument."""
    return {**llvm_passes(), **announced_passes()}


def known_pass(argument: str) -> NativePassInfo | None:
    """Return the pass called `argument` if LLVM has it or a project announces it."""
    return llvm_passes().get(argument) or announced_passes().get(argument)


def _with_plain_values(spec: dict[str, Any]) -> Mapping[str, Any]:
    """Return an option whose values, if it has any, are texts."""
    if "values" in spec:
        spec["values"] = tuple(
            value if isinstance(value, str) else value["value"]
            for value in spec["values"]
        )
    return spec


def info_of(declared: type[NativePassBase]) -> NativePassInfo:
    """Return the declaration of a pass that is a Python value."""
    return NativePassInfo(
        declared.argument,
        declared.__name__,
        declared.summary,
        declared.anchor,
        declared.interface,
        [field.metadata for field in fields(declared)],
    )


def _option_info(spec: Mapping[str, Any]) -> OptionInfo:
    argument, is_list = spec["argument"], "listOf" in spec
    name = spec["listOf" if is_list else "type"]
    type_ = _TYPES.get(name) or replace(STRING, name=name, choices=spec["values"])
    return OptionInfo(
        argument,
        argument,
        type_,
        is_list,
        default=None,
        description="",
        outside_access=spec.get("outsideAccess"),
    )
