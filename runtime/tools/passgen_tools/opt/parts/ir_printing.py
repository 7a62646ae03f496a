"""`--mlir-print-ir-*`: IR printed between passes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from passgen_rules.suggestions import nearest_name
from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.errors import PIPELINE_SOURCE
from passgen_runtime.pass_registry import PassRegistry
from passgen_tools.opt.command_line import Flag, UsageError, names, switch, text
from passgen_tools.opt.driver_part import DriverPart, DriverRun
from passgen_tools.opt.options import Color, DriverOptions
from passgen_tools.opt.reports import shows_color

if TYPE_CHECKING:
    from passgen_runtime.instrumentations.ir_printing import TextDiff

_PRINTS_NOTHING: Final = (
    "--mlir-print-ir-after-change prints nothing alone: add "
    "--mlir-print-ir-after-all, or --mlir-print-ir-after=PASS"
)


class IRPrintingPart(DriverPart):
    """Prints IR before and after passes."""

    print_before = names(
        "mlir-print-ir-before", "print the IR before these passes", "PASS,..."
    )
    print_before_all = switch(
        "mlir-print-ir-before-all", "print the IR before each pass"
    )
    print_after = names(
        "mlir-print-ir-after", "print the IR after these passes", "PASS,..."
    )
    print_after_all = switch("mlir-print-ir-after-all", "print the IR after each pass")
    print_after_change = switch(
        "mlir-print-ir-after-change", "print the IR after a pass only if it has changed"
    )
    print_diff = switch(
        "mlir-print-ir-diff",
        "print how each pass, or those of --mlir-print-ir-after, has changed the IR",
    )
    print_after_failure = switch(
        "mlir-print-ir-after-failure", "print the IR after a pass that fails"
    )
    print_initial = switch(
        "mlir-print-ir-initial", "print the IR that the pipeline starts from"
    )
    print_pass_options = switch(
        "mlir-print-ir-pass-options",
        "name passes with their options in the headers, as LLVM 23 does",
    )
    print_module_scope = switch(
        "mlir-print-ir-module-scope",
        "print the whole module; needs --mlir-disable-threading",
    )
    print_tree_directory = replace(
        text("mlir-print-ir-tree-dir", "print the IR to a tree of files", "DIRECTORY"),
        is_folder=True,
    )

    def check(self, passes: Callable[[], PassRegistry]) -> None:
        """Check that there are the passes, and that threads do not change the module.

        Raises:
            UsageError: there are not, or they may.
        """
        _check_passes(IRPrintingPart.print_before, self.print_before, passes)
        _check_passes(IRPrintingPart.print_after, self.print_after, passes)
        if self.print_module_scope and not DriverOptions(self.line).disable_threading:
            from passgen_runtime.instrumentations.ir_printing import NEEDS_ONE_THREAD

            raise UsageError(f"{NEEDS_ONE_THREAD}\nadd --mlir-disable-threading")
        if self.print_diff and self.print_tree_directory is not None:
            raise UsageError(
                "--mlir-print-ir-tree-dir takes IR, and --mlir-print-ir-diff prints "
                "none"
            )

    def around_passes(self, run: DriverRun) -> AbstractContextManager[object]:
        """Let the manager print IR.

        Raises:
            PassError: the folder for it cannot be made.
        """
        before = self.print_before or self.print_before_all or self.print_initial
        after = self.print_after or self.print_after_all
        if self.print_after_change and not (after or self.print_diff):
            run.context.handle(Diagnostic("warning", _PRINTS_NOTHING, PIPELINE_SOURCE))
        if not (before or after or self.print_after_failure or self.print_diff):
            return nullcontext()
        from passgen_runtime.instrumentations import ir_printing
        from passgen_tools.ir_diff import resources_not_shown

        every, called = ir_printing.every_pass, ir_printing.passes_called
        is_diff_of_all = self.print_diff and not self.print_after
        after_all = self.print_after_all or self.print_after_failure or is_diff_of_all
        config = ir_printing.IRPrintingConfig(
            before=every if self.print_before_all else called(*self.print_before),
            after=every if after_all else called(*self.print_after),
            after_only_on_change=self.print_after_change,
            after_only_on_failure=self.print_after_failure,
            module_scope=self.print_module_scope,
            first_state=self.print_initial,
            pass_options=self.print_pass_options,
            diff=self._diff(run.options.color),
            resources_text=partial(resources_not_shown, run.context),
        )
        destination = None
        if self.print_tree_directory is not None:
            root = Path(self.print_tree_directory)
            ir_printing.make_folder(root)
            destination = ir_printing.FileTreeDestination(run.context, root)
        ir_printing.enable_ir_printing(run.manager, config, destination)
        return nullcontext()

    def _diff(self, color: Color) -> TextDiff | None:
        if not self.print_diff:
            return None
        from passgen_tools.ir_diff import colored_ir_diff, ir_diff

        return colored_ir_diff if shows_color(color) else ir_diff


def _check_passes(
    flag: Flag[object], given: tuple[str, ...], passes: Callable[[], PassRegistry]
) -> None:
    for name in given:
        if passes().lookup(name) is None:
            nearest = nearest_name(name, passes().arguments())
            hints = () if nearest is None else (f"Did you mean '{nearest}'?",)
            raise flag.error(f"Cannot find option named '{name}'!", *hints)
