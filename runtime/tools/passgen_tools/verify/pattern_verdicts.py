"""The verdicts about the patterns of some passes, for reports of all kinds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from passgen_runtime.context import Context
from passgen_runtime.patterns import Patterns, RewritePattern
from passgen_tools.verify.judgements import Judgement
from passgen_tools.verify.verification import verify_patterns


@dataclass(frozen=True)
class PatternVerdicts:
    """The verdicts about a pattern."""

    pass_name: str
    pass_class: type[Patterns]
    pattern: RewritePattern
    place: str
    """The place of the pattern in its spec."""

    judgements: list[Judgement]

    @property
    def name(self) -> str:
        """The name of the pattern."""
        return self.pattern.name

    @property
    def duration_s(self) -> float:
        """How long it took to judge it."""
        return sum(judgement.duration_s for judgement in self.judgements)


def verdicts_of_pass(
    name: str, pass_class: type[Patterns], context: Context, timeout_s: float
) -> Iterator[PatternVerdicts]:
    """Yield the verdicts about each pattern of a pass.

    Args:
        name: of the pass.
        pass_class: has the patterns.
        context: of the IR library.
        timeout_s: the time limit for each pattern.

    Raises:
        PassError: a function is missing.
    """
    judgements: dict[str, list[Judgement]] = {
        pattern.name: [] for pattern in pass_class.patterns
    }
    for judgement in verify_patterns(pass_class, context, timeout_s):
        judgements[judgement.pattern].append(judgement)
    for pattern in pass_class.patterns:
        file = pattern.file or pass_class.declared_in
        place = f"{file}:{pattern.line}"
        found = judgements[pattern.name]
        yield PatternVerdicts(name, pass_class, pattern, place, found)
