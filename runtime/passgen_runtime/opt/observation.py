"""The flags of `passgen-opt` to watch a run with, and the instrumentations behind them.

Names and meanings are those of `mlir-opt`; a flag that begins with `mlir-` may be given
without it. What contradicts itself, names an unknown pass or cannot be written is
refused before anything runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from passgen_runtime.errors import nearest_name
from passgen_runtime.opt.command_line import Flag, UsageError, mlir_flag
from passgen_runtime.opt.files import OptError
from passgen_runtime.output_files import check_writable
from passgen_runtime.pass_registry import PassRegistry

if TYPE_CHECKING:
    # At run time imported by name, where their flags are given: starting is measured.
    from passgen_runtime.instrumentations.timing_manager import (
        TimingDisplay,
        TimingFormat,
        TimingManager,
    )
    from passgen_runtime.pass_manager import PassManager

ReportFormat = Literal["text", "json"]


OBSERVATION_FLAGS: Final = (
    mlir_flag("mlir-disable-threading", "run everything in one thread", default=None),
    mlir_flag("mlir-timing", "print execution times"),
    mlir_flag(
        "mlir-timing-display",
        "how times are shown",
        "required",
        choices=("tree", "list"),
        default="tree",
    ),
    mlir_flag(
        "mlir-output-format",
        "the format of times and statistics",
        "required",
        choices=("text", "json"),
        default="text",
    ),
    mlir_flag(
        "info-output-file",
        "append times and statistics to a file instead of standard error",
        "required",
        "FILE",
    ),
    mlir_flag(
        "mlir-print-ir-before",
        "print the IR before these passes",
        "required",
        "PASS,...",
        is_list=True,
    ),
    mlir_flag("mlir-print-ir-before-all", "print the IR before each pass"),
    mlir_flag(
        "mlir-print-ir-after",
        "print the IR after these passes",
        "required",
        "PASS,...",
        is_list=True,
    ),
    mlir_flag("mlir-print-ir-after-all", "print the IR after each pass"),
    mlir_flag(
        "mlir-print-ir-after-change", "print after a pass only what it has changed"
    ),
    mlir_flag("mlir-print-ir-after-failure", "print the IR after a pass that fails"),
    mlir_flag("mlir-print-ir-initial", "print the IR that the pipeline starts from"),
    mlir_flag(
        "mlir-print-ir-module-scope",
        "print the whole module; needs --mlir-disable-threading",
    ),
    mlir_flag(
        "mlir-print-ir-tree-dir",
        "print the IR to a tree of files",
        "required",
        "DIRECTORY",
    ),
    mlir_flag(
        "mlir-pass-pipeline-crash-reproducer",
        "leave a reproducer if a pass fails or crashes",
        "required",
        "FILE",
    ),
    mlir_flag(
        "mlir-pass-pipeline-local-reproducer",
        "let it hold only the pass that fails; needs --mlir-disable-threading",
    ),
    mlir_flag(
        "mlir-generate-reproducer",
        "write a reproducer of the run, failed or not",
        "required",
        "FILE",
    ),
    Flag("run-reproducer", "run the pipeline that the input holds", "boolean"),
)


@dataclass(frozen=True, slots=True)
class IRPrintingRequest:
    """When and how the IR is to be printed."""

    before: tuple[str, ...]
    before_all: bool
    after: tuple[str, ...]
    after_all: bool
    on_change: bool
    on_failure: bool
    initial: bool
    module_scope: bool
    tree_directory: str | None

    @property
    def is_wanted(self) -> bool:
        """Whether anything is to be printed."""
        before = self.before or self.before_all or self.initial
        return bool(before or self.after or self.after_all or self.on_failure)


@dataclass(frozen=True, slots=True)
class Observation:
    """What a call of the driver wants to see of its run."""

    disable_threading: bool | None
    """`None`: threads run where they run in parallel."""

    timing: bool
    timing_display: TimingDisplay
    report_format: TimingFormat
    report_file: str | None
    printing: IRPrintingRequest
    crash_reproducer: str | None
    is_local_reproducer: bool
    generate_reproducer: str | None
    run_reproducer: bool


def observation_of(
    values: Mapping[str, Any], registry: Callable[[], PassRegistry]
) -> Observation:
    """Return what the values of the flags ask for.

    Raises:
        UsageError: flags contradict one another, or name unknown passes.
    """
    printing = IRPrintingRequest(
        before=values["mlir-print-ir-before"] or (),
        before_all=bool(values["mlir-print-ir-before-all"]),
        after=values["mlir-print-ir-after"] or (),
        after_all=bool(values["mlir-print-ir-after-all"]),
        on_change=bool(values["mlir-print-ir-after-change"]),
        on_failure=bool(values["mlir-print-ir-after-failure"]),
        initial=bool(values["mlir-print-ir-initial"]),
        module_scope=bool(values["mlir-print-ir-module-scope"]),
        tree_directory=values["mlir-print-ir-tree-dir"] or None,
    )
    for flag, names in (
        ("mlir-print-ir-before", printing.before),
        ("mlir-print-ir-after", printing.after),
    ):
        _check_passes(flag, names, registry)
    observation = Observation(
        disable_threading=values["mlir-disable-threading"],
        timing=bool(values["mlir-timing"]),
        timing_display=values["mlir-timing-display"],
        report_format=values["mlir-output-format"],
        report_file=values["info-output-file"] or None,
        printing=printing,
        crash_reproducer=values["mlir-pass-pipeline-crash-reproducer"] or None,
        is_local_reproducer=bool(values["mlir-pass-pipeline-local-reproducer"]),
        generate_reproducer=values["mlir-generate-reproducer"] or None,
        run_reproducer=bool(values["run-reproducer"]),
    )
    _check_threads(observation)
    return observation


def check_destinations(observation: Observation) -> None:
    """Check that everything that is to be written can be.

    Raises:
        OptError: something cannot.
    """
    for what, path in (
        ("reproducer", observation.crash_reproducer),
        ("reproducer", observation.generate_reproducer),
        ("report", observation.report_file),
    ):
        if path is None or path == "-":
            continue
        try:
            check_writable(Path(path))
        except OSError as error:
            message = f"error: cannot write {what} '{path}': {error.strerror}"
            raise OptError(message) from error


def observe(manager: PassManager, observation: Observation) -> TimingManager | None:
    """Add to `manager` the instrumentations asked for; return what times the run.

    Args:
        manager: the pass manager.
        observation: what to see.
    """
    _print_ir(manager, observation.printing)
    if observation.crash_reproducer is not None:
        module = import_module("passgen_runtime.instrumentations.crash_reproducer")
        path = observation.crash_reproducer
        module.enable_crash_reproducer_generation(
            manager,
            module.StandardOutput if path == "-" else path,
            local=observation.is_local_reproducer,
        )
    if not observation.timing:
        return None
    module = import_module("passgen_runtime.instrumentations.pass_timing")
    timing: TimingManager = module.enable_timing(manager)
    return timing


def _print_ir(manager: PassManager, request: IRPrintingRequest) -> None:
    if not request.is_wanted:
        return
    module = import_module("passgen_runtime.instrumentations.ir_printing")
    every, called = module.every_pass, module.passes_called
    after_all = request.after_all or request.on_failure
    config = module.IRPrintingConfig(
        before=every if request.before_all else called(*request.before),
        after=every if after_all else called(*request.after),
        after_only_on_change=request.on_change,
        after_only_on_failure=request.on_failure,
        module_scope=request.module_scope,
        first_state=request.initial,
    )
    destination = None
    if request.tree_directory is not None:
        tree = import_module("passgen_runtime.instrumentations.ir_printing")
        root = Path(request.tree_directory)
        destination = tree.FileTreeDestination(manager.context, root)
    module.enable_ir_printing(manager, config, destination)


def _check_passes(
    flag: str, names: tuple[str, ...], registry: Callable[[], PassRegistry]
) -> None:
    for name in names:
        if registry().lookup(name) is None:
            message = f"for the --{flag} option: Cannot find option named '{name}'!"
            nearest = nearest_name(name, registry().arguments())
            hint = "" if nearest is None else f"\nDid you mean '{nearest}'?"
            raise UsageError(f"{message}{hint}")


def _check_threads(observation: Observation) -> None:
    if observation.disable_threading:
        return
    remedy = "\nadd --mlir-disable-threading"
    if observation.printing.module_scope:
        module = import_module("passgen_runtime.instrumentations.ir_printing")
        raise UsageError(f"{module.NEEDS_ONE_THREAD}{remedy}")
    if observation.crash_reproducer is not None and observation.is_local_reproducer:
        module = import_module("passgen_runtime.instrumentations.crash_reproducer")
        raise UsageError(f"{module.NEEDS_ONE_THREAD}{remedy}")
