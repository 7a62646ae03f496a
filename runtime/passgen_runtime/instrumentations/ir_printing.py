"""IR printing: the IR before and after passes, on a stream or in a tree of files.

Implements "IR Printing" of MLIR's PassManagement page, from `IRPrinting.cpp`. Headers
are MLIR's, because viewers parse them:

    // -----// IR Dump Before CSE (cse) //----- //
    func.func @f() {
      ...

With `diff`, a function of both texts returns what is printed instead, for example the
changes:

    // -----// IR Diff After CSE (cse) //----- //
    @@ -3,4 +3,3 @@ func.func @f()
       %0 = arith.muli %x, %x : i32
    -  %1 = arith.muli %x, %x : i32
      ...

With `pass_options`, headers name the pass with its options, as in LLVM after 22:

    // -----// IR Dump Before Canonicalizer: canonicalize{max-iterations=2} //----- //

A dump is written at once, so a crash loses no earlier one. With threads, it is written
once all operations before it are done, so the order is that of one thread.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final, Protocol, TypeAlias

from passgen_runtime.context import Context, Operation
from passgen_runtime.diagnostics import print_text
from passgen_runtime.errors import PassError, SchedulingError
from passgen_runtime.instrumentations.dump_header import (
    PIPELINE,
    DumpHeader,
    OperationName,
)
from passgen_runtime.operation_pass import Pass
from passgen_runtime.output_files import replace_file
from passgen_runtime.pass_instrumentation import (
    PassInstrumentation,
    PipelineCollection,
    PipelineParentInfo,
)
from passgen_runtime.pass_manager import PassManager
from passgen_runtime.pass_options import PassOptions

PIPELINE_FAILED = "Failures have been detected while processing an MLIR pass pipeline"
"""MLIR's message about a run in which a pass has failed, or ended its process."""


def top_level_operation(context: Context, operation: Operation) -> Operation:
    """Return the outermost operation around `operation`."""
    *_, outermost = context.ancestors(operation)
    return outermost


def operation_name(context: Context, operation: Operation) -> OperationName:
    """Return the name of `operation`, which messages and headers show."""
    return OperationName(context.name(operation), context.symbol_name(operation))


def subject(context: Context, pass_: Pass, operation: Operation) -> str:
    """Return the text for a pass on an operation in MLIR's messages."""
    return f"`{pass_.name}` on {operation_name(context, operation)}"


PassFilter: TypeAlias = Callable[[Pass, Operation], bool]

TextDiff: TypeAlias = Callable[[str, str], str]
"""Returns the difference between two texts of IR; empty if there is none."""

NEEDS_ONE_THREAD = (
    "IR print for module scope can't be setup on a pass-manager without disabling "
    "multi-threading first."
)
"""MLIR's message about printing at module scope while threads change the module."""


def every_pass(_pass: Pass, _operation: Operation) -> bool:
    """Accept every pass on every operation."""
    return True


@dataclass(frozen=True, slots=True)
class PassesCalled:
    """The filter of `passes_called`."""

    arguments: tuple[str, ...]

    def __call__(self, pass_: Pass, _operation: Operation) -> bool:
        """Return whether `pass_` has one of the arguments."""
        return pass_.argument in self.arguments


def passes_called(*arguments: str) -> PassFilter:
    """Return a filter that accepts the passes with one of `arguments`."""
    return PassesCalled(arguments)


class IRDestination(Protocol):
    """The destination of dumps."""

    def write(self, text: str, label: str, operation: Operation) -> None:
        """Write a dump about `operation`; `label` is the argument of the pass."""


@dataclass(frozen=True, slots=True)
class StreamDestination:
    """All dumps on one stream; standard error if not given."""

    context: Context
    write_text: Callable[[str], object] = print_text

    def write(self, text: str, _label: str, _operation: Operation) -> None:
        """Write a dump at once or, with threads, in the order of the IR."""
        self.context.in_order(lambda: self.write_text(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class IRPrintingConfig:
    """The choice of dumps, and their form."""

    before: PassFilter | None = None
    after: PassFilter | None = None
    after_only_on_change: bool = False
    """Print after a pass only if the fingerprint of its operation has changed."""

    after_only_on_failure: bool = False
    module_scope: bool = False
    """Print the outermost operation instead of the one that the pass runs on."""

    first_state: bool = False
    """Print the IR before the first pass."""

    generic: bool = False
    pass_options: bool = False
    """Name each pass with its options that differ from their defaults."""

    diff: TextDiff | None = None
    """Print its result for the texts before and after a pass, unless that is empty."""

    resources_text: Callable[[Operation], str] = lambda _: ""
    """Returns the resources that an operation refers to and that its text does not
    show; for diffs."""


@dataclass(eq=False, repr=False)
class IRPrinting(PassInstrumentation):
    """Prints the IR around passes."""

    context: Context
    config: IRPrintingConfig
    destination: IRDestination
    _fingerprints: dict[tuple[int, int], bytes] = field(
        default_factory=dict, init=False
    )
    """The fingerprint before each running pass, by thread and pass identity."""

    _texts: dict[tuple[int, int], str] = field(default_factory=dict, init=False)
    """The text of the IR before each running pass, for diffs; by the same keys."""

    _outermost: str | None = field(default=None, init=False)
    """The anchor of a pipeline that has begun and has not run a pass yet."""

    @property
    def why_one_thread(self) -> str | None:
        """Other threads would change a whole module that it prints."""
        return NEEDS_ONE_THREAD if self.config.module_scope else None

    def run_before_pipeline(self, anchor: str, parent: PipelineParentInfo) -> None:
        """Prepare to print the first state: the next hook gets its operation."""
        if parent.is_outermost and self.config.first_state:
            self._outermost = anchor

    def run_before_collection(
        self, _collection: PipelineCollection, operation: Operation
    ) -> None:
        """Print the first state, if no pass has run."""
        self._print_first_state(operation)

    def run_before_pass(self, pass_: Pass, operation: Operation) -> None:
        """Print the IR that the pass gets, if the filter accepts the pass."""
        self._print_first_state(operation)
        config = self.config
        key = (threading.get_ident(), id(pass_))
        is_shown = config.after is not None and config.after(pass_, operation)
        if config.diff is not None and is_shown:
            self._texts[key] = self._text_for_diff(operation)
        if config.after_only_on_change:
            self._fingerprints[key] = self.context.fingerprint(operation)
        if config.before is not None and config.before(pass_, operation):
            self._dump(self._header(pass_, operation), pass_.argument, operation)

    def run_after_pass(self, pass_: Pass, operation: Operation) -> None:
        """Print the IR that the pass leaves, if the filter accepts the pass."""
        before = self._fingerprints.pop((threading.get_ident(), id(pass_)), None)
        has_changed = before is None or before != self.context.fingerprint(operation)
        if self.config.after_only_on_failure or not has_changed:
            self._texts.pop((threading.get_ident(), id(pass_)), None)
        else:
            self._print_after(pass_, operation, has_failed=False)

    def run_after_pass_failed(self, pass_: Pass, operation: Operation) -> None:
        """Print the IR that the failed pass leaves, if the filter accepts the pass."""
        self._fingerprints.pop((threading.get_ident(), id(pass_)), None)
        self._print_after(pass_, operation, has_failed=True)

    def run_on_skip(self, pass_: Pass, operation: Operation) -> None:
        """Print the IR as MLIR does, which runs the pass without an effect."""
        self.run_before_pass(pass_, operation)
        self.run_after_pass(pass_, operation)

    def _print_after(
        self, pass_: Pass, operation: Operation, *, has_failed: bool
    ) -> None:
        config = self.config
        header = self._header(pass_, operation, is_after=True, has_failed=has_failed)
        if config.diff is not None:
            self._print_diff(config.diff, pass_, operation, header)
        elif config.after is not None and config.after(pass_, operation):
            self._dump(header, pass_.argument, operation)

    def _print_first_state(self, operation: Operation) -> None:
        if self._outermost is not None:
            anchor, self._outermost = self._outermost, None
            header = DumpHeader(
                is_after=False,
                pass_name=PIPELINE,
                pass_text=anchor,
                operation=self._scope(operation),
            )
            self._dump(header, "initial", operation)

    def _print_diff(
        self, diff: TextDiff, pass_: Pass, operation: Operation, header: DumpHeader
    ) -> None:
        """Print the changes of the pass to the IR, if the filter accepts the pass."""
        before = self._texts.pop((threading.get_ident(), id(pass_)), None)
        if before is None:
            return
        if changes := diff(before, self._text_for_diff(operation)):
            text = f"{header.line('Diff')}\n{changes}\n"
            self.destination.write(text, pass_.argument, operation)

    def _header(
        self,
        pass_: Pass,
        operation: Operation,
        *,
        is_after: bool = False,
        has_failed: bool = False,
    ) -> DumpHeader:
        text = pass_.argument
        if self.config.pass_options:
            options = _changes(pass_.options)
            text += options and f"{{{options}}}"
        return DumpHeader(
            is_after=is_after,
            pass_name=pass_.name,
            pass_text=text,
            has_options=self.config.pass_options,
            has_failed=has_failed,
            operation=self._scope(operation),
        )

    def _dump(self, header: DumpHeader, label: str, operation: Operation) -> None:
        context = self.context
        subject = self._subject(operation)
        # MLIR ends an operation that has no parent with a line end of its own.
        local_scope = context.printing_flags.local_scope
        is_alone = local_scope or context.parent(subject) is not None
        end = "\n\n" if is_alone else "\n\n\n"
        dump = f"{header.line()}\n{self._text(operation)}{end}"
        self.destination.write(dump, label, operation)

    def _subject(self, operation: Operation) -> Operation:
        """Return the operation to print for the one that a pass runs on."""
        if self.config.module_scope:
            return top_level_operation(self.context, operation)
        return operation

    def _scope(self, operation: Operation) -> OperationName | None:
        """Return the operation for a header, if the dump is of the module around it."""
        if not self.config.module_scope:
            return None
        return operation_name(self.context, operation)

    def _text(self, operation: Operation) -> str:
        subject, generic = self._subject(operation), self.config.generic
        return self.context.print_in_any_state(subject, generic=generic)

    def _text_for_diff(self, operation: Operation) -> str:
        """Return the text, and the resources that it refers to."""
        subject = self._subject(operation)
        resources = self.config.resources_text(subject)
        return "\n\n".join(filter(None, (self._text(operation), resources)))


def enable_ir_printing(
    manager: PassManager,
    config: IRPrintingConfig | None = None,
    destination: IRDestination | None = None,
) -> None:
    """Let `manager` print the IR while it runs.

    Args:
        manager: the pass manager.
        config: the choice of dumps; by default, before and after every pass.
        destination: the destination of dumps; standard error if not given.

    Raises:
        SchedulingError: at module scope the whole module would be printed while other
            threads change it.
    """
    config = config or IRPrintingConfig(before=every_pass, after=every_pass)
    check_threads(manager, config)
    destination = destination or StreamDestination(manager.context)
    manager.add_instrumentation(IRPrinting(manager.context, config, destination))


def check_threads(manager: PassManager, config: IRPrintingConfig) -> None:
    """Check that no thread changes what `config` prints.

    Raises:
        SchedulingError: it prints the whole module, and `manager` runs threads.
    """
    if config.module_scope and manager.is_multithreaded:
        raise SchedulingError(NEEDS_ONE_THREAD)


_NO_SYMBOL = "no-symbol-name"
_NOT_IN_A_NAME = re.compile(r"[/\\\0]")
_MAX_NAME_BYTES: Final = 200
"""The length of a part of a file's name; systems take 255, with counts and suffix."""

_HASH_DIGITS: Final = 16


class IRTreeError(PassError):
    """The tree of IR dumps cannot be written."""


class FileTreeDestination:
    """Writes each dump to a file of its own below a folder."""

    def __init__(self, context: Context, root: Path) -> None:
        """Write below `root`, which is made if it does not exist.

        Raises:
            IRTreeError: it cannot be made.
        """
        self._context = context
        self._root = root
        self._counts: dict[Hashable, int] = {}
        self._has_failed = False
        make_folder(root)

    def write(self, text: str, label: str, operation: Operation) -> None:
        """Write a dump to the file that the operation's nesting and `label` name.

        The first failure is reported; no file is written after it.
        """
        if self._has_failed:
            return
        folder, prefix = self._place(operation)
        path = folder / f"{prefix}_{_file_name(label)}.mlir"
        if label == "initial":
            path = folder / "initial.mlir"
        try:
            make_folder(folder)
            replace_file(path, text)
        except (IRTreeError, OSError) as error:
            self._has_failed = True
            reason = str(error)
            if isinstance(error, OSError):
                reason = f"cannot write '{path}': {error.strerror}"
            message = f"IR is no longer printed: {reason}"
            self._context.emit("warning", message, operation)

    def _place(self, operation: Operation) -> tuple[Path, str]:
        """Return the folder of `operation` and the prefix of its next file."""
        context, counts = self._context, self._counts
        key = context.key(operation)
        counts[key] = counts.get(key, -1) + 1
        names: list[str] = []
        numbers: list[str] = []
        for around in context.ancestors(operation):
            numbers.append(str(counts.setdefault(context.key(around), 0)))
            symbol = context.symbol_name(around)
            name = context.name(around).replace(".", "_")
            names.append(f"{name}_{_NO_SYMBOL if symbol is None else symbol}")
        folders = map(_file_name, reversed(names))
        return self._root.joinpath(*folders), "_".join(reversed(numbers))


def make_folder(folder: Path) -> None:
    """Make `folder` and its parents unless they exist.

    Raises:
        IRTreeError: it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"error while creating directory '{folder}': {error.strerror}"
        raise IRTreeError(message) from error


def _changes(options: PassOptions) -> str:
    """Return the options that differ from their defaults, in pipeline syntax."""
    defaults = {
        f"{info.argument}={info.print(info.default)}"
        for info in options.declared_options()
        if info.default is not None and not info.is_required
    }
    texts = options._spellings()  # noqa: SLF001 - `str(options)` joins them
    return " ".join(text for text in texts if text not in defaults)


def _file_name(text: str) -> str:
    """Return a name for a file; a hash stands for the rest of a long one."""
    name = _NOT_IN_A_NAME.sub("_", text)
    encoded = name.encode(errors="surrogatepass")
    if len(encoded) <= _MAX_NAME_BYTES:
        return name
    start = encoded[: _MAX_NAME_BYTES - _HASH_DIGITS - 1].decode(errors="ignore")
    return f"{start}-{sha256(encoded).hexdigest()[:_HASH_DIGITS]}"
