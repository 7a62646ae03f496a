"""Counterexamples: a pattern as IR, with values for which it is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

from passgen_runtime.patterns import Node, OperationNode
from passgen_tools.verify.attributes import attribute_text
from passgen_tools.verify.semantics import Truth, Value

Key: TypeAlias = tuple[Node, int | str]
"""An operand, a result by its number, or an attribute by its name."""


class EvaluatedOperation(NamedTuple):
    """An operation of a pattern."""

    operation: OperationNode
    keys: list[Key]
    """Its operands and its attribute."""

    results: list[Key]

    undefined: Truth
    """Whether its behavior is undefined."""


def counterexample(
    operations: Iterable[EvaluatedOperation],
    values: Mapping[Key, Value],
    replaced: Iterable[tuple[Key, Key]],
    find: Callable[[Any], Any],
    is_true: Callable[[Any], bool],
) -> str:
    """Return the operations as IR, with their results as comments.

    `find` returns what bits or a truth are in the counterexample, and `is_true` whether
    such a truth is true. Pairs in `replaced` are a result, and what replaces it.
    """
    names: dict[Key, str] = {}

    def text(key: Key) -> str:
        bits, poison, type_ = values[key]
        if is_true(find(poison)):
            return "poison"
        return attribute_text(find(bits).as_signed_long(), type_)

    lines = []
    for operation, keys, results, undefined in operations:
        operands = [key for key in keys if isinstance(key[1], int)]
        for key in dict.fromkeys(operands):
            if key not in names:
                names[key], made = f"%{len(names)}", f"arith.constant {text(key)}"
                if text(key) == "poison":
                    made = f"ub.poison : {values[key].type.text}"
                lines.append(f"{names[key]} = {made}")
        name, is_one = f"%{len(names)}", len(results) == 1
        names |= {key: name if is_one else f"{name}#{key[1]}" for key in results}
        attributes = {key[1]: text(key) for key in keys if isinstance(key[1], str)}
        shown = "".join(f"{name} = {t}" for name, t in attributes.items() if t)
        types, result_types = (
            ", ".join(values[key].type.text for key in listed)
            for listed in (operands, results)
        )
        note = ", ".join(map(text, results))
        lines.append(
            f'{name}{"" if is_one else f":{len(results)}"} = "{operation.operation}"'
            f"({', '.join(names[key] for key in operands)}) {{{shown}}}"
            f" : ({types}) -> {result_types if is_one else f'({result_types})'}"
            f"  // {'undefined behavior' if is_true(find(undefined)) else note}"
        )
    lines += [f"// {names[new]} replaces {names[old]}" for old, new in replaced]
    return "\n".join(lines)
