"""The declaration of a pass: the attributes and the schedule of its class."""

from __future__ import annotations

import inspect
from typing import ClassVar, Final, get_args

from passgen_rules.declared_tuples import refuse_text
from passgen_rules.forms import NO_FORMS, FormRules
from passgen_runtime.analysis import DeclaredAnalysis, PreservedDeclaration
from passgen_runtime.context import OperationInfo
from passgen_runtime.errors import SchedulingError, wrong_argument
from passgen_runtime.ordering_rules import OrderingRule
from passgen_runtime.pass_options import PassOptions

_NAMES_OUTSIDE: Final = "names a file, a program or a host"
"""The access of an option that declares none, as its argument suggests."""


class PassDeclaration:
    """The declaration of a pass, in attributes of its class."""

    name: ClassVar[str] = ""
    """The name in reports; by default, the name of the class."""

    argument: ClassVar[str] = ""
    """The name in a textual pipeline; a pass without one cannot be registered."""

    summary: ClassVar[str] = ""
    """One line for lists of passes."""

    anchor: ClassVar[str | None] = None
    """The operation that the pass is restricted to; `None`: no such restriction."""

    interface: ClassVar[str | None] = None
    """The op interface that the operations of an `InterfacePass` have."""

    unknown_anchor: ClassVar[str] = ""
    """The C++ class that alone knows the anchor; a pass without `anchor` cannot run."""

    dependent_dialects: ClassVar[tuple[str, ...]] = ()
    """Dialects whose entities the pass may create; loaded before passes run."""

    tags: ClassVar[tuple[str, ...]] = ()
    """Names of groups of passes, for ordering rules and insertion points."""

    ordering: ClassVar[tuple[OrderingRule, ...]] = ()
    """Requirements on the order of the pipeline; see `ordering_rules`."""

    required_analyses: ClassVar[tuple[DeclaredAnalysis, ...]] = ()
    """Analyses that the pass uses; no pass after their provider may invalidate them."""

    provided_analyses: ClassVar[tuple[DeclaredAnalysis, ...]] = ()
    """Analyses that are cached and valid after the pass."""

    preserved_analyses: ClassVar[PreservedDeclaration] = ()
    """Analyses that the pass keeps valid; the run marks them as preserved.

    `ALL_ANALYSES` for a pass that only reads; the IR is not verified after it.
    """

    forms: ClassVar[FormRules] = NO_FORMS
    """The forms of IR that the pass needs and gives."""

    is_required: ClassVar[bool] = False
    """Whether tools that skip passes must run this one, such as a lowering."""

    idempotent: ClassVar[bool] = False
    """Whether the pass has no effect on its own result, and can be skipped there.

    Such a pass prints nothing, and reads nothing beyond its operation.
    """

    outside_access: ClassVar[str] = ""
    """The access of the pass beyond the IR, e.g. `it starts the program 'ptxas'`.

    Options say it by themselves: see `outside_access_of`.
    """

    deprecated: ClassVar[str] = ""
    """The text of the `DeprecationWarning` on construction: what to use instead."""

    constructor: ClassVar[str] = ""
    """`module:Class` that implements a declared pass; imported on first use."""

    native: ClassVar[bool] = False
    """Whether the IR library has the pass if no class implements it."""

    declared_in: ClassVar[str] = ""
    """The spec that declares the pass; empty for a pass written by hand."""

    options_class: ClassVar[type[PassOptions]] = PassOptions
    """The class of the options: the type argument of `OperationPass[...]`."""

    _declares_name: ClassVar[bool] = False

    def __init_subclass__(cls, **kwargs: object) -> None:
        """Set the name and the options class that the declaration implies.

        Raises:
            TypeError: `interface` is set outside of an `InterfacePass`, one text where
                a tuple is expected, or `forms` is no `FormRules`.
        """
        super().__init_subclass__(**kwargs)
        refuse_text(cls, "dependent_dialects", "tags", "ordering")
        refuse_text(cls, "required_analyses", "provided_analyses")
        if not isinstance(cls.forms, FormRules):
            what, note = f"{cls.__qualname__}.forms", "write FormRules(needs=(...))"
            raise wrong_argument(what, cls.forms, "a FormRules", note)
        if "name" in vars(cls):
            cls._declares_name = True
        elif not cls._declares_name:
            cls.name = cls.__name__
        for base in cls.__dict__.get("__orig_bases__", ()):
            for argument in get_args(base):
                if isinstance(argument, type) and issubclass(argument, PassOptions):
                    cls.options_class = argument
        reads_interface = cls.can_schedule_on is not PassDeclaration.can_schedule_on
        if isinstance(vars(cls).get("interface"), str) and not reads_interface:
            raise TypeError(
                f"{cls.__qualname__} names an interface: derive it from InterfacePass"
            )

    def can_schedule_on(self, info: OperationInfo) -> bool:
        """Return whether the pass may run on operations of this type.

        Raises:
            SchedulingError: only C++ code knows the anchor of the pass.
        """
        if self.anchor is None and self.unknown_anchor:
            raise SchedulingError(
                f"pass '{self.argument}' runs on operations that only C++ names, by "
                f"{self.unknown_anchor}: write their name as the 'anchor' of "
                f"{self.name} in {self.declared_in}, or 'any' if the pass runs on any "
                "operation"
            )
        return self.anchor is None or info.name == self.anchor


def outside_access_of(pass_class: type[PassDeclaration]) -> str:
    """Return the declared access of a pass beyond the IR; empty if there is none."""
    return pass_class.outside_access or outside_access_by(pass_class.options_class)


def outside_access_by(options_class: type[PassOptions]) -> str:
    """Return the access beyond the IR by an option; empty if there is none."""
    for info in options_class.documented_options():
        if info.reaches_outside:
            is_declared = info.outside_access is not None
            access = "reaches beyond the IR" if is_declared else _NAMES_OUTSIDE
            return f"its option '{info.argument}' {access}"
        # The value of an option may be options in braces.
        nested = info.type.zero
        if isinstance(nested, PassOptions) and (
            access := outside_access_by(type(nested))
        ):
            return f"in its option '{info.argument}', {access}"
    return ""


def description_of(pass_class: type[PassDeclaration]) -> str:
    """Return the text below the first line of the docstring that describes a pass."""
    for cls in pass_class.__mro__:
        if "argument" in vars(cls):
            _, _, rest = inspect.cleandoc(cls.__doc__ or "").partition("\n")
            return rest.strip()
    return ""
