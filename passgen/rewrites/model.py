"""A rewrite as it was read: operations, values and attributes, before they are text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from passgen.rewrites.attributes import AttributeForm, ExampleValue
from passgen.rewrites.native_code import Meaning
from passgen.rewrites.records import Operation, Rewrite
from passgen.rewrites.types import Types


@dataclass(eq=False)
class Value:
    """An operand or a result."""

    name: str
    """Empty if the rewrite does not name it."""


@dataclass(eq=False)
class Attribute:
    """An attribute that is matched, named or made."""

    name: str
    """The name in the rewrite, or that of the parameter."""

    form: AttributeForm
    literal: ExampleValue | None = None
    """The number, or the case, that it is; a number may have any type."""

    cases: tuple[ExampleValue, ...] = ()
    """What it may be, if only that."""

    made_by: Meaning | None = None
    arguments: tuple[Attribute | Value, ...] = ()
    """Those of the function that makes it."""

    is_used: bool = False
    """Whether conditions or the result depend on it."""

    is_absent: bool = False
    """Whether it must not be there."""


@dataclass(eq=False)
class Example:
    """An operation that is matched or created."""

    declaration: Operation
    operands: tuple[Value, ...]
    attributes: tuple[tuple[str, Attribute], ...]
    results: tuple[Value, ...]
    name: str = ""
    """The name in the rewrite."""


Part: TypeAlias = Value | Attribute


@dataclass(frozen=True)
class Condition:
    """A condition that a pattern states."""

    function: str
    arguments: tuple[Part, ...]
    module: str = ""
    """The module of a function in Python."""


@dataclass
class ReadRewrite:
    """A rewrite that a pattern by example can have."""

    rewrite: Rewrite
    types: Types
    before: list[Example] = field(default_factory=list)
    """The root is the last one."""

    after: list[Example] = field(default_factory=list)
    replacements: list[Value] = field(default_factory=list)
    """The values that replace the results of the root."""

    uses: dict[str, list[Value]] = field(
        default_factory=lambda: {"unused": [], "oneUse": []}
    )
    """The results that must have no uses, or one, by the key of a pattern."""

    conditions: list[Condition] = field(default_factory=list)
    containers: list[Value] = field(default_factory=list)
    """Matched values that may be vectors or tensors."""

    @property
    def root(self) -> Example:
        """The operation that is replaced."""
        return self.before[-1]
