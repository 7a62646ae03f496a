"""Checks of a parsed pattern that are the same for both IR libraries.

PDL that parses may still end the process when MLIR applies it: an operation erased
while it has uses, replaced twice, or of a dialect that is not loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from passgen_runtime.context import Context, Operation
from passgen_runtime.errors import nearest_note
from passgen_runtime.patterns.native_functions import OWN_FUNCTION
from passgen_runtime.patterns.rewrite_pattern import (
    PatternDriver,
    PatternError,
    RewritePattern,
)


@dataclass(frozen=True, slots=True, eq=False)
class PDLOperation:
    """An operation of the dialect `pdl` in a pattern."""

    kind: str
    """Its name, such as `pdl.operation`."""

    operands: tuple[PDLOperation, ...]
    """The operations that define its operands."""

    text: str
    """The name of the operation, constraint or rewrite that it stands for, or the
    number of a result, if any."""

    result_types: tuple[str, ...]
    place: str
    is_in_rewrite: bool
    original: Operation
    """The object of the IR library."""

    @property
    def defining(self) -> PDLOperation:
        """The `pdl.operation` that a `pdl.result` belongs to, or this one."""
        is_result = self.kind in {"pdl.result", "pdl.results"}
        return self.operands[0] if is_result else self

    @property
    def num_types(self) -> int:
        """The number of result types of a `pdl.operation`."""
        return sum(operand.kind == "pdl.type" for operand in self.operands)


@dataclass(frozen=True, slots=True)
class ParsedPattern:
    """A pattern that has been parsed and checked."""

    pattern: RewritePattern
    module: Operation
    """The module around it: MLIR's objects inside die with this one."""

    original: Operation
    """The `pdl.pattern`, an object of the IR library."""

    operations: tuple[PDLOperation, ...]
    """In order, without the `pdl.pattern`."""

    @property
    def name(self) -> str:
        """The label."""
        return self.pattern.name

    @property
    def rewrite(self) -> PDLOperation:
        """The `pdl.rewrite`."""
        return next(self.of_kind("pdl.rewrite"))

    @property
    def root(self) -> PDLOperation:
        """The operation that the pattern starts from."""
        return self.rewrite.operands[0]

    def of_kind(self, *kinds: str) -> Iterator[PDLOperation]:
        """Yield the operations of one of some kinds."""
        return (operation for operation in self.operations if operation.kind in kinds)


def read_pattern(
    context: Context,
    pattern: RewritePattern,
    text: Callable[[Operation], str],
    key: Callable[[Operation], object] = id,
) -> ParsedPattern:
    """Return `pattern`, parsed.

    Args:
        context: it parses the text.
        pattern: the declaration.
        text: returns `PDLOperation.text`.
        key: returns the identity of an operation.

    Raises:
        IRError: the text does not parse.
        PatternError: the module has anything but one pattern, or it has no root.
    """
    module = context.parse(pattern.module(), pattern.file)
    found = context.children(module)
    if [context.name(operation) for operation in found] != ["pdl.pattern"]:
        names = ", ".join(map(context.name, found)) or "nothing"
        place = context.location(found[-1] if found else module)
        raise pattern_error(pattern, place, f"expected one pdl.pattern, found {names}")
    known: dict[object, PDLOperation] = {}

    def read(operations: Iterable[Operation], *, is_in_rewrite: bool) -> None:
        for operation in operations:
            # A rewrite stands behind all operations that it uses.
            owners = [key(operand.owner) for operand in operation.operands]
            if not known.keys() >= set(owners):
                place = context.location(operation)
                raise pattern_error(pattern, place, "uses an argument of a block")
            known[key(operation)] = PDLOperation(
                context.name(operation),
                tuple(known[owner] for owner in owners),
                text(operation),
                tuple(str(result.type) for result in operation.results),
                context.location(operation),
                is_in_rewrite,
                operation,
            )
            read(context.children(operation), is_in_rewrite=True)

    read(context.children(found[0]), is_in_rewrite=False)
    parsed = ParsedPattern(pattern, module, found[0], tuple(known.values()))
    rewrite = next(parsed.of_kind("pdl.rewrite"), None)
    if rewrite is None or rewrite.text or not rewrite.operands:
        place = context.location(found[0]) if rewrite is None else rewrite.place
        expected = "expected `pdl.rewrite %root { ... }`, which names the root"
        raise pattern_error(pattern, place, expected)
    if not any(operation.is_in_rewrite for operation in parsed.operations):
        raise pattern_error(pattern, rewrite.place, "the rewrite changes nothing")
    return parsed


def check_pattern(
    parsed: ParsedPattern,
    context: Context,
    natives: Mapping[str, Collection[str]],
    driver: PatternDriver,
) -> None:
    """Check what would end the process, or silently never match.

    Args:
        parsed: the pattern.
        context: it knows the operations.
        natives: the names of declared functions, by the kind of operation.
        driver: applies the pattern.

    Raises:
        PatternError: something is wrong.
    """
    for operation in parsed.of_kind("pdl.operation"):
        name = operation.text
        if name and not context.allow_unregistered and context.lookup(name) is None:
            message = f"there is no operation '{name}'"
            notes = nearest_note(name, context.operation_names())
            raise pattern_error(parsed.pattern, operation.place, message, notes)
    for operation in parsed.of_kind(*natives):
        if operation.kind == "pdl.apply_native_constraint" and operation.result_types:
            message = "a constraint has no results: a rewrite may have some"
            raise pattern_error(parsed.pattern, operation.place, message)
        names = natives[operation.kind]
        if operation.text not in names and not OWN_FUNCTION.fullmatch(operation.text):
            what = operation.kind.rpartition("_")[2]
            message = f"no {what} '{operation.text}' is declared"
            notes = nearest_note(operation.text, names)
            raise pattern_error(parsed.pattern, operation.place, message, notes)
    _check_changes(parsed, driver)


def _check_changes(parsed: ParsedPattern, driver: PatternDriver) -> None:
    """Check the order and the operands of replacements and erasures, and results."""
    gone: list[PDLOperation] = []
    for operation in parsed.operations:
        problem = _problem_of_result(operation)
        if problem:
            raise pattern_error(parsed.pattern, operation.place, problem)
        if not operation.is_in_rewrite:
            continue
        if any(operand.defining in gone for operand in operation.operands):
            problem = "an operation is used after it was replaced or erased"
        if operation.kind in {"pdl.replace", "pdl.erase"}:
            changed, *values = operation.operands
            others = {other for other in (*gone, changed) if other is not parsed.root}
            if len(others) > 1:
                problem = "two operations besides the root are gone; they may be one"
            gone.append(changed)
            problem = problem or _problem_of_change(operation, changed, values)
            if driver.name == "walk" and changed is not parsed.root:
                problem = (
                    "the driver 'walk' allows to replace or erase the root alone: "
                    "write `driver: greedy`"
                )
        if problem:
            raise pattern_error(parsed.pattern, operation.place, problem)


def _problem_of_result(operation: PDLOperation) -> str:
    if operation.kind != "pdl.result":
        return ""
    owner = operation.operands[0]
    has_types = not any(operand.kind == "pdl.types" for operand in owner.operands)
    is_inferred = operation.is_in_rewrite and not owner.num_types
    if not has_types or is_inferred or int(operation.text) < owner.num_types:
        return ""
    return f"result {operation.text} of an operation with {owner.num_types} results"


def _problem_of_change(
    operation: PDLOperation, changed: PDLOperation, values: Sequence[PDLOperation]
) -> str:
    if operation.kind == "pdl.erase":
        return (
            "erases an operation with results, which may be used: replace it by values"
            if changed.operands
            and changed.operands[-1].kind in {"pdl.type", "pdl.types"}
            else ""
        )
    if any(value.defining is changed for value in values):
        return "replaces an operation by itself"
    kinds = {value.kind for value in values}
    is_known = not any(kind.endswith("s") for kind in kinds) and not any(
        operand.kind == "pdl.types" for operand in changed.operands
    )
    num_values = len(values)
    if kinds == {"pdl.operation"}:
        num_values = values[0].num_types
        is_known = is_known and bool(num_values)
    if not is_known or num_values == changed.num_types:
        return ""
    return f"replaces {changed.num_types} results by {num_values} values"


def result_types(patterns: Iterable[ParsedPattern]) -> dict[str, tuple[str, ...]]:
    """Return the types of the results of each native rewrite.

    Raises:
        PatternError: they differ, so that its results cannot be checked.
    """
    types: dict[str, tuple[str, ...]] = {}
    for parsed in patterns:
        for operation in parsed.of_kind("pdl.apply_native_rewrite"):
            known = types.setdefault(operation.text, operation.result_types)
            if known != operation.result_types:
                others = ", ".join(known) or "none"
                message = f"the results of '{operation.text}' are {others} elsewhere"
                raise pattern_error(parsed.pattern, operation.place, message)
    return types


def pattern_error(
    pattern: RewritePattern, place: str, message: str, notes: Iterable[str] = ()
) -> PatternError:
    """Return an error at a place in the text of `pattern`."""
    lines = (f"{place}: pattern '{pattern.name}': {message}", *notes)
    return PatternError("\nnote: ".join(lines))
