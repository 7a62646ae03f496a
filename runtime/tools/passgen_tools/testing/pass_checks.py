"""Checks of the whole IR after each pass of a pipeline in a test.

    assert_rewrites(pipeline, before, after, check=round_trip)
    assert_rewrites(pipeline, before, after, check=same_results("main", [(1, 2)]))

A check is any function of the outermost operation and its context that raises an
exception if the IR is not as it should be. It is called before the first pass as well:
what it finds there is not the fault of a pass.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import StringIO
from itertools import count, islice, product
from math import inf, nan
from operator import add, lshift, mul, sub
from random import Random
from time import thread_time
from types import SimpleNamespace
from typing import Any, Final, TypeAlias

from passgen_runtime.context import Context, Operation
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_instrumentation import Detail, PassInstrumentation
from passgen_runtime.printing_flags import PrintingFlags
from passgen_tools.ir_libraries import XDSLLibrary

Check: TypeAlias = Callable[[Operation, Context], object]
"""Raises an exception if the IR of an outermost operation is wrong."""

_XDSL: TypeAlias = Any  # it may not be installed
_MAX_CALLS: Final = 64
_MAX_STEPS: Final = 5_000
_LIMIT_S: Final = 0.5
_FLOATS: Final = (0.0, -0.0, 1.0, -1.0, 0.5, inf, -inf, nan, 65504.0)
_EXACT: Final = {"addi": add, "subi": sub, "muli": mul, "shli": lshift}
_UNDEFINED: Final = "undefined behaviour"


class CheckAfterPasses(PassInstrumentation):
    """Calls a check after each pass, and compares its failures with those expected."""

    detail = Detail.OPERATIONS

    def __init__(
        self,
        context: Context,
        root: Operation,
        check: Check,
        fails_after: Mapping[str, str],
    ) -> None:
        """Call `check` with `root`, the outermost operation, before any pass.

        Args:
            context: of the IR.
            root: what passes run on, and inside of.
            check: the check.
            fails_after: patterns of the failures to expect, by argument of the pass.

        Raises:
            AssertionError: the check fails on the IR before the first pass.
        """
        self._context = context
        self._root = root
        self._check = check
        self._fails_after = fails_after
        self._missing = set(fails_after)
        self._failures: list[tuple[str, Exception]] = []
        failure = self._failure()
        if failure is not None:
            message = f"the check fails before the first pass: {_text(failure)}"
            raise AssertionError(message) from failure

    def run_after_pass(self, pass_: Pass, operation: Operation) -> None:
        """Check the IR."""
        failure = self._failure()
        if failure is None:
            return
        name = pass_.argument or pass_.name
        pattern = self._fails_after.get(name)
        if pattern is not None and re.search(pattern, _text(failure)):
            self._missing.discard(name)
            return
        place = self._context.describe(operation)
        self._failures.append((f"after pass '{name}' on {place}", failure))

    def _failure(self) -> Exception | None:
        try:
            self._check(self._root, self._context)
        except Exception as error:  # noqa: BLE001 - a check may raise anything
            return error
        return None

    def require_expected(self) -> None:
        """Check that there were the failures to expect, and no others.

        Raises:
            AssertionError: there was another one, or one is missing.
        """
        __tracebackhide__ = True
        if self._failures:
            place, failure = self._failures[0]
            message = f"the check fails {place}:\n{_text(failure)}"
            if num_more := len(self._failures) - 1:
                message += f"\nand {num_more} more times after it"
            raise AssertionError(message) from failure
        for name in sorted(self._missing):
            pattern = self._fails_after[name]
            message = f"expected the check to fail after '{name}' with {pattern!r}"
            raise AssertionError(f"{message}, and it did not")


def _text(error: Exception) -> str:
    return str(error) or type(error).__name__


def round_trip(operation: Operation, context: Context) -> None:
    """Check that the IR is the same when it is printed and parsed again.

    Raises:
        AssertionError: it differs, in the generic form or in the custom one.
        IRError: the text does not parse.
    """
    for generic in (False, True):
        flags = PrintingFlags(generic=generic, debug_info=True)
        text = context.print(operation, flags=flags)
        again = context.parse(text, "round-trip", implicit_module=False)
        context.verify(again)
        found = context.print(again, flags=flags)
        if found != text:
            form = "generic" if generic else "custom"
            message = f"the {form} form does not parse to the same IR"
            raise AssertionError(f"{message}:\n{text}\nis parsed to\n{found}")


class same_results:  # noqa: N801 - a check, as `round_trip` is
    """Checks that functions have the results that they have before the passes.

    A pass may refine: calls that are undefined or poison before are left out. xDSL's
    interpreter calls the functions, of MLIR's IR those that xDSL reads.
    """

    def __init__(
        self,
        function: str | None = None,
        arguments: Iterable[Sequence[Any]] = (),
        *,
        seed: int = 0,
    ) -> None:
        """Call a function with `arguments`, or all with awkward and random ones."""
        self.counts = Counter[str]()
        """The numbers of functions, and of calls by what became of them."""

        self._function, self._seed = function, seed
        self._arguments = [*map(tuple, arguments)]
        self._seen: dict[str, tuple[str, bytes]] = {}
        self._results: dict[str, list[tuple[tuple[Any, ...], object]]] = {}

    def __call__(self, operation: Operation, context: Context) -> None:
        """Compare the results of functions that have changed.

        Raises:
            AssertionError: they differ, or the given function has none.
        """
        reader: _XDSL = context
        if context.library != "xdsl":
            reader = XDSLLibrary().context(allow_unregistered=True)
            operation = reader.parse(context.print(operation, generic=True), "results")
        for inner in reader.children(operation):
            name = reader.symbol_name(inner)
            if inner.name != "func.func" or self._function not in {None, name}:
                continue
            now = str(inner.function_type), reader.fingerprint(inner)
            before, self._seen[name] = self._seen.get(name, now), now
            if before[0] != now[0]:
                self.counts["functions with other types"] += 1
                del self._results[name]
            if before != now or name not in self._results:
                self._compare(name, inner, reader)
        if self._function is not None and not self._results.get(self._function):
            raise AssertionError(f"no call of @{self._function} has a result")

    def _compare(self, name: str, function: _XDSL, reader: _XDSL) -> None:
        calls = self._arguments or _arguments(function, self._seed)
        is_first = name not in self._results
        results = self._results.setdefault(name, [])
        for args, before in [(args, None) for args in calls] if is_first else results:
            now = _call(function, reader, args)
            is_result = not isinstance(now, str) or (now == _UNDEFINED and not is_first)
            self.counts["compared calls" if is_result else now] += 1
            if now == "too long":
                break
            if is_first and is_result:
                results.append((args, now))
            elif is_result and now != before:
                found = f"@{name}{args} is {now}, and was {before}"
                raise AssertionError(f"{found}; the seed is {self._seed}")
        self.counts.update(functions=is_first, evaluated=is_first and bool(results))


def _call(function: _XDSL, reader: _XDSL, args: tuple[Any, ...]) -> Any:  # noqa: ANN401
    """Return the results of a call, or the reason why there are none."""
    # Tests of passes need no interpreter.
    from xdsl.interpreter import Interpreter  # noqa: PLC0415
    from xdsl.interpreters import register_implementations  # noqa: PLC0415

    steps, end_s, reasons = count(), thread_time() + _LIMIT_S, ["not evaluated"]

    def watch(op: _XDSL, args: Sequence[Any]) -> None:
        is_long = next(steps) > _MAX_STEPS or thread_time() > end_s
        if reason := "too long" if is_long else _why_undefined(op, args):
            reasons.append(reason)
            raise SystemExit  # for others, xDSL prints the module, once a call

    hooks = {"will_interpret_op": watch, "did_interpret_op": lambda *_: None}
    watched: Any = {"listeners": (SimpleNamespace(**hooks),), "file": StringIO()}
    interpreter = Interpreter(function.parent_op(), 64, **watched)
    register_implementations(interpreter, reader.xdsl)
    try:
        found = interpreter.call_op(function, args)
        return tuple(map(_comparable, found, function.function_type.outputs))
    except (Exception, SystemExit):  # noqa: BLE001 - an unknown operation, say
        return reasons[-1]


def _why_undefined(op: _XDSL, args: Sequence[Any]) -> str:
    """Return why an operation has no result for `args`; empty if it has one."""
    kind = op.name.removeprefix("arith.")
    flags = " ".join(map(str, op.properties.values()))
    if "fastmath<" in flags and "<none>" not in flags:
        return "fast math"
    if "alloc" in kind and max(args, default=0) > _MAX_STEPS:
        return "too large"
    width = _width(op.results[0].type) if op.results else 0
    if not width or [isinstance(arg, int) for arg in args] != [True, True]:
        return ""
    half = 1 << width >> 1
    low, by = (arg % (2 * half) for arg in args)
    signed = [(arg + half) % (2 * half) - half for arg in args]
    if "div" in kind or "rem" in kind:
        overflows = kind.endswith("si") and signed == [-half, -1]
        return _UNDEFINED if by == 0 or overflows else ""
    exact = _EXACT.get(kind, min)
    signed[1] = by if kind == "shli" else signed[1]
    is_poison = (
        (kind.startswith("sh") and by >= width)
        or ("nsw" in flags and not -half <= exact(*signed) < half)
        or ("nuw" in flags and not 0 <= exact(low, by) < 2 * half)
    )
    return "poison" if is_poison else ""


def _arguments(function: _XDSL, seed: int) -> list[tuple[Any, ...]]:
    """Return 0, 1, -1, minimum, maximum, infinities, NaN and random ones, combined."""
    chance = Random(seed)  # noqa: S311 - for no secret
    columns: list[list[Any]] = []
    for type_ in function.function_type.inputs:
        half = 1 << _width(type_) >> 1
        numbers = 0, 1, -1, 2, 7, -half, half - 1, chance.randrange(-half, half + 1)
        integers = [value for value in dict.fromkeys(numbers) if -half <= value < half]
        is_float = type_.name in {"f16", "bf16", "f32", "f64"}
        columns.append([*_FLOATS, chance.randrange(800) / 8] if is_float else integers)
    every = [*islice(product(*columns), _MAX_STEPS)]
    return chance.sample(every, min(len(every), _MAX_CALLS))


def _width(type_: _XDSL) -> int:
    """Return the width of an integer type; 0 if it is another type."""
    if type_.name == "index":
        return 64
    return int(type_.width.data) if type_.name == "integer_type" else 0


def _comparable(value: Any, type_: _XDSL) -> object:  # noqa: ANN401 - of any type
    half = 1 << _width(type_) >> 1
    return (value + half) % (2 * half) - half if half else f"{value:.5e}"
