"""The header line of a dump of IR, written and read.

    // -----// IR Dump After CSE (cse) ('func.func' operation: @f) //----- //

Implements the headers of MLIR's `IRPrinting.cpp`, which viewers read, too. LLVM after
22 names a pass with its options: `Canonicalizer: canonicalize{max-iterations=2}`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

PIPELINE: Final = "Pipeline"
"""The name in the header of the IR before the first pass."""

_LINE: Final = re.compile(r"// -----// IR Dump (Before|After) (.*) //----- //")
_OPERATION: Final = re.compile(r"(.*) \('([^']*)' operation(?:: @(.*))?\)")
_NAME_AND_ARGUMENT: Final = re.compile(r"(.*?)( Failed)?(?: \(([^()]*)\))?")
_NAME_AND_TEXT: Final = re.compile(r"(.*?)( Failed)?: (.*)")


@dataclass(frozen=True, slots=True)
class OperationName:
    """An operation as MLIR's messages show it: `'func.func' operation: @f`."""

    name: str
    symbol: str | None

    def __str__(self) -> str:
        """Return the text of messages."""
        named = "" if self.symbol is None else f": @{self.symbol}"
        return f"'{self.name}' operation{named}"


@dataclass(frozen=True, slots=True, kw_only=True)
class DumpHeader:
    """The header of a dump: its pass, and the operation if it is not the dumped one."""

    is_after: bool
    """Whether the dump shows the IR after the pass, or before it."""

    pass_name: str
    """The class of the pass, or `PIPELINE`."""

    pass_text: str
    """The argument of the pass, or its text with options."""

    has_options: bool = False
    """Whether `pass_text` is a text with options, which the line has after a colon."""

    has_failed: bool = False
    operation: OperationName | None = None
    """The operation that the pass ran on; `None` if the dump shows this operation."""

    def line(self, what: str = "Dump") -> str:
        """Return the line, without its end; `what` is `Diff` before changes."""
        moment = "After" if self.is_after else "Before"
        failed = " Failed" if self.has_failed else ""
        text = f": {self.pass_text}" if self.has_options else f" ({self.pass_text})"
        where = f" ({self.operation})" if self.operation else ""
        subject = f"{moment} {self.pass_name}{failed}{text}{where}"
        return f"// -----// IR {what} {subject} //----- //"


def parse_dump_header(line: str) -> DumpHeader | None:
    """Return the header in `line`, without the line's end; `None` if there is none."""
    found = _LINE.fullmatch(line) if line.startswith("//") else None
    if found is None:
        return None
    moment, subject = found.groups()
    operation = None
    if (with_operation := _OPERATION.fullmatch(subject)) is not None:
        subject, name, symbol = with_operation.groups()
        operation = OperationName(name, symbol and symbol.strip('"'))
    with_text = _NAME_AND_TEXT.fullmatch(subject)
    match = with_text or _NAME_AND_ARGUMENT.fullmatch(subject)
    assert match is not None  # the second expression takes every text
    name, failed, text = match.groups()
    if (
        text == f"unknown<{name}>"
    ):  # a pass without an argument, which LLVM 22 leaves out
        text = name
    return DumpHeader(
        is_after=moment == "After",
        pass_name=name,
        pass_text=text or name,
        has_options=with_text is not None,
        has_failed=failed is not None,
        operation=operation,
    )
