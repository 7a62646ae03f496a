"""Checks around attempts to apply patterns: the rules, and who checks them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Final, NamedTuple

from passgen_runtime.context import Operation
from passgen_runtime.instrumentations.pattern_hooks import PatternAttempt

CHANGES_SOMETHING: Final = "a pattern that reports success has changed the IR"
CHANGES_NOTHING: Final = "a pattern that does not match changes nothing"
BY_REWRITER: Final = "a pattern changes the IR by its rewriter, or notifies it"
VALID_BETWEEN: Final = "the IR is valid whenever a pattern has been applied"
NO_USE_OF_ERASED: Final = (
    "a pattern does not use an operation that was replaced or erased"
)
UNDOES_NOTHING: Final = "no pattern undoes what a pattern has done"

PATTERN_RULES: Final = (
    CHANGES_SOMETHING,
    CHANGES_NOTHING,
    BY_REWRITER,
    VALID_BETWEEN,
    NO_USE_OF_ERASED,
    UNDOES_NOTHING,
)


class Finding(NamedTuple):
    """A rule that a pattern breaks, and what it did."""

    rule: str
    found: str
    """It goes on after the name of the pattern: `reports success, ...`."""

    origin: Operation = None
    """The operation in the source that the one of the attempt was made from."""


class PatternChecks(ABC):
    """Looks at attempts to apply patterns, for one audit."""

    unchecked: Mapping[str, str] = {}
    """The rules that cannot be checked on this IR, or in part, and the reasons."""

    @abstractmethod
    def around(self, attempt: PatternAttempt, found: list[Finding]) -> bool:
        """Make an attempt, and add what was wrong in it to `found`.

        It returns what the `run` of the attempt returns, and raises what it raises.
        """

    def forget(self) -> None:  # noqa: B027 - not all remember any
        """Forget all operations: another pass begins."""
