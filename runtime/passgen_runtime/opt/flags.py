"""The flags of `passgen-opt`, and those of `mlir-opt` that it refuses.

Names and meanings are those of `mlir-opt`; a flag that begins with `mlir-` may be given
without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from passgen_runtime.opt.command_line import Flag, mlir_flag

_OBSERVATION_FLAGS: Final = (
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
        "mlir-print-ir-after-change", "print the IR after a pass only if it has changed"
    ),
    mlir_flag(
        "mlir-print-ir-diff",
        "print how each pass, or those of --mlir-print-ir-after, has changed the IR",
    ),
    mlir_flag("mlir-print-ir-after-failure", "print the IR after a pass that fails"),
    mlir_flag("mlir-print-ir-initial", "print the IR that the pipeline starts from"),
    mlir_flag(
        "mlir-print-ir-pass-options",
        "name passes with their options in the headers, as LLVM 23 does",
    ),
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
        "write only the failing pass to the reproducer; needs "
        "--mlir-disable-threading",
    ),
    mlir_flag(
        "mlir-generate-reproducer",
        "write a reproducer of the run, also if it succeeds",
        "required",
        "FILE",
    ),
    Flag("run-reproducer", "run the pipeline in the input", "boolean"),
    Flag(
        "trust-reproducer",
        "let passes of --run-reproducer start programs, and read and write files",
        "boolean",
    ),
)

_PRINTING_FLAGS: Final = (
    mlir_flag("mlir-print-op-generic", "print operations in the generic form"),
    mlir_flag("mlir-print-debuginfo", "print locations"),
    mlir_flag("mlir-pretty-debuginfo", "print locations for readers, not for parsers"),
    mlir_flag(
        "mlir-print-local-scope",
        "print each operation without aliases; xDSL's printer uses none",
    ),
    mlir_flag(
        "mlir-print-assume-verified",
        "print custom forms without verifying what is printed",
    ),
    mlir_flag("mlir-print-skip-regions", "print '{...}' instead of regions"),
    mlir_flag("mlir-print-unique-ssa-ids", "give each value a unique name"),
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

SHELLS: Final = ("bash", "zsh", "fish")

SPLIT_MARKER: Final = "// -----"
"""The text between the parts of an input, and of the output."""

LOAD_PLUGIN: Final = Flag(
    "load-pass-plugin",
    "load an installed plugin, or a module that is one",
    "required",
    "NAME",
    is_list=True,
)

IR: Final = Flag(
    "ir",
    "the library that reads IR: 'xdsl', or 'mlir' with MLIR's own passes",
    "required",
    "xdsl|mlir[:PACKAGE]",
    default="xdsl",
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
    IR,
    Flag(
        "contain",
        "run in a child process, and report a pass that crashes",
        "boolean",
    ),
    Flag(
        "timeout",
        "stop the work on an input after this time, and report its state; 0: never",
        "uint",
        "SECONDS",
        default=0,
    ),
    Flag(
        "jobs",
        "run nested pipelines in N processes if that is faster; 0: do not",
        "uint",
        "N",
        default=0,
    ),
    Flag(
        "executor",
        "run nested pipelines on a cluster where that is faster",
        "required",
        "dask:ADDRESS|ray:ADDRESS",
    ),
    Flag(
        "job-timeout",
        "end a worker that takes longer for one operation; 0: no limit",
        "uint",
        "SECONDS",
        default=0,
    ),
    Flag("verify-each", "verify the IR after each pass", "boolean", default=True),
    Flag(
        "record",
        "record the effect of each pass in a SQLite file",
        "required",
        "FILE",
    ),
    Flag(
        "report",
        "write an HTML page that shows the effect of each pass",
        "required",
        "FILE",
    ),
    Flag(
        "strict-order",
        "refuse pipelines that break the order rules of passes",
        "boolean",
    ),
    Flag("audit", "check that passes keep the rules for their authors", "boolean"),
    Flag(
        "allow-unregistered-dialect",
        "accept operations of dialects that are not registered",
        "boolean",
    ),
    Flag(
        "mlir-very-unsafe-disable-verifier-on-parsing",
        "run passes on the input without verifying it first",
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
    *_OBSERVATION_FLAGS,
    *_PRINTING_FLAGS,
    Flag(
        "split-input-file",
        "process the parts of the input between markers one by one",
        "optional",
        "MARKER",
        bare=SPLIT_MARKER,
    ),
    Flag(
        "output-split-marker",
        "the text between the parts of the output",
        "required",
        "MARKER",
        default=SPLIT_MARKER,
    ),
    Flag(
        "verify-diagnostics",
        "compare diagnostics with the expected-* comments of the input",
        "optional",
        choices=("all", "only-expected"),
    ),
    Flag(
        "no-implicit-module",
        "let the input be one operation of any kind, not a module",
        "boolean",
    ),
    LOAD_PLUGIN,
    Flag(
        "color",
        "color diagnostics and diffs; if auto, on a terminal unless NO_COLOR is set",
        "optional",
        choices=("always", "auto", "never"),
        default="auto",
    ),
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
"""All flags. The help leaves out one without a text: completion scripts call it."""

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
}

REFUSED_FLAGS: Final[Mapping[str, str]] = {
    name: reason for reason, names in _REASONS.items() for name in names
}
"""By name, why `passgen-opt` lacks it."""
