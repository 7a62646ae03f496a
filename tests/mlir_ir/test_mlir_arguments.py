"""Arguments that MLIR would end the process for are errors in a pass."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final, TypeAlias

import pytest

from passgen_runtime.ir.mlir_graves import InvalidUseError
from tests.mlir_ir.mlir_trial import Native, Trial, first_function, operations_in


class Parts:
    """What trials make things of, in the context of a pass."""

    def __init__(self, pass_: Native) -> None:
        package = pass_.context.bindings.package
        self.ir = ir = pass_.context.bindings.ir
        self.arith = import_module(f"{package}.dialects.arith")
        self.function = first_function(pass_)
        self.i32 = ir.IntegerType.get_signless(32)
        self.one = ir.IntegerAttr.get(self.i32, 1)
        self.unit = ir.UnitAttr.get()
        self.unknown = ir.Location.unknown()
        self.identity = ir.AffineMap.get_identity(2)
        self.dim = ir.AffineDimExpr.get

    def type(self, text: str) -> Any:  # noqa: ANN401 - of any bindings
        return self.ir.Type.parse(text)

    def attribute(self, text: str) -> Any:  # noqa: ANN401 - of any bindings
        return self.ir.Attribute.parse(text)


Attempt: TypeAlias = Callable[[Parts], object]

NO_INTEGER: Final = "expected an integer type or 'index'"
SPLAT: Final = "'DenseElementsAttr.get_splat' makes one of a shaped type"
FLOAT: Final = "'FloatAttr.get' makes one of a float type, of a Python float"
EMPTY_NAME: Final = (
    "an attribute cannot have the name '': expected one that is not empty"
)
EMPTY_TEXT: Final = (
    "there is nothing to parse in the text '': expected assembly of MLIR"
)
TOO_WIDE: Final = "an integer type cannot have 16777216 bits: expected at most 16777215"
ELEMENTS: Final = "expected an integer, float or complex type or 'index'"

MAKING: Final[dict[str, tuple[Attempt, str]]] = {
    "constant of a vector": (
        lambda p: p.arith.constant(p.type("vector<4xi32>"), 1),
        (
            "an integer attribute cannot be of type 'vector<4xi32>': "
            f"{NO_INTEGER}; {SPLAT}"
        ),
    ),
    "constant of a memref": (
        lambda p: p.arith.constant(p.type("memref<4xi32>"), 1),
        (
            "an integer attribute cannot be of type 'memref<4xi32>': "
            f"{NO_INTEGER}; {SPLAT}"
        ),
    ),
    "constant of a float": (
        lambda p: p.arith.constant(p.type("f32"), 1),
        f"an integer attribute cannot be of type 'f32': {NO_INTEGER}; {FLOAT}",
    ),
    "integer attribute": (
        lambda p: p.ir.IntegerAttr.get(p.type("none"), 1),
        f"an integer attribute cannot be of type 'none': {NO_INTEGER}",
    ),
    "float attribute": (
        lambda p: p.ir.FloatAttr.get_unchecked(p.i32, 1.0),
        "a float attribute cannot be of type 'i32': expected a float type",
    ),
    "signless": (lambda p: p.ir.IntegerType.get_signless(2**24), TOO_WIDE),
    "signed": (lambda p: p.ir.IntegerType.get_signed(width=2**24), TOO_WIDE),
    "unsigned": (lambda p: p.ir.IntegerType.get_unsigned(2**24), TOO_WIDE),
    "opaque type": (
        lambda p: p.ir.OpaqueType.get("nowhere", "x"),
        (
            "there is no dialect 'nowhere' to make something opaque of: expected one "
            "that is registered in the context"
        ),
    ),
    "opaque attribute": (
        lambda p: p.ir.OpaqueAttr.get("", b"x", p.i32),
        (
            "there is no dialect '' to make something opaque of: expected one that is "
            "registered in the context"
        ),
    ),
    "attribute without text": (lambda p: p.ir.Attribute.parse(""), EMPTY_TEXT),
    "type without text": (lambda p: p.ir.Type.parse(""), EMPTY_TEXT),
    "location": (
        lambda p: p.ir.Location.from_attr(p.unit),
        ("the attribute 'unit' is no location: expected one that 'Location.attr' is"),
    ),
    "name that is set": (
        lambda p: p.function.attributes.__setitem__("", p.unit),
        EMPTY_NAME,
    ),
    "name in a dictionary": (lambda p: p.ir.DictAttr.get({"": p.unit}), EMPTY_NAME),
    "name in an operation": (
        lambda p: p.ir.Operation.create("func.func", attributes={"": p.unit}),
        EMPTY_NAME,
    ),
    "too few elements": (
        lambda p: p.ir.DenseElementsAttr.get([p.one] * 3, p.type("tensor<4xi32>")),
        (
            "found 3 attributes for the elements of 'tensor<4xi32>', expected 4, or 1 "
            "for all of them"
        ),
    ),
    "elements that are no numbers": (
        lambda p: p.ir.DenseElementsAttr.get([p.unit]),
        f"found elements of type 'none', {ELEMENTS}",
    ),
    "numbers of no type for them": (
        lambda p: p.ir.DenseElementsAttr.get(array("i", [1]), type=p.type("none")),
        f"found elements of type 'none', {ELEMENTS}",
    ),
    "dynamic shape": (
        lambda p: p.ir.DenseElementsAttr.get(
            array("i", [1]), type=p.type("tensor<?xi32>")
        ),
        "found the type 'tensor<?xi32>', expected one of static shape",
    ),
    "negative shape": (
        lambda p: p.ir.DenseElementsAttr.get(array("i", [1]), shape=[-1]),
        "found the shape [-1], expected sizes of at least 0",
    ),
    "dimension of a map": (
        lambda p: p.ir.AffineMap.get(1, 0, [p.dim(0) + p.dim(3)]),
        (
            "an affine map of 1 dimensions cannot have the results (d0 + d3): expected "
            "at least 4 dimensions"
        ),
    ),
    "symbol of a map": (
        lambda p: p.ir.AffineMap.get(1, 0, [p.ir.AffineSymbolExpr.get(0)]),
        (
            "an affine map of 0 symbols cannot have the results (s0): expected at "
            "least 1 symbols"
        ),
    ),
    "minor identity": (
        lambda p: p.ir.AffineMap.get_minor_identity(2, 5),
        (
            "a minor identity map of 2 dimensions cannot have 5 results: expected 0 "
            "to 2"
        ),
    ),
    "replaced in a map": (
        lambda p: p.identity.replace(p.dim(0), p.dim(9), 1, 0),
        (
            "an affine map of 1 dimensions cannot have the results (d9, d1): expected "
            "at least 10 dimensions"
        ),
    ),
}


def last_of(text: str) -> Attempt:
    return lambda p: p.attribute(text)[-1]


def second_dimension(method: str) -> Attempt:
    return lambda p: getattr(p.type("tensor<4xi32>"), method)(1)


READING: Final[dict[str, tuple[Attempt, str]]] = {
    "array": (
        lambda p: p.ir.ArrayAttr.get([p.unit])[-2],
        "index -2 is out of range: there are 1 elements",
    ),
    **{
        f"dense array of {each}": (
            last_of(f"array<{each}>"),
            "index -1 is out of range: there are 0 elements",
        )
        for each in ("i1", "i8", "i16", "i32", "i64", "f32", "f64")
    },
    **{
        name: (
            second_dimension(name),
            "dimension 1 is out of range: the type 'tensor<4xi32>' has 1",
        )
        for name in ("get_dim_size", "is_dynamic_dim", "is_static_dim")
    },
    "negative dimension": (
        lambda p: p.type("vector<4xi32>").get_dim_size(-1),
        "dimension -1 is out of range: the type 'vector<4xi32>' has 1",
    ),
    "tuple": (
        lambda p: p.type("tuple<i32>").get_type(1),
        "position 1 is out of range: the type 'tuple<i32>' has 1",
    ),
}

LOCATIONS: Final = {
    "filename": "file",
    "name_str": "name",
    "child_loc": "name",
    "callee": "callsite",
    "caller": "callsite",
}


def attempted(
    trial: Trial, attempts: dict[str, tuple[Attempt, str]], expected: type[Exception]
) -> dict[str, str]:
    """Return what `attempts` in a pass say, each an error of the kind `expected`."""
    said: dict[str, str] = {}

    def attempt_all(pass_: Native) -> None:
        end = operations_in(first_function(pass_))[3]
        ir = pass_.context.bindings.ir
        with ir.InsertionPoint(end), end.location:
            parts = Parts(pass_)
            for name, (attempt, _) in attempts.items():
                with pytest.raises(expected) as error:
                    attempt(parts)
                said[name] = str(error.value)

    before = trial.context.print(trial.module)
    trial.run("builtin.module(do)", attempt_all)
    assert trial.context.print(trial.module) == before
    return said


@pytest.mark.parametrize(
    ("attempts", "error"), [(MAKING, InvalidUseError), (READING, IndexError)]
)
def test_it_is_an_error_that_says_what_was_expected(
    trial: Trial,
    attempts: dict[str, tuple[Attempt, str]],
    error: type[Exception],
) -> None:
    assert attempted(trial, attempts, error) == {
        name: expected for name, (_, expected) in attempts.items()
    }


@pytest.mark.parametrize(("name", "kind"), LOCATIONS.items())
def test_a_location_has_what_locations_of_its_kind_have(
    trial: Trial, name: str, kind: str
) -> None:
    ir = trial.context.bindings.ir
    if not hasattr(ir.Location, name):  # but classes for kinds
        error: type[Exception] = AttributeError
        expected = f"'UnknownLoc' object has no attribute '{name}'"
    else:
        error = InvalidUseError
        expected = (
            f"'{name}' is of locations of kind '{kind}', of which 'is_a_{kind}()' is "
            "true: found 'loc(unknown)', of kind 'unknown'"
        )
    attempt: Attempt = lambda p: getattr(p.unknown, name)  # noqa: E731 - typed
    assert attempted(trial, {name: (attempt, "")}, error) == {name: expected}


def test_what_fits_is_made_and_read(trial: Trial) -> None:
    """Negative indices count from the end, and integers may be of any width."""

    def make_and_read(pass_: Native) -> None:
        with pass_.operation.context, pass_.operation.location:
            parts = Parts(pass_)
            ir = parts.ir
            assert ir.ArrayAttr.get([parts.unit, parts.one])[-1] == parts.one
            assert parts.attribute("array<i32: 1, 2>")[-2] == 1
            index = ir.IntegerAttr.get(ir.IndexType.get(), 3)
            assert index.value == int(index) == 3
            generic = ir.IntegerAttr.get(ir.Type(parts.i32), 1)
            assert generic == parts.one
            wide = parts.attribute(f"-{2**100} : i128")
            assert wide.value == int(wide) == -(2**100)
            assert parts.type("tensor<4xi32>").get_dim_size(0) == 4
            assert parts.type("tuple<i32>").get_type(0) == parts.i32
            assert str(ir.OpaqueType.get("arith", "x")) == "!arith.x"
            assert ir.Location.from_attr(parts.unknown.attr) == parts.unknown
            four = parts.type("tensor<4xi32>")
            assert ir.DenseElementsAttr.get([parts.one], four).is_splat
            assert ir.DenseElementsAttr.get([parts.one] * 4, four).is_splat
            assert len(ir.DenseElementsAttr.get(array("i", [1, 2]))) == 2
            assert parts.identity.replace(
                parts.dim(0), parts.dim(1), 2, 0
            ) == ir.AffineMap.get(2, 0, [parts.dim(1), parts.dim(1)])
            place = ir.Location.name("n", ir.Location.file("a", 1, 2))
            assert (place.name_str, place.child_loc.filename) == ("n", "a")

    trial.run("builtin.module(do)", make_and_read)
