"""Pictures of runs: passes over IR in the order in which they ran, and analyses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from passgen_runtime import (
    UINT32,
    OperationPass,
    OpPassManager,
    Pass,
    PassInstrumentation,
    PassOptions,
    PassRegistry,
    option,
    parse_pass_manager,
)
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.passes import with_shipped
from pictures.svg import WIDTH, Box, Drawing

_MARGIN: Final = 8


@dataclass(kw_only=True)
class _CountOptions(PassOptions):
    max_ops: int = option("max-ops", UINT32, default=100)


class _CountOps(OperationPass[_CountOptions]):
    argument = "count-ops"

    def run_on_operation(self) -> None:
        self.mark_all_analyses_preserved()


class _OpCount:
    def __init__(self, operation: Operation) -> None:
        self.num_ops = len(list(operation.walk()))


class _MeasureSize(OperationPass[PassOptions]):
    argument = "measure-size"

    def run_on_operation(self) -> None:
        self.get_analysis(_OpCount)
        self.mark_all_analyses_preserved()


class _PrintSize(_MeasureSize):
    argument = "print-size"


class _Rewrite(OperationPass[PassOptions]):
    argument = "rewrite"

    def run_on_operation(self) -> None:
        """Change nothing, and declare nothing preserved."""


class _Recorder(PassInstrumentation):
    """Records passes and computed analyses in order."""

    def __init__(self) -> None:
        self.passes: list[tuple[Operation, str]] = []
        self.was_cached: list[bool] = []
        self.computed: list[int] = []
        """The numbers of the passes that computed the analysis."""

    def run_before_pass(self, pass_: Pass, operation: Operation) -> None:
        self.was_cached.append(pass_.get_cached_analysis(_OpCount) is not None)
        self.passes.append((operation, pass_.argument))

    def run_before_analysis(self, analysis: type, _: Operation) -> None:
        if analysis is _OpCount:
            self.computed.append(len(self.passes) - 1)


def _run(pipeline: str, ir: str) -> tuple[OpPassManager, Operation, _Recorder]:
    context = XDSLContext()
    registry = with_shipped(PassRegistry())
    for each in (_CountOps, _MeasureSize, _PrintSize, _Rewrite):
        registry.register_pass(each)
    manager = parse_pass_manager(pipeline, context, registry=registry)
    recorder = _Recorder()
    manager.add_instrumentation(recorder)
    module = context.parse(ir, "input.mlir")
    manager.run(module)
    return manager, module, recorder


def pipeline_over_ir(pipeline: str, ir: str) -> str:
    """Return a picture of `pipeline` beside `ir`, with the order of a real run."""
    manager, module, recorder = _run(pipeline, ir)
    drawing = Drawing(f"The pipeline {pipeline}, and the order of its passes over IR")
    half = (WIDTH - 3 * _MARGIN) // 2
    right = half + 2 * _MARGIN
    drawing.text(_MARGIN + 2, 20, "The pipeline …", is_note=True)
    drawing.text(right + 2, 20, "… runs over the IR in this order", is_note=True)
    drawing.nested(_pipeline(manager), _MARGIN, 30, half)
    passes = [
        (operation, Box(f"{number} {argument}", "second"))
        for number, (operation, argument) in enumerate(recorder.passes, start=1)
    ]
    drawing.nested(_run_on(module, passes), right, 30, half)
    return drawing.svg()


def _pipeline(manager: OpPassManager) -> Box:
    parts = [
        _pipeline(each) if isinstance(each, OpPassManager) else Box(str(each), "first")
        for each in manager.elements
    ]
    return Box(manager.anchor, parts=parts)


def _run_on(operation: Operation, passes: Sequence[tuple[Operation, Box]]) -> Box:
    """Return what ran on `operation` and on those in it, in order."""
    symbol = operation.get_attr_or_prop("sym_name")
    name = f" @{symbol.data}" if isinstance(symbol, StringAttr) else ""
    inner: dict[Operation, Box] = {}
    parts: list[Box] = []
    for other, box in passes:
        if other is operation:
            parts.append(box)
        elif other.parent_op() is operation and other not in inner:
            inner[other] = _run_on(other, passes)
            parts.append(inner[other])
    return Box(f"{operation.name}{name}", parts=parts)


def analyses(pipeline: str, ir: str) -> str:
    """Return a picture of when an analysis is computed, cached and invalidated."""
    _, _, recorder = _run(pipeline, ir)
    drawing = Drawing(f"An analysis during the pipeline {pipeline}")
    drawing.text(_MARGIN + 2, 20, "passes, in order", is_note=True)
    lane_x, lane_width, step = 300, 104, 44
    drawing.text(
        lane_x + lane_width / 2, 20, "analysis OpCount", "middle", is_note=True
    )
    begin = 0.0
    for number, (_, argument) in enumerate(recorder.passes):
        y = 34 + number * step
        drawing.labeled(_MARGIN, y, 130, 28, argument, "first")
        is_computed = number in recorder.computed
        is_cached = recorder.was_cached[number]
        is_last = number == len(recorder.passes) - 1
        is_kept = is_last or recorder.was_cached[number + 1]
        if is_computed:
            begin = y + 2
        if is_computed or (is_cached and is_kept):
            label = "computes it" if is_computed else "takes it from the cache"
            ends = (_MARGIN + 130, y + 14), (lane_x, y + 14)
            drawing.arrow(*(ends if is_computed else ends[::-1]))
            drawing.text(lane_x - 10, y + 9, label, "end", is_note=True)
        elif not is_kept:
            drawing.arrow((_MARGIN + 130, y + 14), (lane_x, y + 14))
            drawing.text(
                lane_x - 10, y + 9, "does not preserve it", "end", is_note=True
            )
        if begin and (is_last or not is_kept):
            end = y + (36 if is_last else 14)
            drawing.labeled(
                lane_x, begin, lane_width, end - begin, "in the cache", "third"
            )
            begin = 0.0
    return drawing.svg()
