"""`passgen-opt`, and the driver of a dialect author's own tool."""

from passgen_runtime.opt.driver import console_main, main
from passgen_runtime.passes import shipped_registry

__all__ = ["console_main", "main", "shipped_registry"]
