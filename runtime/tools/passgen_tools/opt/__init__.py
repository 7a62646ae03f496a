"""`passgen-opt`, and the driver of a dialect author's own tool."""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen_runtime.passes import shipped_registry as shipped_registry
from passgen_tools.opt.command_line import (
    Flag as Flag,
    UsageError as UsageError,
    choice as choice,
    destination as destination,
    names as names,
    number as number,
    switch as switch,
    text as text,
)
from passgen_tools.opt.default_parts import DEFAULT_PARTS as DEFAULT_PARTS
from passgen_tools.opt.driver_part import (
    DriverCall as DriverCall,
    DriverPart as DriverPart,
    DriverRun as DriverRun,
)
from passgen_tools.opt.main import console_main as console_main, main as main
