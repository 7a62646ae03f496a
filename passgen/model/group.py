"""The model of a pass group: what a spec says, free of YAML and of any target language.

Principles: every entity is immutable, carries its location, and is complete (`resolve`
has applied every default, so nothing here is "unset" unless that is itself a fact).
Field names are those of MLIR's `PassBase.td` in snake case wherever they mean the same.
The types below exclude wrong shapes; rules across entities live in `checks`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from passgen.model.constraints import UNCONSTRAINED, Constraints, Ignore
from passgen.model.cpp import (
    REGULAR_GROUP,
    REGULAR_OPTION,
    REGULAR_PASS,
    REGULAR_STATISTIC,
    CppGroup,
    CppOption,
    CppPass,
    CppStatistic,
)
from passgen.model.pipelines import Analysis, Bundle, Element
from passgen.source import Location

AnchorKind: TypeAlias = Literal["operation", "interface"]

OptionValue: TypeAlias = bool | int | float | str
"""A default: an enum's and a pipeline's are their text, as is a foreign type's."""


@dataclass(frozen=True)
class Anchor:
    """What a pass may be scheduled on: one operation type, or all with an interface."""

    kind: AnchorKind
    name: str
    """`func.func`, or `FunctionOpInterface`."""

    location: Location


@dataclass(frozen=True)
class EnumValue:
    """One allowed value of an enum option."""

    value: str
    """The text that users write in a pipeline, e.g. `greedy`."""

    description: str
    """Markdown, empty where the spec has none."""

    location: Location
    cpp: str | None = None
    """The C++ enumerator without the enum; `None`: the value in PascalCase."""


@dataclass(frozen=True)
class OptionType:
    """The type of an option, or of the elements of a list option.

    `name` is a row of `option_types`, or `foreign` for a type that is spelled per
    language: `python` is `module:NAME` of a `passgen_runtime` option type, `cpp` a
    C++ type. Python keeps the text of a type that is spelled for C++ only.
    """

    name: str
    location: Location
    enum_name: str = ""
    """The Python class of an `enum`; empty for other types."""

    values: tuple[EnumValue, ...] = ()
    """In the order of the spec; empty unless `name` is `enum`."""

    python: str = ""
    """`module:NAME`; empty unless `name` is `foreign`."""

    cpp: str = ""
    """As `python`."""


@dataclass(frozen=True)
class Option:
    """An option of a pass (MLIR's `Option`), or a list option (`ListOption`)."""

    name: str
    """The variable's name in camelCase, as in `.td` files."""

    argument: str
    """The name that users write in a pipeline."""

    type: OptionType
    is_list: bool
    default: OptionValue | None
    """`None`: the spec gives none, the value starts as zero. Lists: `None`."""

    description: str
    location: Location
    """Of the option's name."""

    argument_location: Location
    default_location: Location
    """Of the default; the option's own where it has none."""

    cpp: CppOption = REGULAR_OPTION
    ignores: tuple[Ignore, ...] = ()


@dataclass(frozen=True)
class Statistic:
    """A counter that a pass keeps while it runs (MLIR's `Statistic`)."""

    name: str
    """The variable's name in camelCase."""

    display_name: str
    """The name in reports; never empty."""

    description: str
    location: Location
    cpp: CppStatistic = REGULAR_STATISTIC
    ignores: tuple[Ignore, ...] = ()


@dataclass(frozen=True)
class DependentDialect:
    """A dialect whose entities a pass may create, by its namespace."""

    name: str
    location: Location


@dataclass(frozen=True)
class Pass:
    """The declaration of one pass."""

    name: str
    """PascalCase, unique in the group; the stem of every generated name."""

    argument: str
    """The name in a textual pipeline, unique in the group."""

    summary: str
    """One line, empty where the spec has none."""

    description: str
    """Markdown, empty where the spec has none; a trailing line end is not kept."""

    anchor: Anchor | None
    """`None`: op-agnostic."""

    dependent_dialects: tuple[DependentDialect, ...]
    constructor: str
    """`module:Class` of the implementation, imported on first use; may be empty."""

    options: tuple[Option, ...]
    """Options and list options in the order of the spec."""

    statistics: tuple[Statistic, ...]
    location: Location
    """Of the pass's name."""

    argument_location: Location
    summary_location: Location
    constructor_location: Location
    """Of the constructor; the pass's own where it has none."""

    deprecated: str = ""
    """What to use instead, or why not to use it; empty for a pass in good standing."""

    constraints: Constraints = UNCONSTRAINED
    cpp: CppPass = REGULAR_PASS
    ignores: tuple[Ignore, ...] = ()

    @property
    def scalar_options(self) -> tuple[Option, ...]:
        """The options that hold one value."""
        return tuple(option for option in self.options if not option.is_list)

    @property
    def list_options(self) -> tuple[Option, ...]:
        """The options that hold a list."""
        return tuple(option for option in self.options if option.is_list)


@dataclass(frozen=True)
class ExternalPass:
    """A pass that no spec at hand declares, and what pipelines may know of it."""

    argument: str
    anchor: Anchor | None
    """`None`: not known, or op-agnostic."""

    constraints: Constraints
    location: Location


@dataclass(frozen=True)
class Pipeline:
    """A whole pipeline under a name of its own."""

    name: str
    """PascalCase, unique in the group; the stem of every generated name."""

    argument: str
    summary: str
    description: str
    """Markdown, empty where the spec has none."""

    anchor: Anchor | None
    """The operation that it runs on; `None`: any."""

    options: tuple[Option, ...]
    elements: tuple[Element, ...]
    location: Location
    """Of the pipeline's name."""

    argument_location: Location
    ignores: tuple[Ignore, ...] = ()


@dataclass(frozen=True)
class PassGroup:
    """All passes of one spec file."""

    name: str
    """PascalCase; the `Affine` of `registerAffinePasses`."""

    summary: str
    """One line, may be empty."""

    description: str
    passes: tuple[Pass, ...]
    location: Location
    """Of the spec's first key."""

    analyses: tuple[Analysis, ...] = ()
    external_passes: tuple[ExternalPass, ...] = ()
    bundles: tuple[Bundle, ...] = ()
    pipelines: tuple[Pipeline, ...] = ()
    cpp: CppGroup = REGULAR_GROUP
    ignores: tuple[Ignore, ...] = ()
    included: tuple[str, ...] = ()
    """The paths of the files whose anchors its spec uses."""

    @property
    def all_ignores(self) -> tuple[Ignore, ...]:
        """The ignores of the group and of all its parts; shared parts repeat theirs."""
        found = list(self.ignores)
        for pass_ in self.passes:
            found += pass_.ignores
            for statistic in pass_.statistics:
                found += statistic.ignores
        for bundle in self.bundles:
            found += bundle.ignores
        options = [option for pass_ in self.passes for option in pass_.options]
        for pipeline in self.pipelines:
            found += pipeline.ignores
            options += pipeline.options
        for option in options:
            found += option.ignores
        return tuple(found)
