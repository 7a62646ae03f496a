"""MLIR's `test-options-*` passes, declared here, with values printed as MLIR does.

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
    BOOL,
    DOUBLE,
    INT32,
    INT64,
    PIPELINE,
    STRING,
    UINT32,
    OperationPass,
    OpPassManager,
    Pass,
    PassOptions,
    PassRegistry,
    TextualPipeline,
    enum_type,
    list_option,
    option,
    options_type,
)
from tests.requirements import missing


class TestEnum(StrEnum):
    __test__ = False  # a name that pytest would collect

    ZERO = "zero"
    ONE = "one"
    TWO = "two"


@dataclass(kw_only=True)
class Options(PassOptions):
    numbers: list[int] = list_option("list", INT32)
    string_list: list[str] = list_option("string-list", STRING)
    string: str = option("string", STRING)
    enum: TestEnum = option("enum", enum_type(TestEnum))


@dataclass(kw_only=True)
class SuperOptions(PassOptions):
    inner: list[Options] = list_option("list", options_type(Options))


class _DoesNothing:
    """Passes that are here for their options."""

    def run_on_operation(self) -> None:
        """Do nothing."""


class TestOptionsPass(_DoesNothing, OperationPass[Options]):
    __test__ = False
    name = "(anonymous namespace)::TestOptionsPass"
    argument = "test-options-pass"
    anchor = "func.func"


class TestOptionsSuperPass(_DoesNothing, OperationPass[SuperOptions]):
    __test__ = False
    name = "(anonymous namespace)::TestOptionsSuperPass"
    argument = "test-options-super-pass"
    anchor = "func.func"


class CSE(_DoesNothing, OperationPass[PassOptions]):
    name = "(anonymous namespace)::CSE"
    argument = "cse"


@dataclass(kw_only=True)
class CanonicalizeOptions(PassOptions):
    max_iterations: int = option("max-iterations", INT64, default=10)
    top_down: bool = option("top-down", BOOL, default=True)


class Canonicalize(_DoesNothing, OperationPass[CanonicalizeOptions]):
    name = "(anonymous namespace)::Canonicalizer"
    argument = "canonicalize"


@dataclass(kw_only=True)
class InlineOptions(PassOptions):
    op_pipelines: list[TextualPipeline] = list_option("op-pipelines", PIPELINE)


class Inline(_DoesNothing, OperationPass[InlineOptions]):
    name = "(anonymous namespace)::InlinerPass"
    argument = "inline"


@dataclass(kw_only=True)
class FusionOptions(PassOptions):
    compute_tolerance: float = option("compute-tolerance", DOUBLE, default=0.3)
    maximal: bool = option("maximal", BOOL)
    fast_mem_space: int = option("fast-mem-space", UINT32)


class Fusion(_DoesNothing, OperationPass[FusionOptions]):
    argument = "affine-loop-fusion"


def registry() -> PassRegistry:
    """Return a registry of the passes declared here."""
    made = PassRegistry()
    for each in (
        TestOptionsPass,
        TestOptionsSuperPass,
        CSE,
        Canonicalize,
        Inline,
        Fusion,
    ):
        made.register_pass(each)
    made.register_pipeline(
        "test-options-pass-pipeline",
        "Parses options using pass pipeline registration",
        lambda manager, options: manager.nest("func.func").add_pass(
            TestOptionsPass(options)
        ),
        Options,
    )
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
    if not pass_.options.declared():
        return pass_.argument
    return f"{pass_.argument}{_options_form(pass_.options)}"


def _options_form(options: PassOptions) -> str:
    infos = sorted(options.declared(), key=lambda info: info.argument)
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
