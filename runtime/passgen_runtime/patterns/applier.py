"""The base of the classes that apply patterns to the IR of one library."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar, TypeAlias

from passgen_runtime.context import Context, Operation
from passgen_runtime.patterns.native_functions import NativeFunctions
from passgen_runtime.patterns.pdl import ParsedPattern
from passgen_runtime.patterns.rewrite_pattern import PatternDriver, RewritePattern

Ask: TypeAlias = Callable[[str, Operation], bool]
"""Returns whether a pattern, given by name, may be applied to an operation."""


class PatternApplier(ABC):
    """Applies patterns to IR; one object serves all runs and threads of a context."""

    always_counts: ClassVar[bool]
    """Whether counting costs nothing."""

    patterns: Sequence[ParsedPattern]
    """In decreasing order of benefit."""

    @staticmethod
    @abstractmethod
    def parse(context: Context, pattern: RewritePattern) -> ParsedPattern:
        """Return `pattern` as an operation of the IR library.

        Raises:
            PatternError: it is no pattern, or the library cannot apply it.
            IRError: its text does not parse.
        """

    @staticmethod
    @abstractmethod
    def attributes(operation: Operation) -> dict[str, str]:
        """Return the attributes of `operation`, properties included, as texts."""

    @abstractmethod
    def __init__(
        self,
        context: Context,
        patterns: Sequence[ParsedPattern],
        functions: NativeFunctions,
        driver: PatternDriver,
    ) -> None:
        """Prepare to apply `patterns`."""

    @abstractmethod
    def apply(
        self, operation: Operation, counts: dict[str, int] | None, ask: Ask | None
    ) -> str | None:
        """Apply the patterns inside `operation`.

        Return the limit within which they did not converge; empty if they did, and
        `None` if they are known to have changed nothing.

        Args:
            operation: the operation around those to rewrite.
            counts: how often each pattern was applied; rises.
            ask: asked before each rewrite.
        """
