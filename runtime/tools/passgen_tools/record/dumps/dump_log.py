"""Logs with IR dumps, which MLIR-based tools print to standard error."""

from __future__ import annotations

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias, cast

from passgen_runtime.diagnostics import Diagnostic, Severity
from passgen_runtime.instrumentations.dump_header import DumpHeader, parse_dump_header
from passgen_tools.record.dumps.ir_table import StoredIR

_DIAGNOSTIC: Final = re.compile(
    r"(\S.*?:\d+:\d+|<unknown>:0|loc\(.*?\)): (error|warning|remark|note): (.*)"
)
_RESOURCES: Final = "{-#"
_BLANK_LINES_AFTER_OUTERMOST: Final = 2


OperationPath: TypeAlias = tuple[str, ...]
"""The names of nested operations, outermost first; empty for the outermost one."""


@dataclass(slots=True, eq=False)
class Dump:
    """The IR before or after a pass."""

    header: DumpHeader
    ir: StoredIR
    is_outermost: bool
    """Whether two blank lines follow, as after an outermost operation."""

    path: OperationPath = ()
    """The path of the operation, which `Operations` sets."""


Event: TypeAlias = Dump | Diagnostic


def read_log(
    lines: Iterable[bytes], store: Callable[[str], StoredIR]
) -> tuple[list[Event], bool]:
    """Return the events of a log, and whether it ends within a dump.

    An incomplete dump at the end is dropped.

    Args:
        lines: the lines with their line ends; invalid UTF-8 is replaced.
        store: stores the text of a dump.
    """
    events: list[Event] = []
    dump: _OpenDump | None = None
    for data in lines:
        line = data.decode(errors="replace").rstrip("\r\n").removeprefix("\ufeff")
        header = parse_dump_header(line)
        if dump is not None and (header is not None or not dump.takes(line)):
            events += dump.close(store)
            dump = None
        if header is not None:
            dump = _OpenDump(header)
        elif dump is None and (found := _DIAGNOSTIC.fullmatch(line)) is not None:
            location, severity, message = found.groups()
            events.append(Diagnostic(cast("Severity", severity), message, location))
    if dump is None:
        return events, False
    if dump.is_whole:
        events += dump.close(store)
    return events, not dump.is_whole


class _OpenDump:
    """A dump whose lines are being read."""

    def __init__(self, header: DumpHeader) -> None:
        self._header = header
        self._lines: list[str] = []
        self._num_blank = 0
        self._is_in_resources = False

    def takes(self, line: str) -> bool:
        """Read `line` if it belongs to the dump; return whether it does.

        A dump ends with one blank line after a line that is not indented, or with two
        for an outermost operation. Resources may follow one blank line.
        """
        if self._is_in_resources:
            self._is_in_resources = line != "#-}"
            self._lines.append(line)
            return True
        if not line and not self._lines:
            return False
        if not line and not self._is_inside:
            self._num_blank += 1
            return self._num_blank <= _BLANK_LINES_AFTER_OUTERMOST
        if self._num_blank:
            if line != _RESOURCES or self._num_blank != 1:
                return False
            self._num_blank = 0
            self._is_in_resources = True
            self._lines.append("")
        self._lines.append(line)
        return True

    @property
    def _is_inside(self) -> bool:
        """Whether the last line is indented or blank, or there is none."""
        return not self._lines or self._lines[-1][:1] in {"", " ", "\t"}

    @property
    def is_whole(self) -> bool:
        """Whether the dump is complete if the log ends here."""
        if self._num_blank:
            return True
        ends = bool(self._lines) and self._lines[-1].startswith(("}", "#-}"))
        return ends and not self._is_in_resources

    def close(self, store: Callable[[str], StoredIR]) -> Iterator[Dump]:
        """Yield the dump, unless it has no IR."""
        if not any(self._lines):
            return
        yield Dump(
            self._header,
            ir=store("\n".join(self._lines)),
            is_outermost=self._num_blank >= _BLANK_LINES_AFTER_OUTERMOST,
        )


def lines_of_tree(folder: Path) -> Iterator[bytes]:
    """Yield the lines of all files that `--mlir-print-ir-tree-dir` wrote, in order.

    The numbers in a file's name order the dumps of the operation and its parents.
    """

    def order(path: Path) -> tuple[tuple[int, ...], str]:
        numbers = re.match(r"(?:\d+_)+", path.name)
        counts = numbers[0].split("_")[:-1] if numbers else []
        return tuple(map(int, counts)), str(path.relative_to(folder))

    for path in sorted(folder.rglob("*.mlir"), key=order):
        yield from lines_of_file(path)


def lines_of_file(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file as UTF-8; some shells write UTF-16."""
    with path.open("rb") as file:
        if file.read(2) not in {BOM_UTF16_LE, BOM_UTF16_BE}:
            file.seek(0)
            yield from file
            return
    with path.open(encoding="utf-16", errors="replace", newline="\n") as text:
        for line in text:
            yield line.encode(errors="replace")
