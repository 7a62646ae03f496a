"""What changed for the users of MLIR's passes between two installed versions.

    python -m tests.benchmarks.llvm_versions llvm-19/include llvm-22/include

All passes of a version are one group here, so that one that moved to another file is
the same. Prints a table of the rules, and the findings from `--least` up.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

from passgen import findings
from passgen.diagnostics import SpecError, UserError
from passgen.finding_rules import DIFF_RULES
from passgen.findings import SEVERITIES, Report, compare, read_input, reports
from passgen.model import Pass, PassGroup


def passes_of(include: Path) -> PassGroup:
    """Return all passes that the `.td` files below `include` declare."""
    groups: list[PassGroup] = []
    refused = 0
    for path in sorted(include.rglob("*Passes.td")):
        try:
            groups.append(read_input(str(path)))
        except (SpecError, UserError):  # some Passes.td declare something else
            refused += 1
    passes: dict[str, Pass] = {}
    for group in groups:
        for pass_ in group.passes:
            passes.setdefault(pass_.argument, pass_)
    print(
        f"{include}: {len(passes)} passes of {len(groups)} files; "
        f"{refused} files declare none"
    )
    first = groups[0]
    return replace(first, name="MLIR", passes=tuple(passes.values()))


def print_table(report: Report) -> None:
    counts = Counter(each.rule.name for each in report.findings)
    print(f"\n{'rule':<26}{'severity':<10}{'findings':>8}")
    for rule in sorted(
        report.rules.values(), key=lambda each: SEVERITIES.index(each.severity)
    ):
        if counts[rule.name]:
            print(f"{rule.name:<26}{rule.severity:<10}{counts[rule.name]:>8}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--least", choices=SEVERITIES)
    arguments = parser.parse_args()
    start_s = time.monotonic()
    old, new = passes_of(arguments.old), passes_of(arguments.new)
    read_s = time.monotonic() - start_s
    report = findings.report("diff", DIFF_RULES, compare(old, new), [new])
    compared_s = time.monotonic() - start_s - read_s
    print_table(report)
    print(f"\n{reports.summary(report)}")
    print(f"read in {read_s:.1f} s, compared in {compared_s:.2f} s")
    if arguments.least:
        least = SEVERITIES.index(arguments.least)
        for each in report.findings:
            if SEVERITIES.index(each.rule.severity) <= least:
                print(f"{each.rule.name}: {each.message}")


if __name__ == "__main__":
    main()
