"""The program that writes a playground: `passgen site --playground` calls it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from passgen_runtime.diagnostics import print_message
from passgen_runtime.errors import PassError
from passgen_tools.opt.playground import write_playground


def _main() -> int:
    parser = argparse.ArgumentParser(prog="python -m passgen_tools.opt.playground")
    parser.add_argument("folder", type=Path, help="the folder to write")
    parser.add_argument("--pyodide", type=Path, required=True, metavar="DIR")
    parser.add_argument("--plugin", action="append", default=[], dest="plugins")
    parser.add_argument("--module", action="append", default=[], dest="modules")
    parser.add_argument("--first", default="", metavar="JSON")
    parser.add_argument("--title", default="passgen", help="that of the site")
    try:
        lacks = write_playground(**vars(parser.parse_args()))
    except (PassError, OSError) as error:
        print_message(f"error: {error}\n")
        return 1
    for line in lacks:
        print_message(f"warning: {line}\n")
    return 0


if __name__ == "__main__":
    sys.exit(_main())
