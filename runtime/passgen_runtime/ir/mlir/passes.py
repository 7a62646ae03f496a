"""MLIR's own passes as Python values, with their options.

    from passgen_runtime.ir.mlir.passes import AffineLoopUnroll, Canonicalizer

    manager.nest("func.func").add_pass(AffineLoopUnroll(unroll_factor=4))
    mlir.passmanager.PassManager.parse(f"builtin.module({Canonicalizer()})", context)

A class is made from the table in `known_passes` when it is first used: all of them
would take a tenth of a second. `passes.pyi`, which `make generate` writes, shows them
to editors and type checkers.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, Final

from passgen_rules.option_types import OPTION_TYPES
from passgen_runtime.errors import nearest_note
from passgen_runtime.ir.mlir.known_passes import llvm_passes
from passgen_runtime.ir.mlir.native_pass_base import NativePassBase
from passgen_runtime.ir.mlir.native_passes import check_loaded_bindings, native_pass
from passgen_runtime.ir.mlir.native_pipeline import NativePass
from passgen_runtime.ir.mlir.pass_versions import (
    version_dependent_options,
    version_note,
)

_INFOS: Final = {info.name: info for info in llvm_passes().values()}
_ZEROS: Final = {type_.name: type_.zero_literal for type_ in OPTION_TYPES}


class LLVMPass(NativePassBase):
    """A pass of LLVM's MLIR.

    Raises:
        BindingsError: not all versions of LLVM have the pass, or an option that is set,
            and the bindings that are loaded do not.
    """

    def __post_init__(self) -> None:
        """Check the options, and that loaded bindings have the pass."""
        super().__post_init__()
        check_loaded_bindings(self)

    def _printed_fields(self) -> Iterable[dataclasses.Field[Any]]:
        """Return all options, without defaults that some versions of LLVM refuse."""
        varying = version_dependent_options(self.argument)
        for field in super()._printed_fields():
            if (
                field.metadata["argument"] not in varying
                or getattr(self, field.name) != field.default
            ):
                yield field

    def as_pass(self) -> NativePass:
        """Return a new pass with these options, for pass managers."""
        return native_pass(self)


def __getattr__(name: str) -> Any:  # noqa: ANN401 - `passes.pyi` has the types
    """Return the class called `name`, or `passes`, the tuple of all classes.

    Raises:
        AttributeError: LLVM has no such pass.
    """
    if name == "__all__":  # read by `from ... import *`
        found: object = __dir__()
    elif name == "passes":
        found = tuple(globals().get(name) or _new(name) for name in _INFOS)
    elif name in _INFOS:
        found = _new(name)
    else:
        notes = () if name.startswith("_") else nearest_note(name, _INFOS)
        message = f"module '{__name__}' has no pass '{name}'"
        raise AttributeError("\nnote: ".join((message, *notes)), name=name)
    return globals().setdefault(name, found)


def __dir__() -> list[str]:
    """Return the names of all classes, and `passes`."""
    return sorted((*_INFOS, "passes"))


def _new(name: str) -> type[LLVMPass]:
    info = _INFOS[name]
    names = "argument", "summary", "anchor", "interface"
    members = {name: getattr(info, name) for name in names}
    notes = filter(None, (info.summary, version_note(info.argument)))
    members |= {"__module__": __name__, "__doc__": "\n\n".join(notes)}
    return dataclasses.make_dataclass(
        name,
        [_field(spec) for spec in info.option_specs],
        bases=(LLVMPass,),
        namespace=members,
        frozen=True,
        kw_only=True,
    )


def _field(spec: Mapping[str, Any]) -> tuple[str, str, Any]:
    default = spec.get("default")
    if "listOf" in spec:
        default = tuple(default or ())
    elif default is None and "default" not in spec.get("cpp", {}):
        default = _ZEROS.get(spec["type"], 0)
    return (
        spec["argument"].replace("-", "_"),
        "object",
        dataclasses.field(default=default, metadata=spec),
    )
