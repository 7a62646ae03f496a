"""The model of a pass group, independent of YAML and of target languages.

Every entity is immutable, has its location in the spec, and is complete: `resolve` has
applied the defaults. Fields have the names of MLIR's `PassBase.td` in snake case if
they mean the same. The types exclude entities of the wrong form; rules about more than
one entity are in `checks`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from passgen.model.constraints import (
    NO_FORMS,
    UNCONSTRAINED,
    Constraints,
    FormRules,
    Ignore,
    Name,
)
from passgen.model.cpp import (
    REGULAR_GROUP,
    REGULAR_PASS,
    REGULAR_STATISTIC,
    CppGroup,
    CppPass,
    CppStatistic,
)
from passgen.model.examples import Example
from passgen.model.forms import Form
from passgen.model.ir_libraries import IR_LIBRARIES, IRLibrary
from passgen.model.options import Option
from passgen.model.patterns import (
    DEFAULT_DRIVER,
    NativeFunction,
    PatternDriver,
    RewritePattern,
)
from passgen.model.pipelines import Analysis, Bundle, Element
from passgen.model.remarks import Remark
from passgen.source import Location

AnchorKind: TypeAlias = Literal["operation", "interface"]
StatisticKind: TypeAlias = Literal["sum", "maximum"]


@dataclass(frozen=True)
class Anchor:
    """The operations that a pass runs on: of one type, or all with an interface."""

    kind: AnchorKind
    name: str
    """`func.func`, or `FunctionOpInterface`."""

    location: Location


@dataclass(frozen=True)
class Statistic:
    """A counter that a pass keeps while it runs (MLIR's `Statistic`)."""

    name: str
    """The variable's name in camelCase."""

    display_name: str
    """The name in reports; never empty."""

    description: str
    location: Location
    kind: StatisticKind = "sum"
    cpp: CppStatistic = REGULAR_STATISTIC
    ignores: tuple[Ignore, ...] = ()

    @property
    def is_maximum(self) -> bool:
        """Whether it keeps the largest value of a pass, and no sum."""
        return self.kind == "maximum"


@dataclass(frozen=True)
class Pass:
    """The declaration of one pass."""

    name: str
    """PascalCase, unique in the group; the stem of every generated name."""

    argument: str
    """The name in a textual pipeline, unique in the group."""

    summary: str
    """One line; may be empty."""

    description: str
    """Markdown without a trailing line end; may be empty."""

    anchor: Anchor | None
    """`None`: op-agnostic, or unknown."""

    dependent_dialects: tuple[Name, ...]
    """Namespaces of the dialects whose entities the pass may create."""

    constructor: str
    """`module:Class` of the implementation; may be empty."""

    options: tuple[Option, ...]
    """Options and list options in the order of the spec."""

    statistics: tuple[Statistic, ...]
    location: Location
    """The place of the pass's name."""

    argument_location: Location
    summary_location: Location
    constructor_location: Location
    """The place of the constructor, or of the pass if it has none."""

    unknown_anchor: str = ""
    """The operation class or base class, if only C++ says what it runs on; or empty."""

    native: bool = False
    """Whether a library that the spec does not name has the pass, in C++."""

    required: bool = False
    """Whether bisection must not skip it."""

    idempotent: bool = False
    """Whether a second run of it changes nothing, so that the runtime may skip it."""

    remarks: tuple[Remark, ...] = ()
    examples: tuple[Example, ...] = ()
    patterns: tuple[RewritePattern, ...] = ()
    """The rewrite patterns that the pass applies; a pass without any has code."""

    driver: PatternDriver = DEFAULT_DRIVER
    native_constraints: tuple[NativeFunction, ...] = ()
    native_rewrites: tuple[NativeFunction, ...] = ()
    """The functions that the patterns call."""

    semantics: tuple[NativeFunction, ...] = ()
    """The functions that compute the results of operations, by the operations."""

    deprecated: str = ""
    """What to use instead, or why not to use it; empty unless it is deprecated."""

    constraints: Constraints = UNCONSTRAINED
    cpp: CppPass = REGULAR_PASS
    ignores: tuple[Ignore, ...] = ()

    @property
    def needs_class(self) -> bool:
        """Whether a class must implement it that the spec does not name."""
        return not (self.constructor or self.native or self.patterns)

    @property
    def details(self) -> str:
        """The description, unless it is the summary again."""
        repeats = self.description.strip().rstrip(".") == self.summary.rstrip(".")
        return "" if repeats else self.description

    @property
    def operation(self) -> str:
        """The operation that it is restricted to, if any."""
        return self.anchor.name if self.anchor and not self.interface else ""

    @property
    def unknown_anchor_kind(self) -> str:
        """The words for the class that is `unknown_anchor`."""
        is_base = self.unknown_anchor == " ".join((self.cpp.base_class or "").split())
        return "base class" if is_base else "operation class"

    @property
    def described_unknown_anchor(self) -> str:
        """Its `unknown_anchor` with the kind of class; empty if it has none."""
        kind, class_name = self.unknown_anchor_kind, self.unknown_anchor
        return f"{kind} {class_name}" if class_name else ""

    @property
    def interface(self) -> str:
        """The interface that it is restricted to, if any."""
        is_interface = self.anchor and self.anchor.kind == "interface"
        return self.anchor.name if self.anchor and is_interface else ""


@dataclass(frozen=True)
class ExternalPass:
    """A pass that is declared elsewhere, as far as pipelines need to know it."""

    argument: str
    anchor: Anchor | None
    """`None`: unknown, or op-agnostic."""

    constraints: Constraints
    location: Location
    cpp_constructor: str = ""
    """The C++ expression that makes the pass; empty: it is found by its argument."""


@dataclass(frozen=True)
class Pipeline:
    """A named pipeline."""

    name: str
    """PascalCase, unique in the group; the stem of every generated name."""

    argument: str
    summary: str
    description: str
    """Markdown; may be empty."""

    anchor: Anchor | None
    """The operation that the pipeline runs on; `None`: any."""

    options: tuple[Option, ...]
    elements: tuple[Element, ...]
    location: Location
    """The place of the pipeline's name."""

    argument_location: Location
    forms: FormRules = NO_FORMS
    ignores: tuple[Ignore, ...] = ()

    @property
    def operation(self) -> str:
        """The operation that it is restricted to, if any."""
        return self.anchor.name if self.anchor else ""


@dataclass(frozen=True)
class OperationClass:
    """The Python class of an operation that passes run on."""

    name: str
    """`gpu.module`."""

    python: str
    """`module:Class`."""

    location: Location
    python_location: Location


@dataclass(frozen=True)
class PassGroup:
    """The declarations of one spec file."""

    name: str
    """The `Affine` of `registerAffinePasses`; empty for `registerPasses`."""

    summary: str
    """One line, may be empty."""

    description: str
    passes: tuple[Pass, ...]
    location: Location
    """The place of the spec's first key."""

    analyses: tuple[Analysis, ...] = ()
    forms: tuple[Form, ...] = ()
    """Its own, those of included files, and those that it declares as external."""

    external_passes: tuple[ExternalPass, ...] = ()
    bundles: tuple[Bundle, ...] = ()
    pipelines: tuple[Pipeline, ...] = ()
    cpp: CppGroup = REGULAR_GROUP
    ir: str = ""
    """The name of the IR library that the passes are written for; empty for any."""

    operations: tuple[OperationClass, ...] = ()
    """The classes of operations that the spec names, for type checkers."""

    ignores: tuple[Ignore, ...] = ()
    lint_rules: tuple[Name, ...] = ()
    """The rules of `passgen lint` that hold on request."""

    included: tuple[str, ...] = ()
    """The paths of the files that the spec includes."""

    file_title: str = ""
    """The name of the spec's file in PascalCase."""

    @property
    def title(self) -> str:
        """The name for headings and files: a group may have none."""
        return self.name or self.file_title

    @property
    def library(self) -> IRLibrary | None:
        """The library of the IR that the passes are written for, if there is one."""
        return IR_LIBRARIES.get(self.ir)

    @property
    def own_forms(self) -> tuple[Form, ...]:
        """The forms that generated code defines: all but external ones."""
        return tuple(form for form in self.forms if not form.python)

    @property
    def listed_forms(self) -> tuple[Form, ...]:
        """Its own forms that list operations and dialects, which C++ can verify."""
        return tuple(form for form in self.own_forms if form.meaning.is_inherited)

    @property
    def options(self) -> tuple[Option, ...]:
        """The options of all passes and pipelines."""
        owners: tuple[Pass | Pipeline, ...] = (*self.passes, *self.pipelines)
        return tuple(option for owner in owners for option in owner.options)

    @property
    def all_ignores(self) -> tuple[Ignore, ...]:
        """The ignores of the group and of all its parts; shared parts repeat theirs."""
        parts: list[
            Pass | Statistic | Remark | RewritePattern | Bundle | Pipeline | Option
        ]
        parts = []
        for pass_ in self.passes:
            parts += (pass_, *pass_.statistics, *pass_.remarks, *pass_.patterns)
        parts += (*self.bundles, *self.pipelines, *self.options)
        return (*self.ignores, *(ignore for part in parts for ignore in part.ignores))
