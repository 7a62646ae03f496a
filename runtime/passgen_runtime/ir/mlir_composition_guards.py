"""Guards of what attributes, types, locations and affine expressions are made of.

MLIR makes them of what belongs to other contexts without looking, and the bindings say
that the result belongs to this one: whoever prints or compares it later reads what went
with the other context.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Final

from passgen_runtime.ir.mlir_bindings import Bindings, MLIRObject
from passgen_runtime.ir.mlir_guard_checks import Guard, Method, check_parts

_MAKERS: Final = {
    "AffineAddExpr": ("get",),
    "AffineCeilDivExpr": ("get",),
    "AffineExpr": (
        *("__add__", "__mod__", "__mul__", "__sub__", "compose"),
        *("get_add", "get_ceil_div", "get_floor_div", "get_mod", "get_mul"),
    ),
    "AffineFloorDivExpr": ("get",),
    "AffineMap": ("compress_unused_symbols", "get", "replace"),
    "AffineModExpr": ("get",),
    "AffineMulExpr": ("get",),
    "ArrayAttr": ("get", "__add__"),
    "CallSiteLoc": ("get",),
    "DenseElementsAttr": ("get", "get_splat"),
    "DenseFPElementsAttr": ("get",),
    "DenseIntElementsAttr": ("get",),
    "DenseResourceElementsAttr": ("get_from_buffer",),
    "DictAttr": ("get",),
    "DynamicAttr": ("get",),
    "DynamicType": ("get",),
    "FunctionType": ("get",),
    "FusedLoc": ("get",),
    "IntegerSet": ("get", "get_replaced"),
    "Location": ("callsite", "from_attr", "fused", "name"),
    "MemRefType": ("get", "get_unchecked"),
    "NameLoc": ("get",),
    "OpaqueAttr": ("get",),
    "RankedTensorType": ("get", "get_unchecked"),
    "TupleType": ("get_tuple",),
    "TypeAttr": ("get",),
    "UnrankedMemRefType": ("get", "get_unchecked"),
}
"""By class: what makes something of more than one thing, or in a context to be named.

What is made of one thing belongs to the context of that, as `IntegerAttr.get` does it.
"""


def composition_guards(bindings: Bindings) -> tuple[Guard, ...]:
    """Return the guards of what makes attributes and the like in `bindings`."""
    return tuple(
        (cls, name, _make)
        for cls, names in (
            *((getattr(bindings.ir, cls, None), _MAKERS[cls]) for cls in _MAKERS),
            *_makers_of_dialects(bindings),
        )
        for name in names
    )


def _makers_of_dialects(
    bindings: Bindings,
) -> Iterator[tuple[MLIRObject, tuple[str, ...]]]:
    """Yield the classes of dialects that are imported, with what makes them."""
    bases = (bindings.ir.Attribute, bindings.ir.Type)
    prefix = f"{bindings.package}._mlir_libs._mlirDialects"
    for module_name, module in list(sys.modules.items()):
        if module_name.startswith(prefix):
            for cls in vars(module).values():
                if isinstance(cls, type) and issubclass(cls, bases):
                    yield cls, tuple(each for each in vars(cls) if _is_maker(each))


def _is_maker(name: str) -> bool:
    return name == "get" or name.startswith("get_")


def _make(bindings: Bindings, original: Method) -> Method:
    def make(*args: MLIRObject, **named: MLIRObject) -> MLIRObject:
        made = original(*args, **named)
        if bindings.running:
            _check_made_of(bindings, made, (*args, *named.values()))
        return made

    return make


def _check_made_of(
    bindings: Bindings, made: MLIRObject, parts: Sequence[MLIRObject]
) -> None:
    if type(made) is list:
        if not made:
            return
        made = made[0]
    context = getattr(made, "context", None)
    if context is None:  # NotImplemented, as for a sum with a string
        return
    location = bindings.ir.Location
    if not isinstance(made, location):
        # Where to report what is wrong is not what it is made of.
        parts = [each for each in parts if not isinstance(each, location)]
    check_parts(bindings, parts, context)
