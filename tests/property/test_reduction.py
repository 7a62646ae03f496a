"""What is left of any functions is interesting, valid, and no larger."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Operation

from passgen_runtime.ir.xdsl import XDSLContext
from passgen_tools.reduce import reduce

TYPES = ("i32", "f32", "!llvm.ptr")


@dataclass(frozen=True)
class Drawn:
    """An operation to write."""

    number: int
    type: str
    used: list[int]
    """Which of the values before it, counted round."""

    inner: list[Drawn]
    has_blocks: bool


def bodies(depth: int = 2) -> st.SearchStrategy[list[Drawn]]:
    return st.lists(
        st.builds(
            Drawn,
            number=st.integers(0, 9),
            type=st.sampled_from(TYPES),
            used=st.lists(st.integers(0, 9), max_size=2),
            inner=bodies(depth - 1) if depth else st.just([]),
            has_blocks=st.booleans(),
        ),
        max_size=3,
    )


class Writer:
    """Writes operations, with names that no other value or block has."""

    def __init__(self) -> None:
        self.num_names = 0

    def name(self, prefix: str) -> str:
        self.num_names += 1
        return f"{prefix}{self.num_names}"

    def body(self, body: list[Drawn], values: list[tuple[str, str]]) -> list[str]:
        lines = []
        values = list(values)
        for drawn in body:
            used = [values[index % len(values)] for index in drawn.used]
            uses, types = (
                (", ".join(part) for part in zip(*used, strict=True))
                if (used)
                else ("", "")
            )
            region = self.region(drawn, values) if drawn.inner else ""
            result = self.name("%v")
            signature = f"({types}) -> {drawn.type}"
            operation = f'"test.op{drawn.number}"({uses}){region}'
            lines.append(f"{result} = {operation} : {signature}")
            values.append((result, drawn.type))
        return lines

    def region(self, drawn: Drawn, values: list[tuple[str, str]]) -> str:
        argument, end = self.name("%a"), self.name("^e")
        lines = self.body(drawn.inner, [*values, (argument, "i32")])
        if drawn.has_blocks:
            branch = f'"test.branch"()[{end}] : () -> ()'
            lines += [branch, f"{end}:", '"test.end"() : () -> ()']
        return "\n".join((" ({", f"^b({argument}: i32):", *lines, "})"))


@pytest.mark.slow
@settings(max_examples=20)
@given(st.lists(bodies(), min_size=1, max_size=3), st.sets(st.integers(0, 9)))
def test_reduction_keeps_what_is_needed(
    functions: list[list[Drawn]], needed: set[int]
) -> None:
    writer = Writer()
    texts = [
        "\n".join(
            (
                f"func.func @f{number}(%x: i32, %y: f32) {{",
                *writer.body(body, [("%x", "i32"), ("%y", "f32")]),
                "func.return }",
            )
        )
        for number, body in enumerate(functions)
    ]
    context = XDSLContext(allow_unregistered=True)
    module = context.parse("\n".join(texts), "input.mlir")
    wanted = needed & numbers_in(module)

    def is_interesting(candidate: Operation) -> bool:
        context.verify(candidate)
        return numbers_in(candidate) >= wanted

    before = context.print(module)
    result = reduce(module, is_interesting, context=context)

    assert context.print(module) == before
    assert is_interesting(result)
    context.verify(context.parse(context.print(result), "result.mlir"))
    # Each has at most two operands, which are constants in the worst case.
    assert len(list(result.walk())) <= 1 + 3 * len(wanted)


def numbers_in(root: Operation) -> set[int]:
    names = [
        operation.op_name.data
        for operation in root.walk()
        if isinstance(operation, UnregisteredOp)
    ]
    return {int(name[-1]) for name in names if name.startswith("test.op")}
