"""Patterns that are right or wrong, in short, for tests of their verification."""

from __future__ import annotations

import re
from dataclasses import dataclass

PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


@dataclass(frozen=True)
class Planted:
    """A pattern on integers: `a = addi x y nsw; muli a z => muli x z`.

    A name that nothing defines is an operand. Where a type is not that of the pattern,
    it stands behind a colon at the end, or behind the slash of an operand.
    """

    is_right: bool
    type: str
    """`T` is an open type."""

    text: str

    def pdl(self) -> str:
        """Return the text in PDL."""
        before, after = self.text.split(" => ")
        lines = _Lines(self.type)
        root = lines.add_all(before, is_new=False)
        lines.lines.append(f"pdl.rewrite %{root}_op {{")
        result = lines.add_all(after, is_new=True)
        lines.lines.append(f"pdl.replace %{root}_op with (%{result} : !pdl.value)")
        return "\n".join((*lines.types(), *lines.lines, "}"))


class _Lines:
    def __init__(self, type_: str) -> None:
        self.type = type_
        self.lines: list[str] = []
        self.used: dict[str, None] = {type_: None}
        self.known: set[str] = set()

    def types(self) -> list[str]:
        return [
            f"%{name} = pdl.type{'' if name == 'T' else f' : {name}'}"
            for name in self.used
        ]

    def add_all(self, text: str, *, is_new: bool) -> str:
        """Add statements; return the name of the last value."""
        name = ""
        for number, statement in enumerate(text.split("; ")):
            name = self.add(statement, f"{'new' if is_new else 'old'}{number}")
        return name

    def add(self, statement: str, default: str) -> str:
        found = re.fullmatch(r"(?:(\w+) = )?(\w+)(?: (.*?))?(?::(\w+))?", statement)
        assert found is not None, statement
        name, operation, rest, type_ = found.groups()
        if rest is None:
            return str(operation)  # a value
        name, type_ = name or default, type_ or self.type
        self.used[type_] = None
        operands, attributes = [], {}
        for word in rest.split():
            operand, _, operand_type = word.partition("/")
            if operation == "constant":
                attributes["value"] = f"{word} : {type_}"
            elif word in PREDICATES:
                attributes["predicate"] = f"{PREDICATES.index(word)} : i64"
            elif word == "exact":
                attributes["isExact"] = "unit"
            elif word in {"none", "nsw", "nuw", "nsw,nuw"}:
                attributes["overflowFlags"] = f"#arith.overflow<{word}>"
            else:
                operands.append(operand)
                self._add_operand(operand, operand_type or self.type)
        for attribute, value in attributes.items():
            self.lines.append(f"%{name}_{attribute} = pdl.attribute = {value}")
        shown = ", ".join(f'"{key}" = %{name}_{key}' for key in attributes)
        values = ", ".join(f"%{operand}" for operand in operands)
        given = f"({values} : {', '.join(['!pdl.value'] * len(operands))})"
        self.lines.append(
            f'%{name}_op = pdl.operation "arith.{operation}"'
            f" {given if operands else ''} {f'{{{shown}}}' if shown else ''}"
            f" -> (%{type_} : !pdl.type)"
        )
        self.lines.append(f"%{name} = pdl.result 0 of %{name}_op")
        self.known.add(name)
        return name

    def _add_operand(self, name: str, type_: str) -> None:
        if name not in self.known:
            self.known.add(name)
            self.used[type_] = None
            self.lines.append(f"%{name} = pdl.operand : %{type_}")


def _table(text: str) -> list[Planted]:
    """Return a pattern for each line: its verdict, its type and its text."""
    rows = (line.split(maxsplit=2) for line in text.strip().splitlines())
    return [Planted(verdict == "right", type_, rest) for verdict, type_, rest in rows]


PLANTED = _table("""
right T   addi x y => addi y x
right T   subi x x => xori x x
right T   a = subi x y; addi a y => x
right T   a = xori x y; xori a y => x
right T   a = andi x y; ori a x => x
right T   a = andi x y; b = ori x y; addi a b => addi x y
right T   c = cmpi slt x y:i1; select c/i1 x y => minsi x y
right i32 c = constant 3; muli x c => a = addi x x; addi a x
right i32 c = constant 8; remui x c => d = constant 7; andi x d
right i64 c = constant -1; xori x c => d = constant -1; subi d x
right i8  a = extsi x:i32; trunci a => x
right T   addi x y nsw => addi x y
right T   addi x y nsw,nuw => addi x y nuw
right i8  c = constant 4; a = muli x c nuw; divui a c => x
right i32 c = constant 4; a = muli x c nsw; divsi a c => x
right i8  a = trunci x/i32 nsw; extsi a:i32 => x
right i32 c = constant 1; a = addi x c nsw; cmpi sgt a x:i1 => constant -1:i1
right T   a = shli x y nuw; shrui a y => x
right T   a = shli x y nsw; shrsi a y => x
right T   shrui x y exact => shrui x y
right i8  c = constant 9; shli x c => x
right i8  c = constant 2; floordivsi x c => d = constant 1; shrsi x d
right i8  c = constant 2; divsi x c exact => d = constant 1; shrsi x d exact
right i32 c = constant -1; divsi x c => d = constant 0; subi d x
right i8  a = divsi x y; b = muli a y; subi x b => remsi x y
right i1  addi x y => xori x y
right i1  cmpi slt x y => cmpi ugt x y
right i1  shli x y => x
right i1  divui x y => x
right i1  ori x y => c = constant -1; select x c y
wrong T   subi x y => subi y x
wrong T   a = andi x y; ori a y => x
wrong T   xori x x => x
wrong T   maxsi x y => maxui x y
wrong T   c = cmpi slt x y:i1; select c/i1 x y => minui x y
wrong i8  c = constant 8; muli x c => d = constant 4; shli x d
wrong i32 c = constant 8; remsi x c => d = constant 7; andi x d
wrong i64 c = constant -1; xori x c => d = constant 0; subi d x
wrong i8  a = trunci x/i32; extsi a:i32 => x
wrong T   addi x y => addi x y nsw
wrong T   addi x y nuw => addi x y nsw
wrong T   subi x y nsw => subi y x nsw
wrong i8  c = constant 4; a = muli x c; divui a c => x
wrong i8  c = constant 64; muli x c nsw => d = constant 6; shli x d nuw
wrong i8  c = constant -128; muli x c nsw => d = constant 7; shli x d nsw
wrong i8  trunci x/i16 nsw => trunci x/i16 nuw
wrong T   a = shli x y nsw; shrui a y => x
wrong T   shrui x y => shrui x y exact
wrong T   shli x y => shli x y nuw
wrong T   a = shli x y; shli a z => b = addi y z; shli x b
wrong i8  c = constant 0; muli x c => d = constant 8; shli x d
wrong i8  c = constant 2; divsi x c => d = constant 1; shrsi x d
wrong i32 c = constant 0; subi c x => d = constant -1; divsi x d
wrong T   divsi x y => divui x y
wrong i8  remsi x y => a = divsi x y; b = muli a y; subi x b
wrong i16 c = constant 3; ceildivui x c => d = constant 2; a = addi x d; e = constant 3; divui a e
wrong i1  addi x y => ori x y
wrong i1  cmpi slt x y => cmpi ult x y
wrong i1  c = constant -1; select x c y => ori x y
wrong i1  subi x y => andi x y
""")
