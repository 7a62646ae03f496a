"""Guards of arguments that MLIR takes for granted to fit, or checks by assertions.

Types, attributes, affine maps and locations have no owner that could be asked: what an
argument may be is said here, by the method that takes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import prod
from typing import Final, TypeAlias

from passgen_runtime.ir.mlir_bindings import Bindings, MLIRObject
from passgen_runtime.ir.mlir_graves import InvalidUseError
from passgen_runtime.ir.mlir_guard_checks import Guard, Method
from passgen_runtime.ir.mlir_index_guards import index_guards

Check: TypeAlias = Callable[[Bindings, MLIRObject], None]
"""What looks at one argument, which is `None` where it is left out."""

MAX_INTEGER_BITS: Final = 2**24 - 1
"""The widest integer type of MLIR."""

_DIM: Final = re.compile(r"\bd(\d+)")
_SYMBOL: Final = re.compile(r"\bs(\d+)")


def argument_guards(bindings: Bindings) -> tuple[Guard, ...]:
    """Return the guards of `bindings` that look at single arguments."""
    ir = bindings.ir
    integer_types = ("get", "get_signless", "get_signed", "get_unsigned")
    dense = ("DenseElementsAttr", "DenseFPElementsAttr", "DenseIntElementsAttr")
    return (
        (ir.IntegerAttr, "get", _get_integer),
        (ir.FloatAttr, "get_unchecked", _checks(0, "type", _check_float_type)),
        *((ir.IntegerType, each, _CHECK_WIDTH) for each in integer_types),
        (ir.OpaqueType, "get", _opaque),
        (ir.OpaqueAttr, "get", _opaque),
        (ir.Attribute, "parse", _checks(0, "asm", _check_text)),
        (ir.Type, "parse", _checks(0, "asm", _check_text)),
        (ir.Location, "from_attr", _checks(0, "attribute", _check_location)),
        *((getattr(ir, each), "get", _get_dense) for each in dense),
        (ir.AffineMap, "get", _get_map),
        (ir.AffineMap, "get_minor_identity", _get_minor_identity),
        (ir.AffineMap, "replace", _replace_in_map),
        (ir.OpAttributeMap, "__setitem__", _checks(1, "name", _check_name)),
        (ir.DictAttr, "get", _checks(0, "value", _check_names)),
        (ir.Operation, "create", _checks(3, "attributes", _check_names)),
        (ir.OpView, "build_generic", _checks(3, "attributes", _check_names)),
        *index_guards(bindings),
    )


def _checks(
    position: int, name: str, check: Check
) -> Callable[[Bindings, Method], Method]:
    """Return what looks at the argument at `position`, or `name`, of a method."""

    def make(bindings: Bindings, original: Method) -> Method:
        def method(*args: MLIRObject, **named: MLIRObject) -> MLIRObject:
            if bindings.running:
                is_there = len(args) > position
                check(bindings, args[position] if is_there else named.get(name))
            return original(*args, **named)

        return method

    return make


def _get_integer(bindings: Bindings, original: Method) -> Method:
    ir = bindings.ir
    integers = (ir.IntegerType, ir.IndexType)

    def get(
        type: MLIRObject,  # noqa: A002 - its name there
        value: int,
    ) -> MLIRObject:
        if bindings.running and not isinstance(type, integers):
            found = type.maybe_downcast() if isinstance(type, ir.Type) else None
            if found is not None and not isinstance(found, integers):
                message = (
                    f"an integer attribute cannot be of type '{found}': expected an "
                    "integer type or 'index'"
                )
                raise InvalidUseError(message + _other_constant(bindings, found))
        return original(type, value)

    return get


def _other_constant(bindings: Bindings, type_: MLIRObject) -> str:
    """Return what to write for a constant of `type_`."""
    if isinstance(type_, bindings.ir.ShapedType):
        return "; 'DenseElementsAttr.get_splat' makes one of a shaped type"
    if isinstance(type_, bindings.ir.FloatType):
        return "; 'FloatAttr.get' makes one of a float type, of a Python float"
    return ""


def _check_float_type(bindings: Bindings, type_: MLIRObject) -> None:
    ir = bindings.ir
    if isinstance(type_, ir.Type):
        found = type_.maybe_downcast()
        if not isinstance(found, ir.FloatType):
            message = (
                f"a float attribute cannot be of type '{found}': expected a float type"
            )
            raise InvalidUseError(message)


def _check_width(_bindings: Bindings, width: MLIRObject) -> None:
    if isinstance(width, int) and width > MAX_INTEGER_BITS:
        message = (
            f"an integer type cannot have {width} bits: expected at most "
            f"{MAX_INTEGER_BITS}"
        )
        raise InvalidUseError(message)


_CHECK_WIDTH: Final = _checks(0, "width", _check_width)


def _opaque(bindings: Bindings, original: Method) -> Method:
    def get(
        dialect_namespace: str, *args: MLIRObject, **named: MLIRObject
    ) -> MLIRObject:
        if bindings.running:
            contexts = [each for each in args if isinstance(each, bindings.ir.Context)]
            context = named.get("context") or next(iter(contexts), None)
            _check_dialect(dialect_namespace, context or bindings.ir.Context.current)
        return original(dialect_namespace, *args, **named)

    return get


def _check_dialect(name: str, context: MLIRObject) -> None:
    if context is None or context.allow_unregistered_dialects:
        return
    try:
        context.get_dialect_descriptor(name)
    except ValueError:
        message = (
            f"there is no dialect '{name}' to make something opaque of: expected one "
            "that is registered in the context"
        )
        raise InvalidUseError(message) from None


def _check_text(_bindings: Bindings, text: MLIRObject) -> None:
    if text == "":
        message = "there is nothing to parse in the text '': expected assembly of MLIR"
        raise InvalidUseError(message)


def _check_location(bindings: Bindings, attribute: MLIRObject) -> None:
    # The bindings have no class for attributes of this kind.
    is_attribute = isinstance(attribute, bindings.ir.Attribute)
    if is_attribute and not str(attribute).startswith("loc("):
        message = (
            f"the attribute '{attribute}' is no location: expected one that "
            "'Location.attr' is"
        )
        raise InvalidUseError(message)


def _check_name(_bindings: Bindings, name: MLIRObject) -> None:
    if name == "":
        message = "an attribute cannot have the name '': expected one that is not empty"
        raise InvalidUseError(message)


def _check_names(bindings: Bindings, attributes: MLIRObject) -> None:
    if attributes and "" in attributes:
        _check_name(bindings, "")


def _get_dense(bindings: Bindings, original: Method) -> Method:
    def get(*args: MLIRObject, **named: MLIRObject) -> MLIRObject:
        if bindings.running:
            values = args[0] if args else named.get("attrs")
            if isinstance(values, list):
                type_ = args[1] if len(args) > 1 else named.get("type")
                _check_attributes(bindings, values, type_)
            else:
                of_buffer = dict(zip(_OF_BUFFER, args, strict=False)) | named
                _check_buffer_type(bindings, of_buffer.get("type"))
                _check_shape(of_buffer.get("shape"))
        return original(*args, **named)

    return get


_OF_BUFFER: Final = ("array", "signless", "type", "shape")
"""What `DenseElementsAttr.get` takes for what has numbers of its own."""


def _check_attributes(
    bindings: Bindings, values: Sequence[MLIRObject], type_: MLIRObject
) -> None:
    if not values or not isinstance(values[0], bindings.ir.Attribute):
        return
    if type_ is None:
        _check_element(bindings, values[0].type)
    elif isinstance(type_, bindings.ir.ShapedType) and type_.has_static_shape:
        expected = prod(type_.shape)
        if len(values) not in {1, expected}:
            message = (
                f"found {len(values)} attributes for the elements of '{type_}', "
                f"expected {expected}, or 1 for all of them"
            )
            raise InvalidUseError(message)


def _check_buffer_type(bindings: Bindings, type_: MLIRObject) -> None:
    if isinstance(type_, bindings.ir.ShapedType):
        if not type_.has_static_shape:
            message = f"found the type '{type_}', expected one of static shape"
            raise InvalidUseError(message)
        _check_element(bindings, type_.element_type)
    elif isinstance(type_, bindings.ir.Type):
        _check_element(bindings, type_)


def _check_element(bindings: Bindings, type_: MLIRObject) -> None:
    ir = bindings.ir
    found = type_.maybe_downcast()
    if not isinstance(
        found, ir.IntegerType | ir.IndexType | ir.FloatType | ir.ComplexType
    ):
        message = (
            f"found elements of type '{found}', expected an integer, float or complex "
            "type or 'index'"
        )
        raise InvalidUseError(message)


def _check_shape(shape: Sequence[int] | None) -> None:
    if shape is not None and any(each < 0 for each in shape):
        message = f"found the shape {list(shape)}, expected sizes of at least 0"
        raise InvalidUseError(message)


def _get_map(bindings: Bindings, original: Method) -> Method:
    def get(
        dim_count: int,
        symbol_count: int,
        exprs: Sequence[MLIRObject],
        *args: MLIRObject,
        **named: MLIRObject,
    ) -> MLIRObject:
        if bindings.running:
            _check_inputs(exprs, dim_count, symbol_count)
        return original(dim_count, symbol_count, exprs, *args, **named)

    return get


def _get_minor_identity(bindings: Bindings, original: Method) -> Method:
    def get_minor_identity(
        n_dims: int, n_results: int, *args: MLIRObject, **named: MLIRObject
    ) -> MLIRObject:
        if bindings.running and not 0 <= n_results <= n_dims:
            message = (
                f"a minor identity map of {n_dims} dimensions cannot have {n_results} "
                f"results: expected 0 to {n_dims}"
            )
            raise InvalidUseError(message)
        return original(n_dims, n_results, *args, **named)

    return get_minor_identity


def _replace_in_map(bindings: Bindings, original: Method) -> Method:
    def replace(
        self: MLIRObject,
        expr: MLIRObject,
        replacement: MLIRObject,
        n_result_dims: int,
        n_result_syms: int,
    ) -> MLIRObject:
        if bindings.running:
            num_dims = max(self.n_dims, _num_inputs(_DIM, [replacement]))
            num_symbols = max(self.n_symbols, _num_inputs(_SYMBOL, [replacement]))
            large_enough = original(self, expr, replacement, num_dims, num_symbols)
            _check_inputs(large_enough.results, n_result_dims, n_result_syms)
        return original(self, expr, replacement, n_result_dims, n_result_syms)

    return replace


def _check_inputs(
    expressions: Sequence[MLIRObject], num_dims: int, num_symbols: int
) -> None:
    for kind, pattern, count in (
        ("dimensions", _DIM, num_dims),
        ("symbols", _SYMBOL, num_symbols),
    ):
        needed = _num_inputs(pattern, expressions)
        if count < needed:
            used = ", ".join(map(str, expressions))
            message = (
                f"an affine map of {count} {kind} cannot have the results ({used}): "
                f"expected at least {needed} {kind}"
            )
            raise InvalidUseError(message)


def _num_inputs(pattern: re.Pattern[str], expressions: Sequence[MLIRObject]) -> int:
    """Return how many dimensions, or symbols, there must be for `expressions`."""
    positions = (int(each) for one in expressions for each in pattern.findall(str(one)))
    return max(positions, default=-1) + 1
