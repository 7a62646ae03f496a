"""The flags of `passgen-opt`: one table, and what one call of the driver asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from passgen_runtime.context import PrintingFlags
from passgen_runtime.opt.command_line import (
    Flag,
    UsageError,
    mlir_flag,
    parse_command_line,
)
from passgen_runtime.opt.observation import (
    OBSERVATION_FLAGS,
    Observation,
    observation_of,
)
from passgen_runtime.pass_registry import PassRegistry
from passgen_runtime.pass_statistics import StatisticsDisplay

Verbosity = Literal["errors", "warnings", "remarks"]

PRINTING_FLAGS: Final = (
    mlir_flag("mlir-print-op-generic", "print operations in the generic form"),
    mlir_flag("mlir-print-debuginfo", "print locations"),
    mlir_flag("mlir-pretty-debuginfo", "print them for readers, not for parsers"),
    mlir_flag(
        "mlir-print-local-scope",
        "print each operation without aliases, of which xDSL's printer has none",
    ),
    mlir_flag(
        "mlir-print-assume-verified",
        "print custom forms without verifying what is printed",
    ),
    mlir_flag("mlir-print-skip-regions", "print '{...}' in the place of regions"),
    mlir_flag("mlir-print-unique-ssa-ids", "give no name to two values"),
    mlir_flag(
        "mlir-use-nameloc-as-prefix", "name values after the name in their location"
    ),
    mlir_flag(
        "mlir-elide-elementsattrs-if-larger",
        "elide elements attributes with more elements",
        "uint",
        "N",
    ),
    mlir_flag(
        "mlir-print-elementsattrs-with-hex-if-larger",
        "print elements attributes with more than N, by default 100, elements in "
        "hexadecimal; none if -1",
        "long",
        "N",
    ),
    mlir_flag(
        "mlir-elide-resource-strings-if-larger",
        "leave out resources with more characters",
        "uint",
        "N",
    ),
    mlir_flag(
        "mlir-print-op-on-diagnostic",
        "show the operation below diagnostics about it",
        default=True,
    ),
    mlir_flag(
        "mlir-print-stacktrace-on-diagnostic",
        "show below diagnostics which code emitted them",
    ),
    mlir_flag("mlir-disable-diagnostic-notes", "print diagnostics without their notes"),
    mlir_flag(
        "mlir-diagnostic-verbosity-level",
        "which diagnostics to print: errors only, warnings as well, remarks as well",
        "required",
        choices=("errors", "warnings", "remarks"),
        default="remarks",
    ),
)


@dataclass(frozen=True, slots=True)
class DiagnosticsRequest:
    """Which diagnostics are to be printed, and with what below them."""

    verbosity: Verbosity
    with_notes: bool
    with_operation: bool
    with_stacktrace: bool


def printing_of(values: Mapping[str, Any]) -> PrintingFlags:
    """Return how the values of the flags let IR be printed."""
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


def diagnostics_of(
    values: Mapping[str, Any], *, are_verified: bool
) -> DiagnosticsRequest:
    """Return what the values of the flags ask for.

    Args:
        values: by flag.
        are_verified: whether diagnostics are compared with expected ones: then, as in
            MLIR, they do not show operations.
    """
    return DiagnosticsRequest(
        verbosity=values["mlir-diagnostic-verbosity-level"],
        with_notes=not values["mlir-disable-diagnostic-notes"],
        with_operation=bool(values["mlir-print-op-on-diagnostic"]) and not are_verified,
        with_stacktrace=bool(values["mlir-print-stacktrace-on-diagnostic"]),
    )


_REASONS: Final[Mapping[str, tuple[str, ...]]] = {
    "the IR here has no bytecode": (
        "emit-bytecode",
        "emit-bytecode-version",
        "elide-resource-data-from-bytecode",
    ),
    "dialects come from Python packages: give yours to passgen_runtime.opt.main": (
        "load-dialect-plugin",
        "irdl-file",
    ),
    "nothing here is an MLIR action; --mlir-timing and --mlir-print-ir-* show passes": (
        "log-actions-to",
        "log-mlir-actions-filter",
        "profile-actions-to",
        "mlir-enable-debugger-hook",
    ),
    "passes here count no transformations to skip": (
        "mlir-debug-counter",
        "mlir-print-debug-counter",
    ),
    "passes here report with emit_remark, which is always printed": (
        "remark-format",
        "remark-policy",
        "remarks-filter",
        "remarks-filter-analyse",
        "remarks-filter-failed",
        "remarks-filter-missed",
        "remarks-filter-passed",
        "remarks-output-file",
    ),
    "values get their names while they are printed, users after what they use": (
        "mlir-print-value-users",
        "print-value-users",
    ),
    "nothing here is printed in color": ("color",),
}

REFUSED_FLAGS: Final[Mapping[str, str]] = {
    name: reason for reason, names in _REASONS.items() for name in names
}
"""By name, why `passgen-opt` lacks it."""


PipelineForm = Literal["mlir", "line", "pretty"]
VerifyLevel = Literal["all", "only-expected"]

SHELLS: Final = ("bash", "zsh", "fish")

SPLIT_MARKER: Final = "// -----"
"""What stands between the parts of an input, and of the output."""

LOAD_PLUGIN: Final = Flag(
    "load-pass-plugin",
    "load an installed plugin, or a module that is one",
    "required",
    "NAME",
    is_list=True,
)

FLAGS: Final = (
    Flag("o", "the file to write; standard output if -", "required", "FILE"),
    Flag(
        "pass-pipeline",
        "the passes to run, with anchors",
        "required",
        "PIPELINE",
        aliases=("p",),
    ),
    Flag(
        "dump-pass-pipeline",
        "print the pipeline to standard error before it runs",
        "optional",
        choices=("mlir", "line", "pretty"),
    ),
    Flag(
        "ir",
        "the library that reads IR: 'xdsl', or 'mlir' with MLIR's own passes",
        "required",
        "xdsl|mlir[:PACKAGE]",
        default="xdsl",
    ),
    Flag(
        "contain",
        "report a pass that ends its process; so does a crash reproducer",
        "boolean",
    ),
    Flag("verify-each", "verify the IR after each pass", "boolean", default=True),
    Flag("audit", "check that passes keep the rules for their authors", "boolean"),
    Flag(
        "allow-unregistered-dialect",
        "accept operations of dialects that are not registered",
        "boolean",
    ),
    Flag(
        "mlir-very-unsafe-disable-verifier-on-parsing",
        "let passes run on IR that nobody has verified",
        "boolean",
        aliases=("very-unsafe-disable-verifier-on-parsing",),
    ),
    Flag(
        "verify-roundtrip",
        "check that the input is the same when it is printed and parsed again",
        "boolean",
    ),
    Flag(
        "mlir-pass-statistics",
        "print the statistics of all passes to standard error",
        "boolean",
        aliases=("pass-statistics",),
    ),
    Flag(
        "mlir-pass-statistics-display",
        "how statistics are shown",
        "required",
        choices=("pipeline", "list"),
        aliases=("pass-statistics-display",),
        default="pipeline",
    ),
    *OBSERVATION_FLAGS,
    *PRINTING_FLAGS,
    Flag(
        "split-input-file",
        "process the parts of the input between markers one by one",
        "optional",
        "MARKER",
        bare=SPLIT_MARKER,
    ),
    Flag(
        "output-split-marker",
        "what to print between the parts",
        "required",
        "MARKER",
        default=SPLIT_MARKER,
    ),
    Flag(
        "verify-diagnostics",
        "compare what is reported with the expected-* comments of the input",
        "optional",
        choices=("all", "only-expected"),
    ),
    Flag(
        "no-implicit-module",
        "let the input be one operation of any kind, not a module",
        "boolean",
    ),
    LOAD_PLUGIN,
    Flag("show-dialects", "list all dialects, and stop"),
    Flag("list-passes", "list all passes and pass pipelines, and stop"),
    Flag("list-plugins", "list and check all installed plugins, and stop"),
    Flag(
        "help-pass", "describe a pass or a pass pipeline, and stop", "required", "NAME"
    ),
    Flag("completion", "print a completion script for a shell", "required", "", SHELLS),
    Flag("complete", "", "required", "LINE"),
    Flag("version", "print the version, and stop"),
    Flag("help", "print this, and stop", aliases=("h", "help-list", "help-hidden")),
)
"""All flags; one without help is not shown: completion scripts call it."""


@dataclass(frozen=True, slots=True)
class Request:
    """What one call of the driver asks for."""

    input: str
    output: str
    pipeline: str | None
    """The textual pipeline; `None` where passes, if any, are given as flags."""

    passes: tuple[str, ...]
    """Passes given as flags, as written and in order."""

    verify_each: bool
    audit: bool
    allow_unregistered: bool
    dump_pipeline: PipelineForm | None
    statistics: bool
    statistics_display: StatisticsDisplay
    observation: Observation
    printing: PrintingFlags
    diagnostics: DiagnosticsRequest
    verifies_input: bool
    verifies_round_trip: bool
    split_marker: str | None
    """What separates the parts of the input; `None` where it is one."""

    output_split_marker: str

    verify_diagnostics: VerifyLevel | None
    implicit_module: bool
    """Whether what is not one module is put into a new one."""

    show_dialects: bool
    plugins: tuple[str, ...]
    """Plugins that are loaded beside the driver's own passes."""

    list_passes: bool
    list_plugins: bool
    help_pass: str | None
    completion: str | None
    complete: str | None
    version: bool
    help: bool

    @property
    def is_question(self) -> bool:
        """Whether it is answered without running anything."""
        texts = (self.help_pass, self.completion, self.complete)
        asks = self.help or self.version or self.list_passes or self.list_plugins
        return asks or any(text is not None for text in texts)


def containment_of(arguments: Sequence[str]) -> bool | None:
    """Return whether to contain the run; `None` where only a crash reproducer asks.

    It is decided before any pass is known, or an IR library is imported.
    """
    try:
        given = parse_command_line(
            arguments,
            FLAGS,
            is_pass=lambda _: True,
            suggestions=tuple,
            refusal=lambda _: None,
        )
    except UsageError:
        return False  # it is said once passes are known
    contain: bool | None = given.values["contain"]
    if contain is None and not given.values["mlir-pass-pipeline-crash-reproducer"]:
        return False
    return contain


def parse_request(
    arguments: Sequence[str], registry: Callable[[], PassRegistry]
) -> Request:
    """Return what `arguments`, without the program's name, ask for.

    Args:
        arguments: the command line.
        registry: returns the passes that may be flags; called if one may be meant.

    Raises:
        UsageError: they are no command line of the driver.
    """
    given = parse_command_line(
        arguments,
        FLAGS,
        is_pass=lambda name: registry().lookup(name) is not None,
        suggestions=lambda: registry().arguments(),
        refusal=lambda name: (
            REFUSED_FLAGS.get(name) or next(iter(registry().explanations(name)), None)
        ),
    )
    values = given.values
    if len(given.positional) > 1:
        raise UsageError(
            "Too many positional arguments specified!\n"
            "Can specify at most 1 positional arguments: See: passgen-opt --help"
        )
    if given.passes and values["pass-pipeline"] is not None:
        raise UsageError(
            "'-pass-pipeline' option can't be used with individual pass options"
        )
    return Request(
        input=given.positional[0] if given.positional else "-",
        output="-" if values["o"] is None else values["o"],
        pipeline=values["pass-pipeline"],
        passes=tuple(given.passes),
        verify_each=values["verify-each"],
        audit=bool(values["audit"]),
        allow_unregistered=bool(values["allow-unregistered-dialect"]),
        dump_pipeline=values["dump-pass-pipeline"],
        statistics=bool(values["mlir-pass-statistics"]),
        statistics_display=values["mlir-pass-statistics-display"],
        observation=observation_of(values, registry),
        printing=printing_of(values),
        diagnostics=diagnostics_of(
            values, are_verified=values["verify-diagnostics"] is not None
        ),
        verifies_input=not values["mlir-very-unsafe-disable-verifier-on-parsing"],
        verifies_round_trip=bool(values["verify-roundtrip"]),
        split_marker=values["split-input-file"],
        output_split_marker=values["output-split-marker"],
        verify_diagnostics=values["verify-diagnostics"],
        implicit_module=not values["no-implicit-module"],
        show_dialects=bool(values["show-dialects"]),
        plugins=values["load-pass-plugin"] or (),
        list_passes=bool(values["list-passes"]),
        list_plugins=bool(values["list-plugins"]),
        help_pass=values["help-pass"],
        completion=values["completion"],
        complete=values["complete"],
        version=bool(values["version"]),
        help=bool(values["help"]),
    )
