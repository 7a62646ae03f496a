"""A pass that prints the liveness of what it runs on, as MLIR's does."""

from __future__ import annotations

from collections.abc import Iterable
from io import StringIO

from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.printer import Printer

from tests.passgen_test_opt.generated.test_passes import TestLivenessPassBase
from tests.passgen_test_opt.liveness import Liveness


class TestLivenessPass(TestLivenessPassBase):
    def run_on_operation(self) -> None:
        name = self.context.symbol_name(self.operation)
        text = _Report(self.get_analysis(Liveness)).text
        self.context.print_debug(f"Testing : {name}\n{text}")
        self.mark_all_analyses_preserved()


class _Report:
    """The report, in which blocks and values have numbers in order of the text."""

    def __init__(self, liveness: Liveness) -> None:
        self._liveness = liveness
        self._blocks = {block: n for n, block in enumerate(liveness.blocks)}
        self._operations: dict[Operation, int] = {}
        self._values: dict[SSAValue, int] = {}
        self._printer = Printer(stream=StringIO())
        for block in liveness.blocks:
            values: list[SSAValue] = [*block.args]
            for operation in block.ops:
                self._operations[operation] = len(self._operations)
                values += operation.results
            for value in values:
                self._values[value] = len(self._values)
                self._printer.print_ssa_value(value)  # gives it its name

    @property
    def text(self) -> str:
        lines = ["// ---- Liveness -----"]
        for block in self._liveness.blocks:
            lines += self._block_lines(block)
        return "".join(f"{line}\n" for line in [*lines, "// -------------------"])

    def _block_lines(self, block: Block) -> list[str]:
        liveness = self._liveness.of(block)
        lines = [
            f"// - Block: {self._blocks[block]}",
            f"// --- LiveIn: {self._names(liveness.live_in)}",
            f"// --- LiveOut: {self._names(liveness.live_out)}",
            "// --- BeginLivenessIntervals",
        ]
        for operation in block.ops:
            for result in operation.results:
                lines.append(f"// {self._names([result])}:")
                alive = self._liveness.resolve(result)
                alive.sort(key=self._operations.__getitem__)
                lines += [f"//     {self._print(each)}" for each in alive]
        lines += ["// --- EndLivenessIntervals", "// --- BeginCurrentlyLive"]
        for operation in block.ops:
            if values := liveness.values_at(operation):
                names = self._names(values)
                lines.append(f"//     {self._print(operation)} [{names}]")
        return [*lines, "// --- EndCurrentlyLive"]

    def _names(self, values: Iterable[SSAValue]) -> str:
        ordered = sorted(values, key=self._values.__getitem__)
        return "".join(f"{self._name(value)} " for value in ordered)

    def _name(self, value: SSAValue) -> str:
        if isinstance(value, BlockArgument):
            return f"arg{value.index}@{self._blocks[value.owner]}"
        return f"val_{self._values[value]}"

    def _print(self, operation: Operation) -> str:
        stream = self._printer.stream = StringIO()
        self._printer.print_op(operation)
        return stream.getvalue()
