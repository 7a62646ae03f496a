"""Everything that xDSL's IR holds, as lists that are equal if two IRs are."""

from __future__ import annotations

from random import Random
from typing import Final

from xdsl.dialects import builtin, test
from xdsl.dialects.builtin import i32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap


def parts_of(root: Operation) -> list[object]:
    """Return all that is printed, and name hints; operands and blocks by number."""
    operations = [root]
    values: dict[SSAValue, int] = {}
    blocks: dict[Block, int] = {}
    found: list[object] = []
    for operation in operations:  # which grow meanwhile
        for result in operation.results:
            values[result] = len(values)
            found += (result.type, result.name_hint)
        for region in operation.regions:
            found.append(len(region.blocks))
            for block in region.blocks:
                blocks[block] = len(blocks)
                found += (block.name_hint, len(tuple(block.ops)))
                for argument in block.args:
                    values[argument] = len(values)
                    found += (argument.type, argument.name_hint, argument.location)
                operations += block.ops
    for operation in operations:
        name = operation.attributes.get("op_name__", operation.name)
        found += (name, type(operation), operation.location)
        found += (values[operand] for operand in operation.operands)
        found += (blocks[successor] for successor in operation.successors)
        found += operation.properties.items()
        found += operation.attributes.items()
    return found


_FLOATS: Final = (0.0, -0.0, 1e-320, float("nan"), float("-inf"), 1 / 3)
_TEXTS: Final = ("", "a", '"', "\\", "\x00\n", "é\u2028", "\udc80", "%x ^bb0 //")
_HINTS: Final = (None, None, None, "a", "sum_1", "c0", "_", "$.x")


def random_ir(random: Random) -> Operation:
    """Return a module of operations of all shapes, of which some uses come first."""
    values: list[SSAValue] = []
    operations: list[Operation] = []
    module = builtin.ModuleOp([_operation(random, values, operations, 3)])
    for operation in operations:
        count = random.choice((0, 1, 2, 5))
        if values:
            operation.operands = [random.choice(values) for _ in range(count)]
        region = operation.parent_region()
        if region is not None and not random.randrange(4):
            count = random.choice((1, 1, 2))
            operation.successors = random.choices(tuple(region.blocks), k=count)
    return module


def _operation(
    random: Random, values: list[SSAValue], operations: list[Operation], depth: int
) -> Operation:
    regions = []
    for _ in range(random.choice((0, 0, 1, 2)) if depth else 0):
        blocks = []
        for _ in range(random.choice((0, 1, 1, 3))):
            types = [_attribute(random) for _ in range(random.choice((0, 1, 3)))]
            block = Block(arg_types=types)
            block.name_hint = random.choice(_HINTS)
            for argument in block.args:
                argument.location = _location(random)
                argument.name_hint = random.choice(_HINTS)
            for _ in range(random.randrange(5)):
                block.add_op(_operation(random, values, operations, depth - 1))
            values += block.args
            blocks.append(block)
        regions.append(Region(blocks))
    operation = test.TestOp.create(
        result_types=[_attribute(random) for _ in range(random.choice((0, 1, 1, 20)))],
        properties=_dictionary(random),
        attributes=_dictionary(random),
        location=_location(random),
        regions=regions,
    )
    values += operation.results
    for result in operation.results:
        result.name_hint = random.choice(_HINTS)
    operations.append(operation)
    return operation


def _dictionary(random: Random) -> dict[str, Attribute]:
    count = random.choice((0, 0, 1, 2, 20))
    return {f"{random.choice(_TEXTS)}{n}": _attribute(random) for n in range(count)}


def _location(random: Random) -> builtin.LocationAttr:
    place = (random.choice((0, 3, 2**16, 2**32, 10**30, -1)) for _ in range(2))
    line, column = map(builtin.IntAttr, place)
    file = builtin.FileLineColLoc(_text(random), line, column)
    name = builtin.NameLoc(_text(random), file)
    call = builtin.CallSiteLoc(file, name)
    fused = builtin.FusedLoc(builtin.ArrayAttr([call, file]), _text(random))
    return random.choice((builtin.UnknownLoc(), file, file, file, name, call, fused))


def _text(random: Random) -> builtin.StringAttr:
    return builtin.StringAttr(random.choice(_TEXTS))


def _attribute(random: Random, depth: int = 2) -> Attribute:
    if not depth or random.randrange(3):
        return random.choice(_LEAVES)
    inner = [_attribute(random, depth - 1) for _ in range(random.choice((0, 1, 3)))]
    if random.randrange(2):
        return builtin.ArrayAttr(inner)
    names = (f"{random.choice(_TEXTS)}{number}" for number in range(len(inner)))
    return builtin.DictionaryAttr(dict(zip(names, inner, strict=True)))


_LEAVES: Final[tuple[Attribute, ...]] = (
    i32,
    builtin.IntegerType(5, builtin.Signedness.UNSIGNED),
    builtin.IntegerAttr(-7, i32),
    *map(builtin.IntAttr, (0, -1, 1, 2**63, -(2**200))),
    *map(builtin.FloatData, _FLOATS),
    *(builtin.FloatAttr(each, builtin.f64) for each in _FLOATS),
    *map(builtin.StringAttr, _TEXTS),
    *map(test.TestType, _TEXTS[:4]),
    builtin.BytesAttr(b""),
    builtin.BytesAttr(b"\x00\xff"),
    builtin.DenseArrayBase.from_list(builtin.i64, [-1, 2, 3]),
    builtin.UnitAttr(),
    builtin.SymbolRefAttr("f", ["g"]),
    builtin.MemRefType(builtin.f32, [2, -1]),
    builtin.FunctionType.from_lists([i32], [builtin.f32, builtin.i1]),
    builtin.AffineMapAttr(AffineMap.from_callable(lambda i, j: (i + j,))),
)
