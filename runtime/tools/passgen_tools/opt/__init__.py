"""`passgen-opt`, and the driver of a dialect author's own tool."""

from passgen_runtime.passes import shipped_registry
from passgen_tools.opt.command_line import (
    Flag,
    UsageError,
    choice,
    destination,
    names,
    number,
    switch,
    text,
)
from passgen_tools.opt.default_parts import DEFAULT_PARTS
from passgen_tools.opt.driver_part import DriverCall, DriverPart, DriverRun
from passgen_tools.opt.main import console_main, main

__all__ = [
    "DEFAULT_PARTS",
    "DriverCall",
    "DriverPart",
    "DriverRun",
    "Flag",
    "UsageError",
    "choice",
    "console_main",
    "destination",
    "main",
    "names",
    "number",
    "shipped_registry",
    "switch",
    "text",
]
