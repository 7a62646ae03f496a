"""Passes with the names and options of MLIR's, and values printed as MLIR does.

`mlir-opt` prints strings without the quotes that would be needed to read them again, so
what it prints is compared with values printed in its form, and not read.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from passgen_runtime import (
    DOUBLE,
    PIPELINE,
    UINT32,
    OperationPass,
    OpPassManager,
    Pass,
    PassOptions,
    PassRegistry,
    TextualPipeline,
    list_option,
    option,
)
from tests.passgen_test_opt import simple_passes
from tests.passgen_test_opt.registry import REGISTRY
from tests.requirements import missing


class TestOptionsPass(simple_passes.TestOptionsPass):
    __test__ = False  # a name that pytest would collect
    name = "(anonymous namespace)::TestOptionsPass"


@dataclass(kw_only=True)
class InlineOptions(PassOptions):
    op_pipelines: list[TextualPipeline] = list_option("op-pipelines", PIPELINE)


class Inline(OperationPass[InlineOptions]):
    name = "(anonymous namespace)::InlinerPass"
    argument = "inline"

    def run_on_operation(self) -> None:
        """Do nothing."""


@dataclass(kw_only=True)
class AffineLoopFusionOptions(PassOptions):
    compute_tolerance: float = option("compute-tolerance", DOUBLE, default=0.3)
    fast_mem_space: int = option("fast-mem-space", UINT32, default=0)


class AffineLoopFusion(OperationPass[AffineLoopFusionOptions]):
    name = "(anonymous namespace)::LoopFusion"
    argument = "affine-loop-fusion"

    def run_on_operation(self) -> None:
        """Do nothing."""


def registry() -> PassRegistry:
    """Return the passes of `passgen-test-opt`, and two that it does not have."""
    made = PassRegistry()
    made.take_entries(REGISTRY)
    for each in (TestOptionsPass, Inline, AffineLoopFusion):
        made.register_pass(each, replace=True)
    return made


def mlir_opt_with_test_passes() -> Path:
    """Return Debian's `mlir-opt`, which has MLIR's test passes; skip if missing."""
    found = shutil.which("mlir-opt-22")
    if not found:
        missing("mlir-opt-22, with MLIR's test passes, not found", "LLVM")
    return Path(found).resolve()


def mlir_form(manager: OpPassManager) -> str:
    """Return `manager` as `mlir-opt --dump-pass-pipeline` prints it, on one line."""
    elements = [
        mlir_form(each) if isinstance(each, OpPassManager) else _pass_form(each)
        for each in manager.elements
    ]
    return f"{manager.anchor}({','.join(elements)})"


def dumped(mlir_opt: Path, arguments: list[str], source: Path) -> tuple[str, str]:
    """Return the pipeline that `mlir-opt` dumps, on one line, and all that it says."""
    run = subprocess.run(
        [mlir_opt, *arguments, "--dump-pass-pipeline", source],
        capture_output=True,
        check=False,
    )
    said = run.stderr.decode(errors="surrogateescape")
    match = re.match(r"Pass Manager with \d+ passes:\n(.*?\n\))\n\n", said, re.DOTALL)
    return ("" if match is None else _on_one_line(match[1])), said


def _on_one_line(pretty: str) -> str:
    """Undo the line breaks of nesting; line ends in values are kept."""
    return re.sub(r"\n *(?=\))|(?<=[(,])\n *", "", re.sub(r"\(\n\n\)", "()", pretty))


def _pass_form(pass_: Pass) -> str:
    if not pass_.options.declared_options():
        return pass_.argument
    return f"{pass_.argument}{_options_form(pass_.options)}"


def _options_form(options: PassOptions) -> str:
    infos = sorted(options.declared_options(), key=lambda info: info.argument)
    parts = []
    for info in infos:
        value = getattr(options, info.field)
        if not info.is_list:
            parts.append(f"{info.argument}={_value_form(value)}")
        elif value:
            values = ",".join(map(_value_form, value))
            parts.append(f"{info.argument}={{{values}}}")
        else:
            parts.append("")
    return f"{{{' '.join(parts)}}}"


def _value_form(value: Any) -> str:  # noqa: ANN401 - of any option
    if isinstance(value, PassOptions):
        return _options_form(value)
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str) or isinstance(value, StrEnum):
        return str(value)
    marks = [at for at in map(value.find, "{'\"") if at >= 0]
    blank = value.find(" ")
    return f"{{{value}}}" if 0 <= blank < min(marks, default=len(value)) else value
