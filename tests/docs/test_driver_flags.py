"""`docs/driver.md` lists every flag of the driver, and every one that it refuses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from passgen_tools.opt.command_line import Flag, dash, flag_names
from passgen_tools.opt.default_parts import DEFAULT_PARTS
from passgen_tools.opt.driver_part import flags_of
from passgen_tools.opt.option_checks import refused_flags
from tests.docs.marked_parts import table, with_part

PAGE = Path(__file__).parents[2] / "docs/driver.md"
HERE_ONLY = frozenset(
    {
        "audit",
        "break-at",
        "complete",
        "completion",
        "contain",
        "diagnostics-format",
        "edit-ir-after",
        "executor",
        "explain-pattern",
        "help-pass",
        "ir",
        "job-timeout",
        "jobs",
        "jobs-always",
        "json",
        "list-plugins",
        "mlir-print-ir-diff",
        "mlir-print-ir-initial",
        "mlir-print-ir-pass-options",
        "no-skip",
        "pattern-bisect-limit",
        "record",
        "record-resource-hashes",
        "report",
        "resume",
        "start-from",
        "strict-order",
        "timeout",
        "trace",
        "trust-reproducer",
        "verify-determinism",
        "verify-forms",
    }
)
"""Flags that `mlir-opt` lacks; tests/differential compares them with its own."""


def test_the_generator_knows_the_names(golden: Callable[[Path, str], None]) -> None:
    names = sorted(flag_names(flags_of(DEFAULT_PARTS)))

    golden(PAGE.parents[1] / "schemas/driver-flags.txt", "\n".join((*names, "")))


def test_flags_are_listed(golden: Callable[[Path, str], None]) -> None:
    flags = map(row, filter(lambda flag: flag.help, flags_of(DEFAULT_PARTS)))
    reasons: dict[str, list[str]] = {}
    for name, reason in refused_flags().items():
        reasons.setdefault(reason, []).append(f"`{dash(name)}`")
    refused = ((", ".join(names), reason) for reason, names in reasons.items())

    text = PAGE.read_text(encoding="utf-8")
    text = with_part(text, "flags", table(("flag", "what it does"), flags))
    golden(PAGE, with_part(text, "refused", table(("flags", "why"), refused)))


def row(flag: Flag[Any]) -> tuple[str, str]:
    spelling = flag.spelling.removesuffix("[=BOOL]").replace("|", "\\|")
    default = "" if flag.default is None else f" (default: `{printed(flag.default)}`)"
    origin = "; not in `mlir-opt`" if flag.name in HERE_ONLY else ""
    return f"`{spelling}`", f"{flag.help}{default}{origin}"


def printed(default: object) -> str:
    return str(default).lower() if isinstance(default, bool) else str(default)
