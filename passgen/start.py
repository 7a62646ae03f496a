"""The program `passgen`: done at once where nothing changed, else `cli`.

`cli` and what it needs take longer to import than it takes to see that there is nothing
to do. All else, such as an output that cannot be printed, is left to `cli`.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from passgen import build_stamp


def main() -> int:
    """Run `passgen` with the process's arguments; return the exit code."""
    try:
        call = build_stamp.Call(sys.argv[1:], Path.cwd(), time.time_ns())
        finished = build_stamp.up_to_date(call)
        if finished is not None and not finished.messages:
            sys.stdout.write("".join(f"{line}\n" for line in finished.lines))
            sys.stdout.flush()
            return 0
    except (OSError, ValueError, AttributeError):
        pass  # `cli` meets the same, and says what it is
    from passgen import cli  # noqa: PLC0415 - see above

    return cli.main()
