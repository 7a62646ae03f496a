"""The flags of `passgen-opt`: one table, and what one call of the driver asks for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from passgen_runtime.opt.command_line import Flag, UsageError, parse_command_line
from passgen_runtime.opt.observation import (
    OBSERVATION_FLAGS,
    Observation,
    observation_of,
)
from passgen_runtime.opt.opt_printing import (
    PRINTING_FLAGS,
    DiagnosticsRequest,
    diagnostics_of,
    printing_of,
)
from passgen_runtime.opt.opt_refused_flags import REFUSED_FLAGS
from passgen_runtime.pass_registry.pass_registry import PassRegistry
from passgen_runtime.pass_statistics import StatisticsDisplay
from passgen_runtime.printing_flags import PrintingFlags

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
