"""The predicates of constraints: their C++ text, and the types of which they hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from passgen.rewrites.records import Records

INTEGERS: Final = ("i1", "i2", "i4", "i8", "i16", "i32", "i64", "i128")
INDEX: Final = "index"
FLOATS: Final = ("f16", "bf16", "f32", "f64", "f128")
OTHER: Final = "none"
SAMPLES: Final = (*INTEGERS, INDEX, *FLOATS, OTHER)
"""Types without elements, of which predicates hold or not."""

_WIDTHS: Final = {"bf16": 16}


def width_of(type_: str) -> int | None:
    """Return the width of a type in bits; `None` if it has none that is known."""
    if type_ in {INDEX, OTHER}:
        return None
    return _WIDTHS.get(type_) or int(type_[1:])


_Test = Callable[[str], bool]

_INTEGER: Final = frozenset(INTEGERS)
_FLOAT: Final = frozenset(FLOATS)
_TESTS: Final[dict[str, _Test]] = {
    "true": lambda _: True,
    "false": lambda _: False,
    "$_self.isSignlessIntOrIndex()": lambda type_: type_ in {*INTEGERS, INDEX},
    "$_self.isIntOrIndex()": lambda type_: type_ in {*INTEGERS, INDEX},
    "$_self.isSignlessIntOrFloat()": lambda type_: type_ in {*INTEGERS, *FLOATS},
    "$_self.isIntOrFloat()": lambda type_: type_ in {*INTEGERS, *FLOATS},
    "$_self.isSignlessIntOrIndexOrFloat()": lambda type_: type_ != OTHER,
    "$_self.isIntOrIndexOrFloat()": lambda type_: type_ != OTHER,
    "$_self.isSignlessInteger()": _INTEGER.__contains__,
    "$_self.isInteger()": _INTEGER.__contains__,
    "::llvm::isa<::mlir::IntegerType>($_self)": _INTEGER.__contains__,
    "$_self.isIndex()": INDEX.__eq__,
    "::llvm::isa<::mlir::IndexType>($_self)": INDEX.__eq__,
    "::llvm::isa<::mlir::FloatType>($_self)": _FLOAT.__contains__,
    "$_self.isBF16()": "bf16".__eq__,
    "$_self.hasTrait<::mlir::ValueSemantics>()": lambda _: False,
}
"""What predicates say of a type without elements."""

_SIZED: Final = re.compile(r"\$_self\.is(?:Signless)?(Integer|F)\(?(\d+)\)?(?:\(\))?")
_SHAPED: Final = re.compile(
    r"::llvm::isa<::mlir::(?:\w*Vector|\w*Tensor|\w*MemRef|Shaped|Complex|Tuple|Function)"
    r"Type>\(\$_self\)"
)


def types_of(records: Records, constraint: str) -> frozenset[str] | None:
    """Return the samples that meet a constraint; `None` if it cannot be understood."""
    predicate = records.reference(constraint, "predicate")
    holds = {type_: _holds(records, predicate, type_) for type_ in SAMPLES}
    if None in holds.values():
        return None
    return frozenset(type_ for type_, is_met in holds.items() if is_met)


def _holds(records: Records, predicate: str, type_: str) -> bool | None:
    """Return whether a predicate holds of a type; `None` if that is not known."""
    kind = records.reference(predicate, "kind")
    if not kind:
        return _atom_holds(records.text(predicate, "predExpr"), type_)
    if kind == "PredCombinerConcat":  # about the elements of a type
        return False
    children = records.references(predicate, "children")
    found = [_holds(records, child, type_) for child in children]
    if kind == "PredCombinerNot":
        return None if found[0] is None else not found[0]
    decisive = kind == "PredCombinerOr"
    if decisive in found:
        return decisive
    return None if None in found else not decisive


def allows_elements(records: Records, constraint: str) -> bool:
    """Return whether a constraint also allows vectors, tensors or other containers."""
    pending = [records.reference(constraint, "predicate")]
    while pending:
        predicate = pending.pop()
        if records.reference(predicate, "kind") == "PredCombinerConcat":
            return True
        pending += records.references(predicate, "children")
    return False


def _atom_holds(code: str, type_: str) -> bool | None:
    code = stripped(code)
    if code in _TESTS:
        return _TESTS[code](type_)
    if sized := _SIZED.fullmatch(code):
        return type_ == f"{sized[1][0].lower()}{sized[2]}"
    return False if _SHAPED.fullmatch(code) else None


def conjuncts(records: Records, predicate: str) -> Iterator[str]:
    """Yield the C++ texts that all must hold."""
    kind = records.reference(predicate, "kind")
    if kind == "PredCombinerAnd":
        for child in records.references(predicate, "children"):
            yield from conjuncts(records, child)
    else:
        yield stripped(_code(records, predicate))


def _code(records: Records, predicate: str) -> str:
    """Return the C++ text of a predicate."""
    kind = records.reference(predicate, "kind")
    if not kind:
        return records.text(predicate, "predExpr")
    codes = [_code(records, one) for one in records.references(predicate, "children")]
    if kind == "PredCombinerNot":
        return f"!({codes[0]})"
    if kind == "PredCombinerSubstLeaves":
        pattern = records.text(predicate, "pattern")
        return codes[0].replace(pattern, records.text(predicate, "replacement"))
    if kind == "PredCombinerConcat":
        ends = records.text(predicate, "prefix"), records.text(predicate, "suffix")
        return codes[0].join(ends)
    return (" || " if kind == "PredCombinerOr" else " && ").join(codes)


def stripped(code: str) -> str:
    """Return C++ on one line, without brackets around the whole."""
    code = " ".join(code.split())
    while code.startswith("(") and code.endswith(")") and _is_one(code):
        code = code[1:-1].strip()
    return code


def _is_one(code: str) -> bool:
    """Return whether the first bracket of a text is closed by its last one."""
    depth = 0
    for at, character in enumerate(code):
        depth += (character == "(") - (character == ")")
        if not depth:
            return at == len(code) - 1
    return False


def alternatives(code: str) -> list[str]:
    """Return the parts of C++ between `||`."""
    parts, depth, start = [], 0, 0
    for at, character in enumerate(code):
        depth += (character in "([{") - (character in ")]}")
        if not depth and code.startswith("||", at):
            parts.append(code[start:at])
            start = at + len("||")
    return [stripped(part) for part in (*parts, code[start:])]
