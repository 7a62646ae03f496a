"""Calls of functions by xDSL's interpreter, for checks that compare their results.

Operations on integers are evaluated by the semantics of `passgen_tools.verify`: xDSL's
interpreter lacks many of them, and knows neither poison nor undefined behavior. A
value that is poison is `None`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from io import StringIO
from itertools import count, islice, product
from math import inf, nan, prod
from random import Random
from sys import float_info
from traceback import walk_tb
from types import SimpleNamespace
from typing import Any, Final, TypeAlias

from passgen_runtime.ir.xdsl_versions import number_of

_XDSL: TypeAlias = Any  # it may not be installed
Arguments: TypeAlias = tuple[Any, ...]

_MAX_CALLS: Final = 64
_MAX_STEPS: Final = 5_000
_MAX_ELEMENTS: Final = 1 << 20
_LIMIT_S: Final = 0.5
_processor_time_s: Final = getattr(time, "thread_time", time.process_time)
"""The clock of calls; WebAssembly has no threads, and lacks that of a thread."""

_INTEGERS: Final = (0, 1, -1, 2, 7)
_FLOATS: Final = (0.0, -0.0, 1.0, -1.0, 0.5, inf, -inf, nan)
_LARGEST: Final = {
    "f16": 65504.0,
    "bf16": (2 - 2**-7) * 2.0**127,
    "f32": (2 - 2**-23) * 2.0**127,
    "f64": float_info.max,
}
"""The largest number of each type of floats."""


NOT_EVALUATED: Final = "not evaluated"
TOO_LONG: Final = "too long"
UNDEFINED: Final = "undefined behaviour"
POISON: Final = "poison"

_DECIDING_OPERANDS: Final = {
    "cf.br": 0,
    "cf.cond_br": 1,
    "func.call": 0,
    "func.return": 0,
    "scf.condition": 1,
    "scf.for": 3,
    "scf.while": 0,
    "scf.yield": 0,
}
"""How many operands of an operation are used by itself; it hands on the others."""

_ACCESSES: Final = {
    "affine.load": 0,
    "affine.store": 1,
    "memref.load": 0,
    "memref.store": 1,
    "tensor.extract": 0,
    "tensor.insert": 1,
}
"""The operand of an operation that is accessed, by the indices behind it."""

_DOUBLE_PRECISION: Final = frozenset({"linalg.conv_2d_nchw_fchw"})
"""Operations without a body that xDSL's interpreter computes in `f64`."""

_ALLOCATIONS: Final = frozenset({"memref.alloc", "memref.alloca", "tensor.empty"})


@dataclass(frozen=True, slots=True)
class Obstacle:
    """The reason why a call has no results to compare."""

    reason: str
    subject: str = ""
    """The operation or the type that stands in the way."""

    is_outcome: bool = False
    """Whether it is what the call does: a pass must not introduce it."""

    def __str__(self) -> str:
        """Return the reason with its subject."""
        return f"{self.reason}: {self.subject}" if self.subject else self.reason

    @property
    def counted_as(self) -> str:
        """The name in counts."""
        return str(self) if self.reason == NOT_EVALUATED else self.reason


NO_BODY: Final = Obstacle("it has no body")


class InterpreterError(AssertionError):
    """xDSL's interpreter has raised an exception that is no missing operation."""


class _CallEnd(BaseException):
    """Ends a call."""

    def __init__(self, obstacle: Obstacle) -> None:
        super().__init__(obstacle)
        self.obstacle = obstacle


def obstacle_of(function: _XDSL) -> Obstacle | None:
    """Return what excludes that the results of a function are compared, if so."""
    if function.name != "func.func":
        return Obstacle(NOT_EVALUATED, f"'{function.name}'")
    if not function.body.blocks:
        return NO_BODY
    inputs, outputs = function.function_type.inputs, function.function_type.outputs
    for what, types in (("an argument", inputs), ("a result", outputs)):
        for type_ in types:
            if not _is_scalar(type_):
                return Obstacle(NOT_EVALUATED, f"{what} of type '{type_}'")
    return None


def arguments_of(function: _XDSL, seed: int) -> list[Arguments]:
    """Return 0, 1, -1, minimum, maximum, infinities, NaN and random ones, combined."""
    from passgen_tools.testing.function_values import typed  # noqa: PLC0415

    chance = Random(seed)  # noqa: S311 - for no secret
    columns: list[list[Any]] = []
    for type_ in function.function_type.inputs:
        if type_.name in _LARGEST:
            drawn_float = typed(chance.uniform(-100, 100), type_)
            columns.append([*_FLOATS, _LARGEST[type_.name], drawn_float])
            continue
        half = 1 << _width(type_) >> 1
        drawn = chance.randrange(-half, half + 1)
        numbers = dict.fromkeys((*_INTEGERS, -half, half - 1, drawn))
        columns.append([number for number in numbers if -half <= number < half])
    every = [*islice(product(*columns), _MAX_STEPS)]
    return chance.sample(every, min(len(every), _MAX_CALLS))


def call(function: _XDSL, reader: _XDSL, args: Arguments) -> Arguments | Obstacle:
    """Return the results of a call, or the reason why there are none.

    Raises:
        InterpreterError: the interpreter fails.
    """
    # Tests of passes need no interpreter.
    from xdsl.interpreters import register_implementations  # noqa: PLC0415
    from xdsl.utils.exceptions import InterpretationError  # noqa: PLC0415

    from passgen_tools.testing.function_values import (  # noqa: PLC0415
        MemoryFunctions,
        StructuredFunctions,
        TypedInterpreter,
    )

    watch = _Watch(reader)
    hooks: Any = SimpleNamespace(
        will_interpret_op=watch.will_interpret, did_interpret_op=watch.did_interpret
    )
    module: Any = function.parent_op()
    interpreter = TypedInterpreter(module, 64, listeners=(hooks,), file=StringIO())
    register_implementations(interpreter, reader.xdsl)
    interpreter.register_implementations(MemoryFunctions(), override=True)
    interpreter.register_implementations(StructuredFunctions(), override=True)
    interpreter.register_implementations(_integer_functions()(), override=True)
    try:
        found = interpreter.call_op(function, args)
    except _CallEnd as end:
        return end.obstacle
    except RecursionError:
        return Obstacle(TOO_LONG)
    except Exception as error:  # noqa: BLE001 - of any implementation
        cause = _cause(error)
        # An implementation refuses by these what it does not know.
        lacks = InterpretationError, NotImplementedError
        if isinstance(cause, lacks) or _is_assertion_of_xdsl(cause):
            return Obstacle(NOT_EVALUATED, f"'{watch.operation}'")
        if isinstance(cause, RecursionError):
            return Obstacle(TOO_LONG)
        name = function.sym_name.data
        happened = f"{type(cause).__name__}: {cause}"
        raise InterpreterError(
            f"xDSL's interpreter fails in @{name}{args} at '{watch.operation}': "
            f"{happened}"
        ) from cause
    if None in found:
        return Obstacle(POISON, f"'{watch.last_poison}'", is_outcome=True)
    types = function.function_type.outputs
    return tuple(map(_comparable, map(number_of, found), types))


def _cause(error: BaseException) -> BaseException:
    """Return the exception that the interpreter reports again at each parent."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def _is_assertion_of_xdsl(error: BaseException) -> bool:
    """Return whether xDSL has raised an `AssertionError`."""
    *_, (frame, _) = walk_tb(error.__traceback__)
    module = frame.f_globals.get("__name__", "")
    return isinstance(error, AssertionError) and module.startswith("xdsl.")


class _Watch:
    """Ends a call that takes too long, or whose results are open."""

    def __init__(self, reader: _XDSL) -> None:
        self._reader = reader
        self.operation = "func.func"
        """The name of the last operation that was interpreted."""

        self.last_poison = "func.func"
        """The name of the last operation that had a result which is poison."""

        self._steps, self._end_s = count(), _processor_time_s() + _LIMIT_S

    def will_interpret(self, operation: _XDSL, args: Sequence[Any]) -> None:
        """End the call before an operation."""
        self.operation = name = self._reader.name(operation)
        if next(self._steps) > _MAX_STEPS or _processor_time_s() > self._end_s:
            raise _CallEnd(Obstacle(TOO_LONG))
        if obstacle := _obstacle_at(operation, name, [*map(number_of, args)]):
            raise _CallEnd(obstacle)

    def did_interpret(self, operation: _XDSL, results: Sequence[Any]) -> None:
        """Note which operation has a result that is poison."""
        self.operation = self._reader.name(operation)
        if any(result is None for result in results):
            self.last_poison = operation.name


def _obstacle_at(operation: _XDSL, name: str, args: Sequence[Any]) -> Obstacle | None:
    """Return why an operation has no known results for `args`, if so."""
    flags = " ".join(map(str, operation.properties.values()))
    if "fastmath<" in flags and "<none>" not in flags:
        return Obstacle("fast math", f"'{name}'")
    if name in _evaluated():
        return None
    if name in _DOUBLE_PRECISION:
        for operand in operation.operands:
            if operand.type.element_type.name != "f64":
                return _not_on(name, [operand])
    values = (*operation.operands, *operation.results)
    if name.startswith(("arith.", "math.")) and not all(map(_is_known, values)):
        return _not_on(name, values)
    if None in args[: _DECIDING_OPERANDS.get(name, len(args))]:
        return Obstacle(POISON, f"'{name}'")
    return _obstacle_in_memory(operation, name, args)


def _obstacle_in_memory(
    operation: _XDSL, name: str, args: Sequence[Any]
) -> Obstacle | None:
    """Return why an operation that is not poison has no results for `args`, if so."""
    if name in _ALLOCATIONS and (obstacle := _obstacle_to_allocation(operation, args)):
        return obstacle
    is_endless = name == "scf.for" and args[2] <= 0
    if is_endless or (name in _ACCESSES and _is_outside(operation, name, args)):
        return _undefined(name)
    return None


def _obstacle_to_allocation(operation: _XDSL, sizes: Sequence[int]) -> Obstacle | None:
    """Return why memory is not allocated, if so."""
    from passgen_tools.testing.function_values import shape_of  # noqa: PLC0415

    shape = shape_of(operation.results[0].type, sizes)
    if min(shape, default=0) < 0:
        return _undefined(operation.name)
    if prod(shape) > _MAX_ELEMENTS:
        return Obstacle("too large", f"'{operation.name}'")
    return None


def _undefined(name: str) -> Obstacle:
    return Obstacle(UNDEFINED, f"'{name}'", is_outcome=True)


def _not_on(name: str, values: Sequence[_XDSL]) -> Obstacle:
    """Return the obstacle that an operation is evaluated on other types only."""
    unknown = [value for value in values if not _is_known(value)]
    return Obstacle(NOT_EVALUATED, f"'{name}' on '{(unknown or values)[0].type}'")


def _is_outside(operation: _XDSL, name: str, args: Sequence[Any]) -> bool:
    """Return whether an access is out of bounds."""
    place = _ACCESSES[name]
    accessed, indices = args[place], args[place + 1 :]
    if name.startswith("affine."):
        indices = operation.map.data.eval(indices, [])
    pairs = zip(indices, accessed.shape, strict=False)
    return any(not 0 <= index < size for index, size in pairs)


@cache
def _evaluated() -> frozenset[str]:
    from passgen_tools.verify import EVALUATED  # noqa: PLC0415 - as xDSL's interpreter

    return EVALUATED


@cache
def _flag_reader() -> Any:  # noqa: ANN401 - imported late
    from passgen_runtime.ir.xdsl import XDSLContext  # noqa: PLC0415 - as above
    from passgen_tools.verify import FlagReader  # noqa: PLC0415

    return FlagReader(XDSLContext())


@cache
def _integer_functions() -> Any:  # noqa: ANN401 - a class of xDSL's
    """Return the implementations of operations on integers."""
    from xdsl.dialects.arith import Arith  # noqa: PLC0415
    from xdsl.dialects.math import Math  # noqa: PLC0415
    from xdsl.interpreter import (  # noqa: PLC0415
        InterpreterFunctions,
        impl,
        register_impls,
    )

    methods = {
        operation.name: impl(operation)(_run)
        for dialect in (Arith, Math)
        for operation in dialect.operations
        if operation.name in _evaluated()
    }
    return register_impls(type("IntegerFunctions", (InterpreterFunctions,), methods))


def _run(
    _functions: _XDSL, interpreter: _XDSL, operation: _XDSL, args: Arguments
) -> Arguments:
    """Implement an operation on integers."""
    from xdsl.interpreters.arith import ArithFunctions  # noqa: PLC0415

    from passgen_tools.verify import (  # noqa: PLC0415
        Type,
        UndefinedBehaviorError,
        evaluate,
    )

    name, values = operation.name, (*operation.operands, *operation.results)
    if not all(_width(value.type) for value in values):
        if name == "arith.select" and None not in args:
            selected = ArithFunctions().run_select(interpreter, operation, args)
            return tuple(selected.values)
        raise _CallEnd(_not_on(name, values))
    operand_types, result_types = (
        [Type(str(value.type), _width(value.type)) for value in side]
        for side in (operation.operands, operation.results)
    )
    try:
        number = _flag_reader().number(operation)
        types = operand_types, result_types
        return tuple(evaluate(name, number, [*map(number_of, args)], types))
    except UndefinedBehaviorError:
        raise _CallEnd(_undefined(name)) from None


def _is_known(value: _XDSL) -> bool:
    return _is_scalar(value.type)


def _is_scalar(type_: _XDSL) -> bool:
    return type_.name in _LARGEST or _width(type_) > 0


def _width(type_: _XDSL) -> int:
    """Return the width of an integer type; 0 if it is another type."""
    if type_.name == "index":
        return 64
    return int(type_.width.data) if type_.name == "integer_type" else 0


def _comparable(value: Any, type_: _XDSL) -> object:  # noqa: ANN401 - of any type
    half = 1 << _width(type_) >> 1
    return (value + half) % (2 * half) - half if half else repr(value)
