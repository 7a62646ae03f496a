"""LLVM's `split-file`: writes the parts of a file as files in a folder.

    split-file [--leading-lines] FILE FOLDER

A line such as `//--- NAME` or `#--- NAME` begins the part that becomes `FOLDER/NAME`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

_BEGIN: Final = re.compile(r"(?://|(?!//).)--- (.*)")


def main(arguments: Sequence[str]) -> int:
    """Write the parts; return the exit code."""
    paths = [Path(argument) for argument in arguments if not argument.startswith("-")]
    if len(paths) != 2:  # noqa: PLR2004 - as the usage says
        sys.exit("usage: split-file [--leading-lines] FILE FOLDER")
    source, folder = paths
    parts: dict[str, str] = {}
    name = ""
    try:
        text = source.read_bytes().decode()
        for number, line in enumerate(text.splitlines(keepends=True), 1):
            if begin := _BEGIN.fullmatch(line.rstrip("\r\n")):
                name = begin[1]
                if name != name.strip() or name in {"", *parts}:
                    sys.exit(f"{source}:{number}: error: '{name}' is no new name")
                parts[name] = "\n" * number if "--leading-lines" in arguments else ""
            elif name:
                parts[name] += line
        if not parts:
            sys.exit(f"{source}:1: error: no line such as '//--- NAME' begins a part")
        for name, part in parts.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(part.encode())
    except (OSError, ValueError) as error:
        sys.exit(f"split-file: error: {error}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
