"""Prints what MLIR makes of a pass of each class: one line of JSON for each text.

A pass that ends its process while MLIR prints it prints nothing: so a child prints it.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from typing import Any, Final

from passgen_runtime.ir.mlir import passes
from passgen_runtime.ir.mlir.bindings import Bindings, bindings_of

LEGAL: Final[dict[str, object]] = {
    "op-pipelines": "any(cse)",
    "pipeline": "cse",
    "client-api": "opencl",
}
"""Values of options that take only some texts."""


def other_value(field: dataclasses.Field[Any]) -> object:
    """Return a legal value of an option that is not its default."""
    type_ = field.metadata.get("listOf") or field.metadata["type"]
    value: object
    if type_ == "bool":
        value = not field.default
    elif type_ == "enum":
        values = field.metadata["values"]
        value = next((value for value in values if value != field.default), values[0])
    elif type_ in {"string", "pipeline"}:
        value = LEGAL.get(field.metadata["argument"], "a")
    else:
        value = 0.5 if type_ == "double" else 7
    return [value] if "listOf" in field.metadata else value


def printed(bindings: Bindings, text: str) -> str | None:
    """Return the text as MLIR prints it; `None` if that ends the process."""
    read_end, write_end = os.pipe()
    if not os.fork():
        manager = bindings.passmanager.PassManager.parse(text, bindings.scratch)
        os.write(write_end, str(manager).encode())
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end) as stream:
        shown = stream.read()
    return None if os.wait()[1] else shown


def main() -> None:
    """Print `[text, error, text of MLIR]` for defaults, and for each option once."""
    bindings = bindings_of("mlir")
    for pass_class in passes.passes:
        options = dataclasses.fields(pass_class)
        given = [{field.name: other_value(field)} for field in options]
        for values in ({}, *given):
            text = f"any({pass_class(**values)})"
            try:
                bindings.passmanager.PassManager.parse(text, bindings.scratch)
            except ValueError as error:
                line = [text, str(error), None]
            else:
                line = [text, "", printed(bindings, text)]
            sys.stdout.write(f"{json.dumps(line)}\n")


if __name__ == "__main__":
    main()
