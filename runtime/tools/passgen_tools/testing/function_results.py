"""The check that passes keep the results of functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from passgen_runtime.context import Context, Operation
from passgen_runtime.errors import IRError
from passgen_tools.ir_libraries import XDSLLibrary, find_ir_library
from passgen_tools.testing.function_calls import (
    NO_BODY,
    TOO_LONG,
    Arguments,
    Obstacle,
    arguments_of,
    call,
    obstacle_of,
)
from passgen_tools.testing.settings import COMPARED

FUNCTIONS: Final = "functions"
EVALUATED: Final = "evaluated"
"""What `counts` has functions as of which a call has results."""

OTHER_TYPES: Final = "functions with other types"
UNCOMPARED: Final = "changed functions not compared"

Unevaluated: TypeAlias = Literal["fail", "allow"]
"""What a changed function does of which no call can be compared."""

_XDSL: TypeAlias = Any  # it may not be installed
_FUNCTION_TYPE: Final = "function_type"
"""An attribute of functions of every dialect."""

_SEPARATOR: Final = "::@"
_NO_RESULTS: Final = Obstacle("it returns nothing")
_BY_CALLERS: Final = Obstacle("private functions compared by their callers only")
_NO_ARGUMENTS: Final = Obstacle("it is called with no arguments")
_NOTE: Final = (
    'note: `same_results(unevaluated="allow")` accepts this; for a .mlir test, the '
    "comment 'UNEVALUATED: allow' does"
)


@dataclass(slots=True)
class _Known:
    """What is known of a function since the last look at it."""

    type: str
    fingerprints: tuple[bytes, ...]
    """Of the function, and of what it refers to; empty while it does not exist."""

    is_private: bool
    results: list[tuple[Arguments, object]]
    """The arguments and the results of calls before the passes."""

    obstacle: Obstacle | None
    """Why no call has results to compare; `None` if one has."""


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
        unevaluated: Unevaluated = "fail",
    ) -> None:
        """Call a function with `arguments`, or all with awkward and random ones.

        Args:
            function: the name of a function, or those of its parents, itself last,
                joined by `::@`; by default, all functions are called.
            arguments: of the calls.
            seed: of the random arguments.
            unevaluated: whether a function fails, or is counted only, that has changed
                and of which no call could be compared.
        """
        self.counts = Counter[str]()
        """The numbers of functions, of calls whose results before and after a pass
        were compared, and of calls that were not, by reason."""

        self._function, self._seed = function, seed
        self._arguments = [*map(tuple, arguments)]
        self._allows = unevaluated == "allow"
        self._module = b""
        self._known: dict[str, _Known] = {}

    def __call__(self, operation: Operation, context: Context) -> None:
        """Compare the results of functions that have changed.

        Raises:
            AssertionError: they differ, a function has changed and none of its calls
                could be compared, the given function has no result, or the interpreter
                fails.
        """
        reader: _XDSL = context
        if not isinstance(find_ir_library(context.library), XDSLLibrary):
            reader = XDSLLibrary().context(allow_unregistered=True)
            text = context.print(operation, generic=True)
            try:
                operation = reader.parse(text, "results")
            except IRError as error:
                self._report([f"xDSL cannot read the IR: {error}"])
                return
        module = reader.fingerprint(operation, with_locations=False)
        has_changed, self._module = module != self._module, module
        references = _References(operation, reader)
        problems, seen = list[str](), set[str]()
        for name, function in _functions(operation, reader):
            if self._function is None or self._function in {
                name,
                name.split(_SEPARATOR)[-1],
            }:
                seen.add(name)
                is_known = name in self._known
                if (has_changed or not is_known) and (
                    problem := self._look(name, function, reader, references)
                ):
                    problems.append(problem)
        for name in self._known.keys() - seen:
            removed = self._known[name]
            if removed.fingerprints and not removed.is_private and removed.results:
                problems.append(f"no call of @{name} was compared: it was removed")
            removed.fingerprints = ()
        self._report(sorted(problems))
        if self._function is not None:
            self._require_results(self._function)

    def _report(self, problems: list[str]) -> None:
        """Count what was not compared.

        Raises:
            AssertionError: that is not allowed.
        """
        if problems:
            self.counts[UNCOMPARED] += len(problems)
            if not self._allows:
                raise AssertionError("\n".join((*problems, _NOTE)))

    def _require_results(self, wanted: str) -> None:
        """Check that the function to call has a result.

        Raises:
            AssertionError: it has none.
        """
        obstacles = [known.obstacle for known in self._known.values()]
        if None not in obstacles:
            reasons = ", ".join(map(str, obstacles)) or "there is no such function"
            raise AssertionError(f"no call of @{wanted} has a result: {reasons}")

    def _look(
        self, name: str, function: _XDSL, reader: _XDSL, references: _References
    ) -> str:
        """Compare the results of a function; return why that was not possible, if so.

        Raises:
            AssertionError: they differ, or the interpreter fails.
        """
        known, fingerprints = self._known.get(name), references.fingerprints(function)
        is_left_to_callers = (
            self._function is None
            and _is_private(function)
            and references.has_users(function)
        )
        if known is None:
            self._known[name] = known = self._evaluate(
                function,
                reader,
                fingerprints,
                _BY_CALLERS if is_left_to_callers else None,
            )
            self.counts.update({FUNCTIONS: 1, EVALUATED: int(bool(known.results))})
            return ""
        before, known.fingerprints = known.fingerprints, fingerprints
        # What is no longer called may stay, since its removal is accepted.
        was_left_to_callers = known.obstacle == _BY_CALLERS and _is_private(function)
        is_left_to_callers = is_left_to_callers and known.is_private
        if before == fingerprints or is_left_to_callers or was_left_to_callers:
            return ""
        obstacle = obstacle_of(function)
        stays_without_body = known.obstacle == NO_BODY == obstacle
        if obstacle is None:
            obstacle = self._compare_or_evaluate(name, function, reader, known)
        if obstacle is None or stays_without_body:
            return ""
        is_itself_changed = before[:1] != fingerprints[:1]
        why = "" if is_itself_changed else "; what it refers to has changed"
        return f"no call of @{name} was compared: {obstacle}{why}"

    def _compare_or_evaluate(
        self, name: str, function: _XDSL, reader: _XDSL, known: _Known
    ) -> Obstacle | None:
        """Call a function again; return why no call could be compared, if so."""
        obstacle = known.obstacle
        if known.type != _type(function):
            self.counts[OTHER_TYPES] += 1
            change = f"'{known.type}' became '{_type(function)}'"
            obstacle = Obstacle("its type has changed", change)
        elif known.results:
            return self._compare(name, function, reader, known)
        self._known[name] = self._evaluate(function, reader, known.fingerprints)
        return obstacle

    def _evaluate(
        self,
        function: _XDSL,
        reader: _XDSL,
        fingerprints: tuple[bytes, ...],
        obstacle: Obstacle | None = None,
    ) -> _Known:
        """Call a function for the first time, unless there is an obstacle."""
        obstacle = obstacle or obstacle_of(function)
        results: list[tuple[Arguments, object]] = []
        if obstacle is None:
            obstacles = Counter[Obstacle]()
            for args in self._arguments or arguments_of(function, self._seed):
                found = call(function, reader, args)
                if not isinstance(found, Obstacle):
                    results.append((args, found))
                elif self._has_ended(found, obstacles):
                    break
            obstacle = None if results else _most_frequent(obstacles)
        else:
            self.counts[obstacle.counted_as] += 1
        return _Known(
            type=_type(function),
            fingerprints=fingerprints,
            is_private=_is_private(function),
            results=results,
            obstacle=obstacle,
        )

    def _compare(
        self, name: str, function: _XDSL, reader: _XDSL, known: _Known
    ) -> Obstacle | None:
        """Call a function again; return why no call could be compared, if so.

        Raises:
            AssertionError: the results differ, or the interpreter fails.
        """
        num_compared, obstacles = 0, Counter[Obstacle]()
        for args, before in known.results:
            now = call(function, reader, args)
            if isinstance(now, Obstacle) and not now.is_outcome:
                if self._has_ended(now, obstacles):
                    break
            elif now != before:
                is_now = now.reason if isinstance(now, Obstacle) else now
                found = f"@{name}{args} is {is_now}, and was {before}"
                raise AssertionError(f"{found}; the seed is {self._seed}")
            elif before == ():
                obstacles[_NO_RESULTS] += 1
            else:
                num_compared += 1
        self.counts[COMPARED] += num_compared
        return None if num_compared else _most_frequent(obstacles)

    def _has_ended(self, obstacle: Obstacle, obstacles: Counter[Obstacle]) -> bool:
        """Count a call without results; return whether others would take too long."""
        obstacles[obstacle] += 1
        self.counts[obstacle.counted_as] += 1
        return obstacle.reason == TOO_LONG


class _References:
    """The operations of a module to which others refer by their symbols."""

    def __init__(self, module: _XDSL, reader: _XDSL) -> None:
        self._reader = reader
        self._fingerprints: dict[_XDSL, bytes] = {}
        self._targets: dict[_XDSL, list[_XDSL]] = {}
        self._used = {
            target
            for operation in module.walk()
            for target in _referred_to(operation)
            if not target.is_ancestor(operation)
        }

    def has_users(self, function: _XDSL) -> bool:
        """Return whether operations outside of a function refer to it."""
        return function in self._used

    def fingerprints(self, function: _XDSL) -> tuple[bytes, ...]:
        """Return the fingerprints of a function, and of all that it depends on."""
        reached = {function: self._fingerprint(function)}
        pending = [function]
        while pending:
            for target in self._targets_in(pending.pop()):
                if target not in reached:
                    reached[target] = self._fingerprint(target)
                    pending.append(target)
        return tuple(reached.values())

    def _fingerprint(self, operation: _XDSL) -> bytes:
        if operation not in self._fingerprints:
            has_body = any(region.blocks for region in operation.regions)
            self._fingerprints[operation] = (
                self._reader.fingerprint(operation, with_locations=False)
                if has_body or _FUNCTION_TYPE not in operation.properties
                else b"declaration"  # nothing of it can be compared
            )
        return self._fingerprints[operation]

    def _targets_in(self, operation: _XDSL) -> list[_XDSL]:
        """Return what is referred to inside of an operation."""
        if operation not in self._targets:
            self._targets[operation] = [
                target for inner in operation.walk() for target in _referred_to(inner)
            ]
        return self._targets[operation]


def _referred_to(operation: _XDSL) -> Iterator[_XDSL]:
    """Yield the operations to whose symbols the attributes of an operation refer."""
    from xdsl.dialects.builtin import SymbolRefAttr  # noqa: PLC0415
    from xdsl.traits import SymbolTable  # noqa: PLC0415

    for attribute in (*operation.properties.values(), *operation.attributes.values()):
        if isinstance(attribute, SymbolRefAttr):
            table = operation
            # xDSL takes operations that it does not register for symbol tables.
            while table and not table.has_trait(
                SymbolTable, value_if_unregistered=False
            ):
                table = table.parent_op()
            if table and (target := SymbolTable.lookup_symbol(table, attribute)):
                yield target


def _most_frequent(obstacles: Counter[Obstacle]) -> Obstacle:
    return max(obstacles, key=obstacles.__getitem__, default=_NO_ARGUMENTS)


def _functions(operation: _XDSL, reader: _XDSL) -> Iterator[tuple[str, _XDSL]]:
    """Yield the functions inside of an operation at any depth, with their names."""
    numbers = Counter[str]()  # equal names may be in modules without a name
    for inner in operation.walk():
        name, parent = reader.symbol_name(inner), inner
        if not (name and _FUNCTION_TYPE in inner.properties | inner.attributes):
            continue
        while parent is not operation and parent.parent_op() is not operation:
            parent = parent.parent_op()
            if above := reader.symbol_name(parent):
                name = f"{above}{_SEPARATOR}{name}"
        numbers[name] += 1
        yield name if numbers[name] == 1 else f"{name}#{numbers[name]}", inner


def _type(function: _XDSL) -> str:
    return str(function.properties.get(_FUNCTION_TYPE))


def _is_private(function: _XDSL) -> bool:
    visibility = function.properties.get("sym_visibility")
    return visibility is not None and visibility.data != "public"
