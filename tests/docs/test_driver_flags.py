"""`docs/driver.md` lists every flag of the driver, and every one that it refuses."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from passgen_runtime.command_line import Flag, dashed
from passgen_runtime.opt_flags import FLAGS
from passgen_runtime.opt_refused_flags import REFUSED_FLAGS

PAGE = Path(__file__).parents[2] / "docs/driver.md"
HERE_ONLY = frozenset(
    {
        "audit",
        "complete",
        "completion",
        "help-pass",
        "ir",
        "list-plugins",
        "mlir-print-ir-initial",
    }
)
"""Flags that `mlir-opt` lacks; tests/differential compares them with its own."""


def test_flags_are_listed(golden: Callable[[Path, str], None]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    text = _with_table(text, "flags", map(_row, filter(lambda flag: flag.help, FLAGS)))
    reasons: dict[str, list[str]] = {}
    for name, reason in REFUSED_FLAGS.items():
        reasons.setdefault(reason, []).append(f"`{dashed(name)}`")
    rows = ((", ".join(names), reason) for reason, names in reasons.items())

    golden(PAGE, _with_table(text, "refused", rows))


def _row(flag: Flag) -> tuple[str, ...]:
    names = (name for name in (flag.name, *flag.aliases) if not _is_implied(flag, name))
    spelled = ", ".join(f"`{dashed(name)}`" for name in names)
    shown = "\\|".join(flag.choices) or flag.metavar
    default = "" if flag.default is None else f" (default: `{flag.default}`)"
    origin = "here only" if flag.name in HERE_ONLY else "as `mlir-opt`"
    return (spelled, f"`{shown}`" if shown else "", f"{flag.help}{default}", origin)


def _is_implied(flag: Flag, name: str) -> bool:
    return f"mlir-{name}" == flag.name


def _with_table(text: str, name: str, rows: Iterable[tuple[str, ...]]) -> str:
    heads = {
        "flags": ("flag", "value", "what it does", "origin"),
        "refused": ("flags", "why"),
    }[name]
    lines = [heads, ("---",) * len(heads), *rows]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    before, mark, rest = text.partition(f"<!-- {name} -->\n")
    assert mark
    _, end, after = rest.partition("<!-- end -->")
    return f"{before}{mark}\n{table}\n\n{end}{after}"
