"""LLVM's `count`: checks how many lines it reads.

count LINES <FILE
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

_EXIT_USAGE = 2


def main(arguments: Sequence[str]) -> int:
    """Compare the number of lines; return the exit code."""
    if len(arguments) != 1:
        sys.stderr.write("usage: count LINES <FILE\n")
        return _EXIT_USAGE
    (wanted,) = arguments
    if not (wanted.isascii() and wanted.isdigit()):
        message = f"found '{wanted}', expected a number of lines"
        sys.stderr.write(f"count: error: {message}\n")
        return _EXIT_USAGE
    found = sum(block.count(b"\n") for block in iter(_read_block, b""))
    if found != int(wanted):
        sys.stderr.write(f"Expected {int(wanted)} lines, got {found}.\n")
        return 1
    return 0


def _read_block() -> bytes:
    return sys.stdin.buffer.read(1 << 20)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
