"""The interface of patterns to an IR library, and to the code that applies them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, TypeAlias

from passgen_runtime.context import Operation
from passgen_runtime.instrumentations.pattern_hooks import PatternHook
from passgen_runtime.operation_pass import Pass
from passgen_runtime.patterns.filled_text import FilledText
from passgen_runtime.patterns.functions import NativeFunctions
from passgen_runtime.patterns.graph import PatternGraph
from passgen_runtime.patterns.ir_reader import IRReader, Type, Value
from passgen_runtime.patterns.rewrite_pattern import PatternDriver, PatternError

MayApply: TypeAlias = Callable[[str, Operation], bool]
"""Returns whether a pattern, given by name, may be applied to an operation."""


Watch: TypeAlias = tuple[Pass, PatternHook]
"""A pass that applies patterns, and the hook that makes each attempt of it."""


@dataclass(frozen=True, slots=True)
class ParsedExample:
    """Operations of an example, and the values in them."""

    module: Operation
    """The module around them; it defines the free values."""

    operations: Sequence[Operation]
    names: Mapping[Value, str]
    """The names of all values, those of results as `%r#1` if they share one."""


_NO_MISSES: Final = "the IR library explains no matches"


class PatternLibrary(IRReader):
    """The interface of patterns to the IR library of a context."""

    def why_not(self) -> str:
        """Return why the library cannot apply patterns at all; empty if it can."""
        return ""

    why_no_misses: str = _NO_MISSES
    """Why the library does not explain matches that fail; empty if it does."""

    @abstractmethod
    def parse_example(
        self, example: FilledText, known: Mapping[str, Type]
    ) -> ParsedExample:
        """Parse an example, and find out the types of its free values.

        Args:
            example: the text.
            known: types of free values that are known.

        Raises:
            IRError: it does not parse or verify; the place is that in `example.text`.
            UnknownTypeError: the type of a free value cannot be found out.
        """

    @abstractmethod
    def parse_pdl(self, text: str, name: str) -> Operation:
        """Return the module in a text in PDL.

        Raises:
            IRError: it does not parse.
        """

    @abstractmethod
    def parse_type(self, text: str) -> Type:
        """Return the type that a text stands for.

        Raises:
            IRError: it stands for none.
        """

    @abstractmethod
    def check(self, graph: PatternGraph) -> None:
        """Check that the library can apply a pattern.

        Raises:
            PatternError: it cannot.
        """

    @abstractmethod
    def applier(
        self,
        graphs: Sequence[PatternGraph],
        functions: NativeFunctions,
        driver: PatternDriver,
    ) -> PatternApplier:
        """Return an applier of patterns."""


@dataclass(frozen=True, slots=True)
class NearMiss:
    """An operation that a pattern does not match."""

    root: Operation
    num_steps: int
    """The number of steps of the match that held."""

    problem: str
    """What was found, and what was expected."""

    place: str
    """The place of what did not match in the spec."""

    operation: Operation
    """The operation where it stood."""


class PatternApplier(ABC):
    """Applies patterns to IR; one object serves all runs and threads of a context."""

    always_counts: ClassVar[bool]
    """Whether it costs nothing to count applications."""

    why_no_misses: str = _NO_MISSES
    """The same of its library."""

    graphs: Sequence[PatternGraph]
    """In decreasing order of benefit."""

    @abstractmethod
    def apply(
        self,
        operation: Operation,
        counts: dict[str, int] | None,
        may_apply: MayApply | None,
        watch: Watch | None = None,
    ) -> str | None:
        """Apply the patterns inside `operation`.

        Return the limit within which they did not converge; empty if they did, and
        `None` if they are known to have changed nothing.

        Args:
            operation: the operation around those to rewrite.
            counts: how often each pattern was applied; rises.
            may_apply: asked before each rewrite.
            watch: makes each attempt that the library lets it see.
        """

    def explain(self, name: str, root: Operation) -> tuple[bool, NearMiss | None]:
        """Return whether a pattern matches at `root`, and else why it does not.

        `None` if `root` is another operation than the pattern starts from.

        Raises:
            PatternError: the library does not explain matches.
        """
        del root
        message = f"pattern '{name}' cannot be explained on this IR"
        raise PatternError(f"{message}: {self.why_no_misses}")


class UnknownTypeError(Exception):
    """The type of a free value cannot be found out; the argument is its name."""
