"""What tests have made of mutants, and the prover of those that they let pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import new_class
from typing import Literal

from passgen_runtime.context import Context
from passgen_runtime.errors import PassError
from passgen_runtime.operation_pass import Pass
from passgen_runtime.patterns import Patterns
from passgen_tools.mutants.mutant import Mutant
from passgen_tools.verify import verify_patterns

MutantVerdict = Literal["killed", "equivalent", "survived", "unknown", "not run"]
"""`unknown` survives as well, and may be equivalent."""

_COPIED = ("native_constraints", "native_rewrites", "semantics", "pattern_driver")
_PROVED = {"proved", "proved-for-constants"}
_TIMEOUT_S = 20.0


@dataclass(frozen=True)
class MutantResult:
    """What the tests that reach it have made of a mutant."""

    mutant: Mutant
    verdict: MutantVerdict
    test: str
    """The test that has noticed it, or else the nearest one; empty if none is near."""

    reason: str = ""


def is_equivalent(
    mutant: Mutant, pass_class: type[Pass], context: Context
) -> bool | None:
    """Return whether a mutant is proved to do the same; `None` if that is unknown.

    It is if it matches the same, and what it makes is right for all integers. A right
    pattern that matches something else does something else.
    """
    if mutant.pattern is None or not issubclass(pass_class, Patterns):
        return None
    if not mutant.keeps_match:
        return False
    members = {name: getattr(pass_class, name) for name in _COPIED}
    members["patterns"] = (mutant.pattern,)
    changed = new_class(
        pass_class.__name__, (Patterns,), exec_body=lambda own: own.update(members)
    )
    try:
        verdicts = {
            judgement.verdict
            for judgement in verify_patterns(changed, context, _TIMEOUT_S)
        }
    except PassError:
        return None
    if "wrong" in verdicts:
        return False
    return True if verdicts and verdicts <= _PROVED else None


def share_noticed(results: Sequence[MutantResult]) -> tuple[int, int]:
    """Return how many mutants tests notice, and how many they should."""
    counts = Counter(result.verdict for result in results)
    return counts["killed"], len(results) - counts["equivalent"]


def result_lines(results: Sequence[MutantResult]) -> Iterator[str]:
    """Yield the counts of mutants, and below them those that no test has noticed."""
    counts = Counter(result.verdict for result in results)
    listed = [f"{verdict}: {count}" for verdict, count in sorted(counts.items())]
    yield ", ".join((f"mutants: {len(results)}", *listed))
    for result in results:
        if result.verdict != "killed":
            yield from _lines(result)


def _lines(result: MutantResult) -> Iterator[str]:
    mutant = result.mutant
    yield f"{mutant.place}: {result.verdict}: {mutant.subject}: {mutant.description}"
    if result.reason:
        yield f"  {result.reason}"
    yield f"  nearest test: {result.test}" if result.test else "  no test reaches it"
