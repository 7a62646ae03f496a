"""The flags of `mlir-opt` that `passgen-opt` refuses, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_REASONS: Final[Mapping[str, tuple[str, ...]]] = {
    "the IR here has no bytecode": (
        "emit-bytecode",
        "emit-bytecode-version",
        "elide-resource-data-from-bytecode",
    ),
    "dialects come from Python packages: give yours to passgen_tools.opt.main": (
        "load-dialect-plugin",
        "irdl-file",
    ),
    "--trace writes the times of passes": ("profile-actions-to",),
    "the debugger is Python's: --break-at opens it": ("mlir-enable-debugger-hook",),
    "--pattern-bisect-limit skips applications of declared patterns, and counts them": (
        "mlir-debug-counter",
        "mlir-print-debug-counter",
    ),
    "values are named while they are printed, after their operands": (
        "mlir-print-value-users",
        "print-value-users",
    ),
}

REFUSED_FLAGS: Final[Mapping[str, str]] = {
    name: reason for reason, names in _REASONS.items() for name in names
}
"""Why `passgen-opt` lacks each of these flags, by name."""
