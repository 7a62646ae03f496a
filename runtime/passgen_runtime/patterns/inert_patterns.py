"""Patterns that a run never applied."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from passgen_runtime.operation_pass import Pass
from passgen_runtime.patterns.pattern_pass import Patterns


def inert_patterns(passes: Iterable[Pass]) -> dict[str, list[str]]:
    """Return the patterns that were never applied, by the name of their pass.

    Args:
        passes: the passes of a manager that ran with `counts_optional`. The counts of
            passes of one name are added up; disabled patterns are left out.
    """
    totals: dict[str, dict[str, int]] = {}
    for pass_ in _with_dynamic(passes):
        if isinstance(pass_, Patterns):
            counts = totals.setdefault(pass_.name, {})
            for name, count in pass_.pattern_counts().items():
                counts[name] = counts.get(name, 0) + count
    found = {
        pass_name: [name for name, count in counts.items() if not count]
        for pass_name, counts in sorted(totals.items())
    }
    return {pass_name: names for pass_name, names in found.items() if names}


def inert_patterns_report(passes: Iterable[Pass]) -> str:
    """Return `inert_patterns` as text with an empty line; empty if there are none."""
    lines = [
        f"  {pass_name}: {', '.join(names)}\n"
        for pass_name, names in inert_patterns(passes).items()
    ]
    title = "Patterns that were never applied:\n"
    return f"{title}{''.join(lines)}\n" if lines else ""


def _with_dynamic(passes: Iterable[Pass]) -> Iterator[Pass]:
    """Yield `passes`, each before those of its dynamic pipelines."""
    for pass_ in passes:
        yield pass_
        for pipeline in pass_.dynamic_pipelines.values():
            yield from _with_dynamic(pipeline.passes())
