"""Counterexamples as a test with RUN and CHECK lines.

A function has the operations that are matched. Its operands are arguments, so that
nothing folds. A CHECK-NOT line shows what is wrong: a flag, an operation or a value
that must not be there. The operands of that operation are known by name, whether the
pattern is applied or not: the function has and returns them, too, and `cse` gives equal
operations one name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from passgen_tools.verify.attributes import PREDICATE_NAMES
from passgen_tools.verify.counterexample import (
    POISON,
    Counterexample,
    Key,
    KnownOperation,
)
from passgen_tools.verify.judgements import Judgement

_CONSTANT: Final = "arith.constant"
_ANY_VALUE: Final = "%{{[^ ,:)]+}}"
_FLAG_NAMES: Final = re.compile(r"\b(?:nsw|nuw)\b")


class WrittenCase(NamedTuple):
    """A counterexample that becomes a function in a test."""

    place: str
    """The place of the pattern in its spec."""

    judgement: Judgement
    counterexample: Counterexample
    note: str = ""
    """Why the test does not show the fault; empty if it does."""

    @property
    def name(self) -> str:
        """The name of the function."""
        judgement = self.judgement
        suffix = re.sub(r"\W+", "_", f"{judgement.types} {judgement.flags}").strip("_")
        return f"{judgement.pattern}_{suffix}"

    @property
    def function(self) -> str:
        """The function without CHECK lines."""
        return "\n".join(self._function.lines())

    @property
    def text(self) -> str:
        """The function below its CHECK lines."""
        judgement, function = self.judgement, self._function
        flags = f" ({judgement.flags})" if judgement.flags else ""
        title = f"// {self.place}: {judgement.pattern} on {judgement.types}{flags}"
        notes = [f"// Note: {self.note}."] if self.note else []
        checks = function.checks()
        return "\n".join((title, *function.facts(), *notes, *checks, self.function))

    @property
    def _function(self) -> _Function:
        return _Function(self.name, self.counterexample)


def counterexample_tests(cases: Iterable[WrittenCase], command: str) -> str:
    """Return a test of what is wrong, as MLIR.

    Args:
        cases: the counterexamples.
        command: what the RUN line runs, with `%s` for the file.
    """
    header = f"// RUN: {command} | filecheck %s\n"
    return "\n".join((header, *(case.text for case in cases)))


@dataclass
class _Function:
    """A function with the operations that a pattern matches."""

    name: str
    shown: Counterexample
    names: dict[Key, str] = field(default_factory=dict)
    """The names of values in the function."""

    def __post_init__(self) -> None:
        """Name the values."""
        self._matched = [one for one in self.shown.operations if not one.is_new]
        self._created = [one for one in self.shown.operations if one.is_new]
        self._root = self._matched[-1]
        self._definitions = {
            key: operation
            for operation in self.shown.operations
            for key in operation.results
        }
        self._arguments = list(self._free_operands())
        self._wrong_operation = self._find_wrong_operation()
        self._needed = self._find_needed()
        self._added = [one for one in self._needed if one.is_new]
        """New operations that the function has, too."""

        for number, key in enumerate(self._arguments):
            self.names[key] = f"%arg{number}"
        values = [key for one in self._operations for key in one.results]
        for number, key in enumerate(values):
            self.names[key] = f"%v{number}"

    @property
    def _operations(self) -> list[KnownOperation]:
        """The operations in the function."""
        return [*self._matched, *self._added]

    def _free_operands(self) -> Iterator[Key]:
        """Yield the operands that no operation of the pattern defines, each once."""
        operands = [key for one in self.shown.operations for key in one.operands]
        for key in dict.fromkeys(operands):
            if key not in self._definitions:
                yield key

    # What is wrong.

    def _find_wrong_operation(self) -> KnownOperation | None:
        """Return the new operation that must not be there; `None` if a value is."""
        for operation in self._created:
            if operation.is_undefined or self._makes_poison(operation):
                return operation
        if self.shown.problem:
            return None
        _, new = self._wrong_pair()
        definition = self._definitions.get(new)
        if definition is None or not definition.is_new:
            return None
        # The match has an equal operation: CHECK lines look at what is returned.
        is_matched = self._identity(new) in {
            self._identity(key) for one in self._matched for key in one.results
        }
        return None if definition.name == _CONSTANT or is_matched else definition

    def _identity(self, key: Key) -> object:
        """Return what equal values have in common, whatever the flags."""
        operation = self._definitions.get(key)
        if operation is None:
            return key
        if operation.name == _CONSTANT:
            return self.shown.values[key].text
        operands = tuple(map(self._identity, operation.operands))
        predicate = operation.attributes.get("predicate")
        number = operation.results.index(key)
        return operation.name, predicate, operands, number

    def _makes_poison(self, operation: KnownOperation) -> bool:
        """Return whether an operation returns poison though it gets none."""
        values = self.shown.values
        gets_poison = any(values[key].text == POISON for key in operation.operands)
        returns_poison = any(values[key].text == POISON for key in operation.results)
        return returns_poison and not gets_poison

    def _wrong_pair(self) -> tuple[Key, Key]:
        """Return a result and a value that does not refine it."""
        values = self.shown.values
        return next(
            (old, new)
            for old, new in self.shown.replaced
            if values[old].text not in {POISON, values[new].text}
        )

    def _find_needed(self) -> list[KnownOperation]:
        """Return the operations that define what CHECK lines name."""
        if self.shown.problem:
            return []
        if self._wrong_operation:
            keys = list(self._wrong_operation.operands)
        else:
            keys = [self._wrong_pair()[1]]
        needed: list[KnownOperation] = []
        while keys:
            operation = self._definitions.get(keys.pop())
            if operation is not None and operation not in needed:
                needed.append(operation)
                keys += operation.operands
        return [one for one in self.shown.operations if one in needed]

    # Comments.

    def facts(self) -> Iterator[str]:
        """Yield what the pattern does wrong, as comments."""
        values = self.shown.values
        inputs = [f"{self.names[key]} is {values[key].text}" for key in self._arguments]
        where = f"Where {', '.join(inputs)}: " if inputs else ""
        undefined = [one.name for one in self._created if one.is_undefined]
        if self.shown.problem:
            yield f"// The new IR is invalid: {self.shown.problem}."
        elif undefined:
            yield f"// {where}a new {undefined[0]} would have undefined behavior."
        else:
            old, new = self._wrong_pair()
            name, before, after = self.names[old], values[old].text, values[new].text
            yield f"// {where}{name} is {before}, and would be {after}."

    # The function.

    def lines(self) -> Iterator[str]:
        """Yield the lines of the function."""
        arguments = ", ".join(
            f"{self.names[key]}: {self._type(key)}" for key in self._arguments
        )
        added = [key for operation in self._added for key in operation.results]
        returned = [*self._root.results, *added]
        types = ", ".join(map(self._type, returned))
        yield f"func.func @{self.name}({arguments}) -> ({types}) {{"
        for operation in self._operations:
            yield f"  {self._operation(operation)}"
        names = ", ".join(self.names[key] for key in returned)
        yield f"  func.return {names} : {types}"
        yield "}"
        yield ""

    def _type(self, key: Key) -> str:
        return self.shown.values[key].type.text

    def _operation(self, operation: KnownOperation) -> str:
        """Return an operation in MLIR's generic form."""
        results = ", ".join(self.names[key] for key in operation.results)
        operands = ", ".join(self.names[key] for key in operation.operands)
        attributes = ", ".join(
            f"{name} = {text}" for name, text in operation.attributes.items()
        )
        operand_types = ", ".join(map(self._type, operation.operands))
        result_types = ", ".join(map(self._type, operation.results))
        return (
            f'{results} = "{operation.name}"({operands}) {{{attributes}}}'
            f" : ({operand_types}) -> ({result_types})"
        )

    # The CHECK lines.

    def checks(self) -> Iterator[str]:
        """Yield the CHECK lines: names that are known, and what must not be there."""
        yield f"// CHECK-LABEL: @{self.name}("
        if self._arguments:
            captures = ", ".join(
                f"%[[{self._variable(key)}:[^ :]+]]: {self._type(key)}"
                for key in self._arguments
            )
            yield f"// CHECK-SAME: {captures}"
        for operation in self._needed:
            if self._is_captured(operation.results[0]):
                captured = f"%[[{self._variable(operation.results[0])}:[^ ]+]]"
                yield f"// CHECK-DAG: {captured} = {self._printed(operation)}"
        if self._wrong_operation:
            yield f"// CHECK-NOT: {self._printed(self._wrong_operation)}"
        elif not self.shown.problem:
            yield f"// CHECK-NOT: {self._wrong_return()}"
        yield "// CHECK: }"

    def _variable(self, key: Key) -> str:
        """Return the name that CHECK lines have for a value."""
        return self.names[key].removeprefix("%").upper()

    def _wrong_return(self) -> str:
        """Return how the return of a wrong value is printed."""
        old, new = self._wrong_pair()
        before = f"{_ANY_VALUE}, " * self._root.results.index(old)
        return f"return {before}{self._known(new)}{{{{[ ,]}}}}"

    def _printed(self, operation: KnownOperation) -> str:
        """Return how an operation is printed, with what is known of its operands."""
        if operation.name == _CONSTANT:
            return f"{_CONSTANT} {self._printed_constant(operation.results[0])}"
        operands = ", ".join(map(self._known, operation.operands))
        flags = _FLAG_NAMES.findall(operation.attributes.get("overflowFlags", ""))
        if "isExact" in operation.attributes:
            flags.append("exact")
        predicate = operation.attributes.get("predicate")
        words = f" {_predicate_name(predicate)}," if predicate else ""
        flag_words = "".join(f"{{{{.*}}}}{flag}" for flag in flags)
        return f"{operation.name}{words} {operands}{flag_words}"

    def _printed_constant(self, key: Key) -> str:
        text, type_ = self.shown.values[key].text, self._type(key)
        if type_ != "i1":
            return text
        return "false" if text.startswith("0 ") else "true"

    def _known(self, key: Key) -> str:
        """Return how a value is printed, if its name is known."""
        return f"%[[{self._variable(key)}]]" if self._is_captured(key) else _ANY_VALUE

    def _is_captured(self, key: Key) -> bool:
        """Return whether CHECK lines know the name of a value."""
        if key in self._arguments:
            return True
        operation = self._definitions[key]
        return operation in self._needed and len(operation.results) == 1


def _predicate_name(attribute: str) -> str:
    """Return the name of a predicate that is `2 : i64`, for one."""
    return PREDICATE_NAMES[int(attribute.partition(" ")[0])]
