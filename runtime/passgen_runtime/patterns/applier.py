"""The base of the classes that apply patterns to the IR of one library."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from passgen_runtime.context import Context, Operation
from passgen_runtime.patterns.pdl import ParsedPattern
from passgen_runtime.patterns.rewrite_pattern import (
    PatternDriver,
    RewritePattern,
)

NativeFunction: TypeAlias = Callable[..., Any]

NamedFunctions: TypeAlias = tuple[tuple[str, str | NativeFunction], ...]

Ask: TypeAlias = Callable[[str, Operation], bool]
"""Returns whether a pattern, given by name, may be applied to an operation."""


@dataclass(frozen=True)
class NativeFunctions:
    """The functions in Python that patterns call."""

    constraints: Mapping[str, NativeFunction]
    """They get what PDL gives them, and return whether it matches."""

    rewrites: Mapping[str, NativeFunction]
    """They get the library's rewriter, and what PDL gives them.

    They return a result, a tuple of several, or `None`.
    """

    result_types: Mapping[str, Sequence[str]]
    """The types of the results of each rewrite, such as `!pdl.attribute`."""

    def results(
        self, name: str, returned: object, classes: Mapping[str, Any]
    ) -> tuple[Any, ...]:
        """Return the results that the rewrite called `name` has returned.

        Args:
            name: of the rewrite.
            returned: its value.
            classes: the classes of results, by type.

        Raises:
            TypeError: there should be more, fewer, or others.
        """
        results = returned if isinstance(returned, tuple) else (returned,)
        if returned is None:
            results = ()
        types = self.result_types.get(name, ())
        is_right = len(results) == len(types) and all(
            isinstance(result, classes[type_])
            for result, type_ in zip(results, types, strict=True)
        )
        if not is_right:
            expected = ", ".join(types) or "nothing"
            message = f"rewrite '{name}' returned {returned!r}, expected {expected}"
            raise TypeError(message)
        return results


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
    ) -> str:
        """Apply the patterns inside `operation`.

        Return the limit within which they did not converge; empty if they did.

        Args:
            operation: the operation around those to rewrite.
            counts: how often each pattern was applied; rises.
            ask: asked before each rewrite.
        """
