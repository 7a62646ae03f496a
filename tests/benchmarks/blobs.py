"""What reading and printing IR with a large blob costs on xDSL's IR.

    python -m tests.benchmarks.blobs [--megabytes N]

A blob stands where IR can have one: in a resource of a dialect, in an external resource,
in dense elements behind a text that looks like the start of a section, and in the
pipeline of a reproducer. Prints the seconds to parse each, and to print it again; they
grow as the blob does.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Final

from passgen_runtime.ir.xdsl import XDSLContext

_RESOURCE: Final = """\
"test.op"() {{a = dense_resource<key> : tensor<{size}xi8>}} : () -> ()
{{-# dialect_resources: {{ builtin: {{ key: "0x01000000{digits}" }} }} #-}}"""
_EXTERNAL: Final = """\
{{-# external_resources: {{ mine: {{ "a key": "0x01000000{digits}" }} }} #-}}"""
_DENSE: Final = """\
"test.op"() {{a = "{{-#", b = dense<"0x{digits}"> : tensor<{size}xi8>}} : () -> ()"""
_REPRODUCER: Final = """\
{{-# external_resources: {{ mlir_reproducer: {{ pipeline: "any({digits})" }} }} #-}}"""

PLACES: Final = {
    "resource of a dialect": _RESOURCE,
    "external resource": _EXTERNAL,
    "dense elements": _DENSE,
    "pipeline of a reproducer": _REPRODUCER,
}


def seconds(form: str, size: int) -> tuple[float, float]:
    """Return how long it takes to parse a blob of `size` bytes twice, and to print it."""
    text = form.format(size=size, digits=size * "0f")
    context = XDSLContext()
    begin_s = time.perf_counter()
    for _ in range(2):  # the second time, the key is known
        module = context.parse(text, "blob.mlir")
    parsed_s = time.perf_counter()
    context.print(module)
    return parsed_s - begin_s, time.perf_counter() - parsed_s


def main() -> int:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=10)
    size = parser.parse_args().megabytes * 1_000_000
    for place, form in PLACES.items():
        parse_s, print_s = seconds(form, size)
        print(f"{place}: parsed twice in {parse_s:.2f} s, printed in {print_s:.2f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
