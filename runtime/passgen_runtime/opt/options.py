"""The options of one call of `passgen-opt`, from its command line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

from passgen_runtime.context import PrintingFlags
from passgen_runtime.errors import nearest_name
from passgen_runtime.opt.command_line import CommandLine, UsageError, unknown_flag
from passgen_runtime.opt.flags import FLAGS, IR, LOAD_PLUGIN, REFUSED_FLAGS
from passgen_runtime.pass_registry import PassRegistry
from passgen_runtime.pass_statistics import StatisticsDisplay

PipelineForm = Literal["mlir", "line", "pretty"]
ReportFormat = Literal["text", "json"]
TimingDisplay = Literal["tree", "list"]
_NEEDED_FLAGS: Final = (
    IR.name,
    LOAD_PLUGIN.name,
    "allow-unregistered-dialect",
    "mlir-very-unsafe-disable-verifier-on-parsing",
    "verify-each",
)
"""The flags that decide which passes there are, and which input they take."""

Verbosity = Literal["errors", "warnings", "remarks"]
Color = Literal["always", "auto", "never"]
VerifyLevel = Literal["all", "only-expected"]


@dataclass(frozen=True, slots=True)
class DriverOptions:
    """The options of one call of the driver, which all its parts take."""

    program: str
    command: tuple[str, ...]
    """The program with the flags that a pass of the run needs to run alone."""

    input: str
    output: str
    split_marker: str | None
    """What separates the parts of the input; `None` where it is one."""

    output_split_marker: str
    implicit_module: bool
    """Whether input that is not one module is put into a new one."""

    allow_unregistered: bool
    verify_input: bool
    verify_round_trip: bool
    printing: PrintingFlags

    pipeline: str | None
    """The textual pipeline; `None` where passes, if any, are given as flags."""

    passes: tuple[str, ...]
    """Passes given as flags, as written and in order."""

    dump_pipeline: PipelineForm | None
    verify_each: bool
    strict_order: bool
    audit: bool
    disable_threading: bool | None
    """`None`: threads run where they run in parallel."""

    timeout_s: int
    """For each part of the input; 0 where there is no limit."""

    jobs: int
    """How many processes may run nested pipelines; 0 if none."""

    executor: str | None
    """The cluster that may run them: `dask:ADDRESS` or `ray:ADDRESS`."""

    job_timeout_s: int
    """For each operation in a worker; 0 where there is no limit."""

    verify_diagnostics: VerifyLevel | None
    verbosity: Verbosity
    show_notes: bool
    show_operation: bool
    show_stacktrace: bool
    color: Color

    statistics: bool
    statistics_display: StatisticsDisplay
    timing: bool
    timing_display: TimingDisplay
    report_format: ReportFormat
    report_file: str | None

    print_before: tuple[str, ...]
    print_before_all: bool
    print_after: tuple[str, ...]
    print_after_all: bool
    print_after_change: bool
    print_after_failure: bool
    print_diff: bool
    print_initial: bool
    print_pass_options: bool
    print_module_scope: bool
    print_tree_directory: str | None

    record: str | None
    crash_reproducer: str | None
    local_reproducer: bool
    generate_reproducer: str | None
    run_reproducer: bool
    trust_reproducer: bool

    plugins: tuple[str, ...]
    """Plugins that are loaded beside the driver's own passes."""

    show_dialects: bool
    list_passes: bool
    list_plugins: bool
    help_pass: str | None
    completion: str | None
    complete: str | None
    version: bool
    help: bool

    @property
    def has_workers(self) -> bool:
        """Whether other processes may run nested pipelines."""
        return self.jobs > 0 or self.executor is not None

    @property
    def is_question(self) -> bool:
        """Whether the driver answers without running anything."""
        texts = (self.help_pass, self.completion, self.complete)
        asks = self.help or self.version or self.list_passes or self.list_plugins
        return asks or any(text is not None for text in texts)


def options_of(
    line: CommandLine, registry: Callable[[], PassRegistry]
) -> DriverOptions:
    """Return the options that `line` gives.

    Args:
        line: the command line.
        registry: returns the passes; called only if `line` names one.

    Raises:
        UsageError: flags contradict one another, or name unknown passes.
    """
    values = line.values
    _check_arguments(line, registry)
    options = DriverOptions(
        program=line.program,
        command=_command(line),
        input=line.positional[0] if line.positional else "-",
        output="-" if values["o"] is None else values["o"],
        split_marker=values["split-input-file"],
        output_split_marker=values["output-split-marker"],
        implicit_module=not values["no-implicit-module"],
        allow_unregistered=bool(values["allow-unregistered-dialect"]),
        verify_input=not values["mlir-very-unsafe-disable-verifier-on-parsing"],
        verify_round_trip=bool(values["verify-roundtrip"]),
        printing=_printing_flags(values),
        pipeline=values["pass-pipeline"],
        passes=tuple(line.passes),
        dump_pipeline=values["dump-pass-pipeline"],
        verify_each=values["verify-each"],
        strict_order=bool(values["strict-order"]),
        audit=bool(values["audit"]),
        disable_threading=values["mlir-disable-threading"],
        timeout_s=values["timeout"],
        jobs=values["jobs"],
        executor=values["executor"] or None,
        job_timeout_s=values["job-timeout"],
        verify_diagnostics=values["verify-diagnostics"],
        verbosity=values["mlir-diagnostic-verbosity-level"],
        show_notes=not values["mlir-disable-diagnostic-notes"],
        # As in MLIR, diagnostics that are compared do not show operations.
        show_operation=bool(
            values["mlir-print-op-on-diagnostic"]
            and values["verify-diagnostics"] is None
        ),
        show_stacktrace=bool(values["mlir-print-stacktrace-on-diagnostic"]),
        color=values["color"],
        statistics=bool(values["mlir-pass-statistics"]),
        statistics_display=values["mlir-pass-statistics-display"],
        timing=bool(values["mlir-timing"]),
        timing_display=values["mlir-timing-display"],
        report_format=values["mlir-output-format"],
        report_file=values["info-output-file"] or None,
        print_before=values["mlir-print-ir-before"] or (),
        print_before_all=bool(values["mlir-print-ir-before-all"]),
        print_after=values["mlir-print-ir-after"] or (),
        print_after_all=bool(values["mlir-print-ir-after-all"]),
        print_after_change=bool(values["mlir-print-ir-after-change"]),
        print_after_failure=bool(values["mlir-print-ir-after-failure"]),
        print_diff=bool(values["mlir-print-ir-diff"]),
        print_initial=bool(values["mlir-print-ir-initial"]),
        print_pass_options=bool(values["mlir-print-ir-pass-options"]),
        print_module_scope=bool(values["mlir-print-ir-module-scope"]),
        print_tree_directory=values["mlir-print-ir-tree-dir"] or None,
        record=values["record"] or None,
        crash_reproducer=values["mlir-pass-pipeline-crash-reproducer"] or None,
        local_reproducer=bool(values["mlir-pass-pipeline-local-reproducer"]),
        generate_reproducer=values["mlir-generate-reproducer"] or None,
        run_reproducer=bool(values["run-reproducer"]),
        trust_reproducer=bool(values["trust-reproducer"]),
        plugins=values["load-pass-plugin"] or (),
        show_dialects=bool(values["show-dialects"]),
        list_passes=bool(values["list-passes"]),
        list_plugins=bool(values["list-plugins"]),
        help_pass=values["help-pass"],
        completion=values["completion"],
        complete=values["complete"],
        version=bool(values["version"]),
        help=bool(values["help"]),
    )
    _check_printed_passes("mlir-print-ir-before", options.print_before, registry)
    _check_printed_passes("mlir-print-ir-after", options.print_after, registry)
    _check_threads(options)
    _check_workers(options)
    if options.print_diff and options.print_tree_directory is not None:
        message = (
            "--mlir-print-ir-tree-dir takes IR, and --mlir-print-ir-diff prints none"
        )
        raise UsageError(message)
    return options


def _printing_flags(values: dict[str, Any]) -> PrintingFlags:
    return PrintingFlags(
        generic=bool(values["mlir-print-op-generic"]),
        debug_info=bool(values["mlir-print-debuginfo"]),
        pretty_debug_info=bool(values["mlir-pretty-debuginfo"]),
        local_scope=bool(values["mlir-print-local-scope"]),
        assume_verified=bool(values["mlir-print-assume-verified"]),
        skip_regions=bool(values["mlir-print-skip-regions"]),
        unique_ssa_ids=bool(values["mlir-print-unique-ssa-ids"]),
        name_locations_as_prefix=bool(values["mlir-use-nameloc-as-prefix"]),
        max_elements=values["mlir-elide-elementsattrs-if-larger"],
        max_decimal_elements=values["mlir-print-elementsattrs-with-hex-if-larger"],
        max_resource_chars=values["mlir-elide-resource-strings-if-larger"],
    )


def _check_arguments(line: CommandLine, registry: Callable[[], PassRegistry]) -> None:
    """Check the passes given as flags, and the number of inputs and pipelines.

    Raises:
        UsageError: a pass does not exist, or there are too many arguments.
    """
    for argument in line.passes:
        name = argument.lstrip("-").partition("=")[0]
        has_too_many_dashes = argument.startswith("---")
        if has_too_many_dashes or registry().lookup(name) is None:
            reasons = (REFUSED_FLAGS.get(name), *registry().explanations(name))
            reason = None if has_too_many_dashes else next(filter(None, reasons), None)
            raise unknown_flag(
                line.program, argument, FLAGS, registry().arguments(), reason
            )
    if len(line.positional) > 1:
        raise UsageError(
            "Too many positional arguments specified!\n"
            f"Can specify at most 1 positional arguments: See: {line.program} --help"
        )
    if line.passes and line.values["pass-pipeline"] is not None:
        raise UsageError(
            "'-pass-pipeline' option can't be used with individual pass options"
        )


def _check_printed_passes(
    flag: str, names: tuple[str, ...], registry: Callable[[], PassRegistry]
) -> None:
    for name in names:
        if registry().lookup(name) is None:
            message = f"for the --{flag} option: Cannot find option named '{name}'!"
            nearest = nearest_name(name, registry().arguments())
            hint = "" if nearest is None else f"\nDid you mean '{nearest}'?"
            raise UsageError(f"{message}{hint}")


def _check_workers(options: DriverOptions) -> None:
    """Check the flags of workers.

    Raises:
        UsageError: they contradict one another.
    """
    if not options.has_workers:
        if options.job_timeout_s:
            raise UsageError("for the --job-timeout option: it needs --jobs")
        return
    if options.jobs and options.executor is not None:
        raise UsageError("--jobs asks for processes here, and --executor for a cluster")


def _check_threads(options: DriverOptions) -> None:
    if options.disable_threading:
        return
    remedy = "\nadd --mlir-disable-threading"
    if options.print_module_scope:
        from passgen_runtime.instrumentations.ir_printing import NEEDS_ONE_THREAD

        raise UsageError(f"{NEEDS_ONE_THREAD}{remedy}")
    if options.crash_reproducer is not None and options.local_reproducer:
        from passgen_runtime.instrumentations import crash_reproducer

        raise UsageError(f"{crash_reproducer.NEEDS_ONE_THREAD}{remedy}")


def _command(line: CommandLine) -> tuple[str, ...]:
    """Return the program with the flags of `line` that its passes need."""

    def text(value: object) -> str:
        if isinstance(value, bool):
            return str(value).lower()
        return ",".join(value) if isinstance(value, tuple) else str(value)

    given = (name for name in _NEEDED_FLAGS if name in line.given)
    flags = (f"--{name}={text(line.values[name])}" for name in given)
    return (line.program, *flags)
