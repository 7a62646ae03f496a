"""Transport: operations as bytes, and contexts made again, for other processes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from passgen_runtime.context import Context, Operation

Declarations = Callable[[Operation], list[Operation] | None]
"""Returns what the verifier of an operation looks up outside of it, without the inside
of that; `None` if it cannot be given."""


class Transport(ABC):
    """Sends operations of one context to other processes, and receives them.

    An isolated operation is one without its ancestors.
    """

    def __init__(self, context: Context) -> None:
        """Carry operations of `context`."""
        self.context = context

    @classmethod
    @abstractmethod
    def make_context(cls, spec: Mapping[str, Any]) -> Context:
        """Return a new context like the one that `spec` is of.

        Raises:
            DialectError: a dialect is not there.
        """

    @abstractmethod
    def context_spec(self) -> dict[str, Any]:
        """Return plain data from which `make_context` makes a context like this one.

        `packages` in it names the packages whose versions must be the same.

        Raises:
            SchedulingError: another process cannot make one.
        """

    @abstractmethod
    def encode(self, operation: Operation) -> bytes:
        """Return `operation` as bytes, with its locations and names.

        Raises:
            IRError: it uses a value from outside.
        """

    @abstractmethod
    def decode(self, data: bytes) -> Operation:
        """Return the operation that `encode` returned as `data`, without a parent.

        The data may come from elsewhere: it holds no code, and nothing is made of it
        but IR of registered dialects.

        Raises:
            IRError: the data is damaged, or of another version or IR library, or names
                an operation, type or attribute that is not registered.
        """

    @abstractmethod
    def declarations_in(self, operation: Operation) -> Declarations:
        """Return a function that declares what children of `operation` look up."""

    @abstractmethod
    def encode_isolated(
        self, operations: Iterable[tuple[Operation, Sequence[Operation]]]
    ) -> bytes:
        """Return operations that do not see each other, for `decode_isolated`.

        Args:
            operations: each with what its verifier looks up outside; each is encoded
                before the next one is asked for.

        Raises:
            IRError: one uses a value from outside.
        """

    @abstractmethod
    def decode_isolated(self, data: bytes) -> Iterator[Operation]:
        """Yield the operations in `data`.

        The verifier finds the declarations of each until the next one is asked for.

        Raises:
            IRError: the data is damaged, or its IR is not valid.
        """

    @abstractmethod
    def take_contents(self, operation: Operation, other: Operation) -> Operation:
        """Put `other`, of `decode_isolated`, in the place of `operation`.

        Returns:
            `operation` itself with the attributes and the inside of `other`, where the
            IR library can move them; else `other`.
        """
