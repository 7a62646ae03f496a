"""The flags of every driver: each is declared here, and read as an attribute.

Names and meanings are those of `mlir-opt`; a flag that begins with `mlir-` may be given
without it.
"""

from __future__ import annotations

import sys
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Final, Literal

from passgen_runtime.printing_flags import PrintingFlags
from passgen_tools.ir_libraries import DEFAULT_IR_LIBRARY, ir_library_usage
from passgen_tools.opt.command_line import (
    Flag,
    Flags,
    choice,
    destination,
    names,
    optional_number,
    optional_switch,
    question,
    switch,
    text,
    text_with_default,
)

Color = Literal["always", "auto", "never"]

SHELLS: Final = ("bash", "zsh", "fish")

SPLIT_MARKER: Final = "// -----"
"""The text between the parts of an input, and of the output."""


class DriverOptions(Flags):
    """The flags that every driver has: to parse, verify, run passes and print."""

    output = replace(
        text_with_default(
            "o", "the file to write; standard output if -", "FILE", default="-"
        ),
        destination="output",
        refuses_empty=True,
    )
    pipeline = text(
        "pass-pipeline",
        "the passes to run, with anchors",
        "PIPELINE",
        aliases=("p",),
        keeps_empty=True,
    )
    dump_pipeline: Flag[Literal["mlir", "line", "pretty"] | None] = choice(
        "dump-pass-pipeline",
        "print the pipeline to standard error before it runs",
        choices=("mlir", "line", "pretty"),
        value="optional",
    )
    ir = text_with_default(
        "ir",
        "the library that reads IR, and whose own passes run",
        ir_library_usage(),
        default=DEFAULT_IR_LIBRARY,
    )
    verify_each: Flag[Any] = replace(
        optional_switch("verify-each", "verify the IR after each pass, or at the end"),
        default=True,
        choices=("all", "end"),
    )
    no_skip = switch("no-skip", "run idempotent passes even where nothing has changed")
    strict_order = switch(
        "strict-order", "refuse pipelines that break the order rules of passes"
    )
    allow_unregistered = switch(
        "allow-unregistered-dialect",
        "accept operations of dialects that are not registered",
    )
    trusts_input = switch(
        "mlir-very-unsafe-disable-verifier-on-parsing",
        "run passes on the input without verifying it first",
    )
    verify_round_trip = switch(
        "verify-roundtrip",
        "check that the input is the same when it is printed and parsed again",
    )
    disable_threading = optional_switch(
        "mlir-disable-threading", "run everything in one thread"
    )
    report_format: Flag[Literal["text", "json"]] = choice(
        "mlir-output-format",
        "the format of times and statistics",
        choices=("text", "json"),
        default="text",
    )
    report_file = destination(
        "info-output-file",
        "append times and statistics to a file instead of standard error",
        "report",
    )
    run_reproducer = switch("run-reproducer", "run the pipeline in the input")
    trust_reproducer = switch(
        "trust-reproducer",
        "let passes of --run-reproducer start programs, and read and write files",
    )
    generic = switch("mlir-print-op-generic", "print operations in the generic form")
    debug_info = switch("mlir-print-debuginfo", "print locations")
    pretty_debug_info = switch(
        "mlir-pretty-debuginfo", "print locations for readers, not for parsers"
    )
    local_scope = switch(
        "mlir-print-local-scope",
        "print each operation without aliases; xDSL's printer uses none",
    )
    assume_verified = switch(
        "mlir-print-assume-verified",
        "print custom forms without verifying the operation first",
    )
    skip_regions = switch("mlir-print-skip-regions", "print '{...}' instead of regions")
    unique_ssa_ids = switch(
        "mlir-print-unique-ssa-ids", "give each value a unique name"
    )
    name_locations_as_prefix = switch(
        "mlir-use-nameloc-as-prefix", "name values after the name in their location"
    )
    max_elements = optional_number(
        "mlir-elide-elementsattrs-if-larger",
        "elide elements attributes with more elements",
    )
    max_decimal_elements = optional_number(
        "mlir-print-elementsattrs-with-hex-if-larger",
        "print elements attributes with more than N, by default 100, elements in "
        "hexadecimal; none if -1",
        value="long",
    )
    max_resource_chars = optional_number(
        "mlir-elide-resource-strings-if-larger",
        "leave out resources with more characters",
    )
    shows_operation = switch(
        "mlir-print-op-on-diagnostic",
        "show the operation below diagnostics about it",
        default=True,
    )
    show_stacktrace = switch(
        "mlir-print-stacktrace-on-diagnostic",
        "show below each diagnostic the code that emitted it",
    )
    hides_notes = switch(
        "mlir-disable-diagnostic-notes", "print diagnostics without their notes"
    )
    verbosity: Flag[Literal["errors", "warnings", "remarks"]] = choice(
        "mlir-diagnostic-verbosity-level",
        "which diagnostics to print: errors only, warnings as well, remarks as well",
        choices=("errors", "warnings", "remarks"),
        default="remarks",
    )
    split_marker: Flag[str | None] = choice(
        "split-input-file",
        "process the parts of the input between markers one by one",
        value="optional",
        bare=SPLIT_MARKER,
        metavar="MARKER",
    )
    output_split_marker = text_with_default(
        "output-split-marker",
        "the text between the parts of the output",
        "MARKER",
        default=SPLIT_MARKER,
    )
    takes_any_operation = switch(
        "no-implicit-module", "let the input be one operation of any kind, not a module"
    )
    plugins = names(
        "load-pass-plugin", "load an installed plugin, or a module that is one", "NAME"
    )
    color: Flag[Color] = choice(
        "color",
        "color diagnostics and diffs; if auto, on a terminal unless NO_COLOR is set",
        choices=("always", "auto", "never"),
        default="auto",
        value="optional",
    )
    diagnostics_format: Flag[Literal["text", "json"]] = choice(
        "diagnostics-format",
        "print diagnostics as text, or as one JSON object a line",
        choices=("text", "json"),
        default="text",
    )
    json = switch("json", "print the answer to --list-passes or --help-pass as JSON")
    show_dialects = question("show-dialects", "list all dialects, and stop")
    list_passes = question(
        "list-passes", "list all passes and pass pipelines, and stop"
    )
    list_plugins = question(
        "list-plugins", "list and check all installed plugins, and stop"
    )
    help_pass = text(
        "help-pass",
        "describe a pass or a pass pipeline, and stop",
        "NAME",
    )
    completion = text(
        "completion",
        "print a completion script for a shell",
        "",
        choices=SHELLS,
    )
    complete = text("complete", "", "LINE", keeps_empty=True)
    version = question("version", "print the version, and stop")
    help = question(
        "help", "print this help, and stop", aliases=("h", "help-list", "help-hidden")
    )

    @property
    def program(self) -> str:
        """The name of the program, for its messages."""
        return self.line.program

    @property
    def command(self) -> tuple[str, ...]:
        """The program with the flags that a pass of the run needs to run alone."""
        needed = (flag.name for flag in _NEEDED_FLAGS)
        given = filter(self.line.given.__contains__, needed)
        return (*_launch_words(self.program), *map(self.line.spell, given))

    @property
    def input(self) -> str:
        """The file to read; `-` is standard input."""
        return self.line.positional[0] if self.line.positional else "-"

    @property
    def printing(self) -> PrintingFlags:
        """The flags of the printer, whose fields have the names of attributes here."""
        names = (field.name for field in fields(PrintingFlags))
        return PrintingFlags(**{name: getattr(self, name) for name in names})

    @property
    def is_question(self) -> bool:
        """Whether the driver answers without running anything."""
        texts = (self.help_pass, self.completion, self.complete)
        asks = self.help or self.version or self.list_passes or self.list_plugins
        return asks or any(answer is not None for answer in texts)


def _launch_words(program: str) -> tuple[str, ...]:
    """Return the words that start a program in a shell: `python`, `my_opt.py`."""
    script = Path(sys.argv[0])
    spec = getattr(sys.modules.get("__main__"), "__spec__", None)
    if program not in {script.name, script.parent.name}:  # it has a name of its own
        return (program,)
    python = Path(sys.executable).name
    if spec is not None:
        return (python, "-m", spec.name.removesuffix(".__main__"))
    return (python, sys.argv[0]) if script.suffix == ".py" else (program,)


_NEEDED_FLAGS: Final[tuple[Flag[object], ...]] = (
    DriverOptions.ir,
    DriverOptions.plugins,
    DriverOptions.allow_unregistered,
    DriverOptions.trusts_input,
    DriverOptions.verify_each,
)
"""The flags that decide which passes there are, and which input they take."""
