"""What belongs to another context of MLIR gets into the IR of a pass by no way.

MLIR takes it without a word, and ends the process when it is printed, compared or freed.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from operator import add
from typing import Any, Final, TypeAlias

import pytest

from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.ir.mlir_graves import InvalidUseError
from tests.mlir_ir.mlir_trial import (
    SOURCE,
    Native,
    Trial,
    first_function,
    operations_in,
)

BRANCH: Final = """\
func.func @branch(%a: i32) -> i32 {
  %0 = arith.addi %a, %a {mark = "here"} : i32
  cf.br ^bb1
^bb1:
  return %0 : i32
}
"""


class Parts:
    """A function like `branch`, and things of its context."""

    def __init__(self, package: str, function: Native) -> None:
        self.ir = ir = import_module(f"{package}.ir")
        self.arith, self.cf, self.func, self.llvm = (
            import_module(f"{package}.dialects.{each}")
            for each in ("arith", "cf", "func", "llvm")
        )
        self.function = function
        self.region = function.regions[0]
        entry, self.last = self.region.blocks
        self.entry = entry
        self.argument = entry.arguments[0]
        self.add, self.branch = (each.operation for each in operations_in(function))
        self.end = self.last.operations[0].operation
        self.value = self.add.results[0]
        self.location = self.add.location
        self.context = function.context
        with self.location:
            self.type = ir.IntegerType.get_signless(32)
            self.tensor = ir.RankedTensorType.get([2], self.type)
            self.attribute = ir.StringAttr.get("text")
            self.number = ir.IntegerAttr.get(self.type, 1)
            self.array = ir.ArrayAttr.get([self.attribute])
            self.dim = ir.AffineDimExpr.get(0)
            self.map = ir.AffineMap.get(1, 0, [self.dim + 3])
            self.set = ir.IntegerSet.get(1, 0, [self.dim], [True])

    def create(self, *args: Any, **named: Any) -> Any:  # noqa: ANN401 - as it is there
        return self.ir.Operation.create("arith.addi", *args, **named)

    def other_than(self) -> Parts:
        """Return the same of another context, which nobody else holds."""
        package = self.ir.__name__.removesuffix(".ir")
        module = MLIRContext(package).parse(BRANCH, "other.mlir")
        return Parts(package, operations_in(module)[0].operation.clone().operation)

    @contextmanager
    def inserting(self) -> Iterator[None]:
        with self.ir.InsertionPoint(self.end), self.location:
            yield


Attempt: TypeAlias = Callable[[Parts, Parts], object]
"""Gets what is of the context of the pass, and what is of another one."""

OTHER: Final = "is of another context of MLIR: parse or build it in this one"
VALUE: Final = f"a value of type 'i32' {OTHER}"
TYPE: Final = f"the type 'i32' {OTHER}"
TEXT: Final = f"the attribute '\"text\"' {OTHER}"
NUMBER: Final = f"the attribute '1 : i32' {OTHER}"
PLACE: Final = f"the location other.mlir:2:8 {OTHER}"
BLOCK: Final = f"a block of 'func.func' at other.mlir:1:1 {OTHER}"
ADD: Final = f"'arith.addi' at other.mlir:2:8 {OTHER}"
FUNCTION: Final = f"'func.func' at other.mlir:1:1 {OTHER}"
DIM: Final = f"the affine expression 'd0' {OTHER}"
MADE: Final = (
    "what is made in 'func.func' at in.mlir:1:1 is of another context of MLIR: parse or "
    "build it in that one, and with a location of it"
)

MAKING: Final[dict[str, tuple[Attempt, str]]] = {
    "operands": (lambda h, o: h.create([h.type], [h.value, o.value]), VALUE),
    "operands, types inferred": (
        lambda h, o: h.create(operands=[o.value, o.value], infer_type=True),
        VALUE,
    ),
    "results": (lambda h, o: h.create([o.type], [h.value] * 2), TYPE),
    "attributes": (
        lambda h, o: h.create([h.type], [h.value] * 2, {"a": o.attribute}),
        TEXT,
    ),
    "successors": (
        lambda h, o: h.ir.Operation.create("cf.br", successors=[o.last]),
        BLOCK,
    ),
    "location": (
        lambda h, o: h.create([h.type], [h.value] * 2, loc=o.location),
        MADE,
    ),
    "outside the IR": (lambda h, o: h.create([o.type], [h.value] * 2, ip=False), TYPE),
    "view: operands": (lambda h, o: h.arith.addi(h.value, o.value), VALUE),
    "view: list of operands": (lambda h, o: h.cf.br([o.value], h.last), VALUE),
    "view: list of results": (lambda h, o: h.func.call([o.type], "f", []), TYPE),
    "view: results": (lambda h, o: h.arith.extsi(o.type, h.value), TYPE),
    "view: attributes": (lambda h, o: h.arith.ConstantOp(h.type, o.number), NUMBER),
    "view: successors": (lambda h, o: h.cf.br([], o.last), BLOCK),
    "view: location": (
        lambda h, o: h.arith.addi(h.value, h.value, loc=o.location),
        MADE,
    ),
    "view: insertion point": (
        lambda h, o: o.arith.addi(
            o.value, o.value, loc=o.location, ip=h.ir.InsertionPoint(h.end)
        ),
        MADE,
    ),
    "generic: operands": (
        lambda h, o: h.arith.AddIOp.build_generic(operands=[o.value, o.value]),
        VALUE,
    ),
    "generic: location": (
        lambda h, o: h.arith.AddIOp.build_generic(
            operands=[h.value, h.value], loc=o.location
        ),
        MADE,
    ),
    "clone": (lambda h, o: o.add.clone(ip=h.ir.InsertionPoint(h.end)), MADE),
    "inferred types": (
        lambda h, o: h.ir.InferTypeOpInterface(h.add).inferReturnTypes(
            operands=[o.value, o.value]
        ),
        VALUE,
    ),
}

SETTING: Final[dict[str, tuple[Attempt, str]]] = {
    "move": (lambda h, o: o.add.move_before(h.add), ADD),
    "block.append": (lambda h, o: h.last.append(o.add), ADD),
    "append_to": (lambda h, o: o.last.append_to(h.region), FUNCTION),
    "operand": (lambda h, o: h.add.operands.__setitem__(0, o.value), VALUE),
    "successor": (lambda h, o: h.branch.successors.__setitem__(0, o.last), BLOCK),
    "attribute": (lambda h, o: h.end.attributes.__setitem__("a", o.attribute), TEXT),
    "attribute that is there": (
        lambda h, o: h.add.attributes.__setitem__("mark", o.attribute),
        TEXT,
    ),
    "property": (
        lambda h, o: setattr(h.function.opview, "sym_visibility", o.attribute),
        TEXT,
    ),
    "location": (lambda h, o: setattr(h.add, "location", o.location), PLACE),
    "location of a view": (
        lambda h, o: setattr(h.add.opview, "location", o.location),
        PLACE,
    ),
    "set_type": (lambda h, o: h.value.set_type(o.type), TYPE),
    "set_type of an argument": (lambda h, o: h.argument.set_type(o.type), TYPE),
    "set_location": (lambda h, o: h.argument.set_location(o.location), PLACE),
    "replace_all_uses_with": (
        lambda h, o: h.value.replace_all_uses_with(o.value),
        VALUE,
    ),
    "replace_all_uses_except": (
        lambda h, o: h.value.replace_all_uses_except(o.value, h.add),
        VALUE,
    ),
    "replace_uses_of_with": (
        lambda h, o: h.add.replace_uses_of_with(h.argument, o.value),
        VALUE,
    ),
    "add_argument": (lambda h, o: h.last.add_argument(o.type, h.location), TYPE),
    "add_argument, place": (
        lambda h, o: h.last.add_argument(h.type, o.location),
        PLACE,
    ),
    "create_at_start": (
        lambda h, o: h.ir.Block.create_at_start(h.region, [o.type], [h.location]),
        TYPE,
    ),
    "create_before": (
        lambda h, o: h.last.create_before(o.type, arg_locs=[h.location]),
        TYPE,
    ),
    "create_after": (
        lambda h, o: h.last.create_after(h.type, arg_locs=[o.location]),
        PLACE,
    ),
    "blocks.append": (
        lambda h, o: h.region.blocks.append(o.type, arg_locs=[h.location]),
        TYPE,
    ),
    "is_before_in_block": (
        lambda h, o: o.add.is_before_in_block(h.add),
        (
            "'arith.addi' at other.mlir:2:8 and 'arith.addi' at in.mlir:2:8 are not in "
            "one block: neither comes before the other"
        ),
    ),
}

COMPOSING: Final[dict[str, tuple[Attempt, str]]] = {
    "array": (lambda h, o: h.ir.ArrayAttr.get([h.attribute, o.attribute]), TEXT),
    "sum of arrays": (lambda h, o: add(h.array, [o.attribute]), TEXT),
    "dictionary": (lambda h, o: h.ir.DictAttr.get({"a": o.attribute}), TEXT),
    "type attribute": (lambda h, o: h.ir.TypeAttr.get(o.type), TYPE),
    "function type": (lambda h, o: h.ir.FunctionType.get([o.type], []), TYPE),
    "tuple": (lambda h, o: h.ir.TupleType.get_tuple([o.type]), TYPE),
    "type of a dialect": (lambda h, o: h.llvm.StructType.get_literal([o.type]), TYPE),
    "encoding": (
        lambda h, o: h.ir.RankedTensorType.get([2], h.type, o.attribute),
        TEXT,
    ),
    "memory space": (
        lambda h, o: h.ir.MemRefType.get([2], h.type, memory_space=o.attribute),
        TEXT,
    ),
    "opaque": (lambda h, o: h.ir.OpaqueAttr.get("builtin", b"1", o.type), TYPE),
    "resource": (
        lambda h, o: h.ir.DenseResourceElementsAttr.get_from_buffer(
            b"12345678", "r", o.tensor
        ),
        f"the type 'tensor<2xi32>' {OTHER}",
    ),
    "sum": (lambda h, o: h.dim + o.dim, DIM),
    "product": (lambda h, o: h.ir.AffineExpr.get_mul(h.dim, o.dim), DIM),
    "composed": (
        lambda h, o: h.dim.compose(o.map),
        f"the affine map '(d0) -> (d0 + 3)' {OTHER}",
    ),
    "map": (lambda h, o: h.ir.AffineMap.get(1, 0, [o.dim]), DIM),
    "replaced in a map": (lambda h, o: h.map.replace(h.dim, o.dim, 1, 0), DIM),
    "compressed maps": (
        lambda h, o: h.ir.AffineMap.compress_unused_symbols([o.map], h.context),
        f"the affine map '(d0) -> (d0 + 3)' {OTHER}",
    ),
    "set": (lambda h, o: h.ir.IntegerSet.get(1, 0, [o.dim], [True]), DIM),
    "replaced in a set": (lambda h, o: h.set.get_replaced([o.dim], [], 1, 0), DIM),
    "fused location": (
        lambda h, o: h.ir.Location.fused([h.location, o.location]),
        PLACE,
    ),
    "call site": (
        lambda h, o: h.ir.Location.callsite(h.location, [o.location]),
        PLACE,
    ),
    "named location": (lambda h, o: h.ir.Location.name("n", o.location), PLACE),
    "location of an attribute": (
        lambda h, o: h.ir.Location.from_attr(o.location.attr),
        f"the attribute 'loc(\"other.mlir\":2:8)' {OTHER}",
    ),
}


@pytest.fixture
def branching(trial: Trial) -> Trial:
    trial.module = trial.context.parse(BRANCH, "in.mlir")
    return trial


@pytest.mark.parametrize("attempts", [MAKING, SETTING, COMPOSING])
def test_it_is_an_error_that_says_what_is_of_another_context(
    branching: Trial, attempts: dict[str, tuple[Attempt, str]]
) -> None:
    said: dict[str, str] = {}
    before = branching.context.print(branching.module)

    def attempt_all(pass_: Native) -> None:
        package = pass_.context.bindings.package
        here = Parts(package, first_function(pass_))
        there = here.other_than()
        for name, (attempt, _) in attempts.items():
            with here.inserting():
                try:
                    attempt(here, there)
                except InvalidUseError as error:
                    said[name] = str(error)

    branching.run("builtin.module(do,cse)", attempt_all)
    assert said == {name: expected for name, (_, expected) in attempts.items()}
    gc.collect()
    assert branching.context.print(branching.module) == before


def test_a_pass_may_work_with_several_contexts(branching: Trial) -> None:
    def build_elsewhere(pass_: Native) -> None:
        package = pass_.context.bindings.package
        here = Parts(package, first_function(pass_))
        there = here.other_than()
        for each, current in ((there, there), (here, there), (here, here)):
            point = each.ir.InsertionPoint(each.end)
            with current.context:
                each.arith.addi(each.value, each.value, loc=each.location, ip=point)
        assert there.add.is_before_in_block(there.branch)
        assert not here.branch.is_before_in_block(here.add)
        assert here.ir.ArrayAttr.get([there.attribute], context=there.context)
        assert here.ir.MemRefType.get([2], there.type, loc=here.location)
        block = there.region.blocks.append(there.type, arg_locs=[there.location])
        assert len(block.arguments) == 1

    branching.run("builtin.module(do)", build_elsewhere)
    assert branching.context.print(branching.module).count("arith.addi") == 3


def test_an_attribute_of_a_wrong_kind_is_left_to_the_verifier(trial: Trial) -> None:
    def set_type_to_text(pass_: Native) -> None:
        function = first_function(pass_)
        text = trial.context.bindings.ir.StringAttr.get("x", context=function.context)
        function.attributes["function_type"] = text

    trial.failure("builtin.module(do)", set_type_to_text)
    assert any("requires attribute 'function_type'" in each for each in trial.said)


def test_what_is_too_long_to_show_is_cut(trial: Trial) -> None:
    def set_a_long_one(pass_: Native) -> None:
        other = MLIRContext(pass_.context.bindings.package)
        ir = other.bindings.ir
        text = ir.StringAttr.get("x" * 1000, context=other.mlir)
        first_function(pass_).attributes["text"] = text

    failure = trial.failure("builtin.module(do)", set_a_long_one)
    assert failure[0] == f"the attribute '\"{'x' * 59}...' {OTHER}"
    assert "text" not in trial.context.print(trial.module)


def test_lists_of_the_bindings_are_looked_into(trial: Trial) -> None:
    """Operands may be given as the operands or results of something."""

    def copy_operands(pass_: Native) -> None:
        other = MLIRContext(pass_.context.bindings.package)
        module = other.parse(SOURCE, "other.mlir")
        theirs = operations_in(operations_in(module)[0])[0].operation
        end = operations_in(first_function(pass_))[3]
        ir = other.bindings.ir
        with ir.InsertionPoint(end), end.location:
            ir.Operation.create("arith.addi", [], theirs.operands)

    failure = trial.failure("builtin.module(do)", copy_operands)
    assert failure[0] == VALUE
