"""Entries of a registry: pass classes, factories of passes, and pipelines.

These are the kinds of registration in MLIR's PassManagement page; a factory is for
passes that cannot be default-constructed.
"""

from __future__ import annotations

import importlib
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar, Protocol, TypeAlias, TypeVar, cast

from passgen_runtime.context import Context
from passgen_runtime.errors import MissingImplementationError, RegistrationError
from passgen_runtime.operation_pass import Pass, misspelt_method_notes
from passgen_runtime.pass_manager import OpPassManager
from passgen_runtime.pass_options import PassOptions
from passgen_runtime.textual_pipeline import TextualOption

P = TypeVar("P", bound=Pass)


def create_pass(
    declared: Callable[..., P], options: PassOptions | None = None, **settings: object
) -> P:
    """Return a new pass of the class that implements `declared`, with `options`.

    Without such a class, the IR library may have the pass: a pass manager asks its
    context when the pass is added.

    Args:
        declared: a pass class; typed as `Callable` because type checkers refuse an
            abstract class as a `type`.
        options: the defaults if not given.
        settings: values of options by name, instead of `options`.

    Raises:
        MissingImplementationError: more than one class implements it and its
            `constructor` names none.
        TypeError: `settings` has a name that is no option, or `options` are those of
            another pass.
    """
    assert isinstance(declared, type)
    assert issubclass(declared, Pass)
    if settings or options is not None:
        options = declared.options_class.given_by(options, settings)
    is_implemented = has_implementation(declared)
    found = _implementation(declared) if is_implemented else _unimplemented(declared)
    return cast("P", _create(found, options))


def _create(implementation: Callable[..., Pass], options: PassOptions | None) -> Pass:
    if options is None or not options.declared_options():
        return implementation()
    return implementation(options)


class UnimplementedPass(Pass):
    """A declared pass that no class implements; an IR library may have it."""

    declared: ClassVar[type[Pass]]

    def in_context(self, context: Context) -> Pass:
        """Return the pass that the IR library of `context` has.

        Raises:
            MissingImplementationError: it has none.
        """
        make = context.native_pass
        made: Pass | None = None if make is None else make(self.declared, self.options)
        if made is None:
            note = f"{type(context).__qualname__} does not have it either"
            message = f"{_no_implementation(self.declared)}\nnote: {note}"
            raise MissingImplementationError(message)
        return made

    def check_context(self, context: Context) -> None:
        """Check that the IR library of `context` has the pass.

        Raises:
            MissingImplementationError: it has not.
        """
        self.in_context(context)

    def run_on_operation(self) -> None:
        """Refuse to run: a pass manager runs the pass that `in_context` returns.

        Raises:
            MissingImplementationError: always.
        """
        raise MissingImplementationError(_no_implementation(self.declared))


@cache
def _unimplemented(declared: type[Pass]) -> type[UnimplementedPass]:
    # The pass of the IR library is the one that warns of its deprecation.
    members = {
        "declared": declared,
        "deprecated": "",
        "__module__": declared.__module__,
    }
    return type(declared.__name__, (UnimplementedPass, declared), members)


def has_implementation(declared: type[Pass]) -> bool:
    """Return whether a class implements `declared`; a `constructor` counts as one."""
    is_found = not inspect.isabstract(declared) or declared.constructor
    return bool(is_found or _concrete_subclasses(declared))


def _implementation(declared: type[Pass]) -> type[Pass]:
    """Return the class to construct for `declared`.

    A generated class that is complete as it is may still have an implementation.
    """
    is_complete = not inspect.isabstract(declared)
    if is_complete and "declared_in" not in vars(declared):
        return declared
    subject = _subject(declared)
    if declared.constructor:
        return _import_implementation(declared, subject)
    found = _concrete_subclasses(declared) or [declared] * is_complete
    if len(found) == 1:
        return found[0]
    if not found:
        raise MissingImplementationError(_no_implementation(declared))
    names = ", ".join(sorted(origin(cls) for cls in found))
    raise MissingImplementationError(
        f"{subject} has {len(found)} implementations ({names}): name one as the "
        "constructor in its declaration"
    )


def _no_implementation(declared: type[Pass]) -> str:
    message = (
        f"{_subject(declared)} has no implementation: no imported class derives from "
        f"{declared.__name__} and defines run_on_operation, and its declaration names "
        "no constructor"
    )
    abstract = filter(inspect.isabstract, (declared, *subclasses_of(declared)))
    notes = dict.fromkeys(
        note for cls in abstract for note in misspelt_method_notes(cls)
    )
    return "; ".join((message, *notes))


def _subject(declared: type[Pass]) -> str:
    return f"pass '{declared.argument}' ({origin(declared)})"


def _import_implementation(declared: type[Pass], subject: str) -> type[Pass]:
    module_name, _, class_name = declared.constructor.partition(":")
    what = f"{subject} cannot be constructed: its constructor '{declared.constructor}'"
    try:
        implementation = getattr(importlib.import_module(module_name), class_name)
    except Exception as error:  # importing may raise anything; it is chained
        raise MissingImplementationError(f"{what} does not import: {error}") from error
    if not (isinstance(implementation, type) and issubclass(implementation, declared)):
        message = f"{what} does not derive from {declared.__name__}"
        raise MissingImplementationError(message)
    return implementation


def _concrete_subclasses(cls: type[Pass]) -> list[type[Pass]]:
    """Return the implementations of `cls`, each in its latest definition."""
    latest = {
        (subclass.__module__, subclass.__qualname__): subclass
        for subclass in subclasses_of(cls)
        if not inspect.isabstract(subclass)
    }
    return list(latest.values())


def subclasses_of(cls: type[Pass]) -> list[type[Pass]]:
    """Return the direct and indirect subclasses of `cls` that authors have written."""
    return [
        subclass
        for direct in cls.__subclasses__()
        if not issubclass(direct, UnimplementedPass)
        for subclass in (direct, *subclasses_of(direct))
    ]


def origin(pass_class: type[Pass]) -> str:
    """Return the class of a pass, and the spec that declares it, if any."""
    place = f", declared in {pass_class.declared_in}" if pass_class.declared_in else ""
    return f"{pass_class.__module__}.{pass_class.__qualname__}{place}"


PipelineBuilder = Callable[..., None]
"""Adds a pipeline's passes to a pass manager; gets its options if it declares any."""


class RegistryEntry(Protocol):
    """A registered pass; its class may be imported on first use."""

    @property
    def argument(self) -> str:
        """The name in a textual pipeline."""

    @property
    def summary(self) -> str:
        """One line for lists of passes."""

    @property
    def pass_class(self) -> type[Pass]:
        """The class, or a declared base of it."""

    @property
    def options_class(self) -> type[PassOptions]:
        """The class of the options between the braces."""

    @property
    def origin(self) -> str:
        """The place of the definition, for errors."""

    @property
    def library(self) -> str:
        """The IR library that has the pass; empty for a class or factory."""

    def parse_options(self, options: Sequence[TextualOption]) -> PassOptions:
        """Return the given options, and the defaults of all others."""

    def create(self, options: PassOptions) -> Pass:
        """Return a new pass with `options`."""


class PassFinder(Protocol):
    """Finds passes outside of the registry, such as those of an IR library."""

    @property
    def library(self) -> str:
        """The `library` of the contexts that the passes run in; empty for all."""

    def find(self, argument: str, registered: AnyEntry | None) -> RegistryEntry | None:
        """Return the pass called `argument`, or `None` to use the `registered` one."""

    def arguments(self) -> Iterable[str]:
        """Return the known names; `find` may accept more."""

    def explanations(self, argument: str) -> tuple[str, ...]:
        """Return notes on why there is no pass called `argument`, if any."""


@dataclass(frozen=True, slots=True)
class PassEntry:
    """A pass class, or a factory of passes that options alone cannot construct."""

    described: type[Pass] | Pass
    """The class, which may be a declared base; or a pass that the factory has made."""

    factory: Callable[[], Pass] | None = None
    given_argument: str = ""
    """The name instead of that of the pass; empty for the latter."""

    library: ClassVar[str] = ""

    @property
    def argument(self) -> str:
        """The name in a textual pipeline."""
        return self.given_argument or self.described.argument

    @property
    def summary(self) -> str:
        """One line for lists of passes."""
        return self.described.summary

    @property
    def pass_class(self) -> type[Pass]:
        """The class, or that of the passes that the factory makes."""
        described = self.described
        return type(described) if isinstance(described, Pass) else described

    @property
    def options_class(self) -> type[PassOptions]:
        """The class of the options between the braces."""
        described = self.described
        if isinstance(described, Pass):
            return type(described.options)
        return described.options_class

    @property
    def origin(self) -> str:
        """The place of the class or factory, and the spec that declares it, if any."""
        if self.factory is not None:
            return place_of(self.factory)
        declared_in = self.pass_class.declared_in
        declaration = f", declared in {declared_in}" if declared_in else ""
        return f"{place_of(self.pass_class)}{declaration}"

    @property
    def implementation(self) -> str:
        """The origin of the class that runs, where a declared base is registered."""
        try:
            found = _implementation(self.pass_class)
        except MissingImplementationError:
            found = self.pass_class
        return PassEntry(found, self.factory).origin

    def parse_options(self, options: Sequence[TextualOption]) -> PassOptions:
        """Return the given options, and those of the factory or class for the rest."""
        base = None if self.factory is None else self.factory().options
        return self.options_class.from_textual(options, base)

    def create(self, options: PassOptions) -> Pass:
        """Return a new pass of the factory, of the class or of its implementation.

        Raises:
            MissingImplementationError: no class implements it, or see `create_pass`.
            RegistrationError: the factory returns the pass of the registration.
        """
        if self.factory is None:
            made = _create(_implementation(self.pass_class), options)
        elif (made := self.factory()) is self.described:
            message = f"{self.origin} returns the same pass again: expected a new one"
            raise RegistrationError(message)
        else:
            made.options = options
        if self.given_argument:
            vars(made)["argument"] = self.given_argument
        return made


@dataclass(frozen=True, slots=True)
class PipelineEntry:
    """A registered pass pipeline."""

    argument: str
    summary: str
    builder: PipelineBuilder
    given_options_class: type[PassOptions] | None
    library: ClassVar[str] = ""

    @property
    def options_class(self) -> type[PassOptions]:
        """The class of the options between the braces."""
        return self.given_options_class or PassOptions

    @property
    def origin(self) -> str:
        """The builder with its place."""
        return place_of(self.builder)

    def parse_options(self, options: Sequence[TextualOption]) -> PassOptions:
        """Return the given options, and the defaults of all others."""
        return self.options_class.from_textual(options)

    def build(self, manager: OpPassManager, options: PassOptions) -> None:
        """Add the pipeline's passes to `manager`."""
        if self.given_options_class is None:
            self.builder(manager)
        else:
            self.builder(manager, options)


AnyEntry: TypeAlias = RegistryEntry | PipelineEntry
"""An entry of a registry: a pass or a pipeline."""


def place_of(definition: Callable[..., object]) -> str:
    """Return `module.name (file.py:12)` of a class or function, if it has a file."""
    definition = inspect.unwrap(definition)
    name = getattr(definition, "__qualname__", type(definition).__qualname__)
    named = f"{definition.__module__}.{name}"
    try:
        file = inspect.getsourcefile(definition)
        _, line = inspect.getsourcelines(definition)
    except (OSError, TypeError):
        return named
    name = file.rpartition(os.sep)[2] if file else "?"
    return f"{named} ({name}:{line})"


def replaces(entry: AnyEntry, known: AnyEntry) -> bool:
    """Return whether `entry` implements the declared pass of `known`, or redefines it.

    Code that runs again, by `importlib.reload` or at a prompt, makes a new object
    with the same module and qualified name.
    """
    new, old = _definition_of(entry), _definition_of(known)
    if isinstance(new, type) and isinstance(old, type):
        is_defined_again = any(_is_defined_again(new, base) for base in old.__mro__)
        return is_defined_again or (new is not old and issubclass(new, old))
    return _is_defined_again(new, old)


def is_same(entry: AnyEntry, known: AnyEntry) -> bool:
    """Return whether `entry` has the pass of `known`, or a declared base of it."""
    new, old = _definition_of(entry), _definition_of(known)
    if isinstance(new, type) and isinstance(old, type):
        return issubclass(old, new)
    return new == old and entry.options_class is known.options_class


def rank_of(entry: AnyEntry) -> int:
    """Return 0 for an author's own, 1 for a shipped one, 2 for one of a library."""
    return 2 if entry.library else int(bool(namespace_of(_definition_of(entry))))


def in_namespace(entry: AnyEntry) -> AnyEntry:
    """Return `entry` under its name where one of lower rank has the same name."""
    name = "given_argument" if isinstance(entry, PassEntry) else "argument"
    namespace = entry.library or namespace_of(_definition_of(entry))
    argument = f"{namespace}.{entry.argument}"
    return cast("AnyEntry", replace(cast("Any", entry), **{name: argument}))


def namespace_of(definition: object) -> str:
    """Return the namespace of shipped passes that a class or function belongs to.

    A package that ships passes names it in the constant `PASSES_NAMESPACE`. Its passes
    give way to an author's own, and on the IR of a library to the library's own.
    """
    package = str(getattr(definition, "__module__", ""))
    while package:
        attributes = getattr(sys.modules.get(package), "__dict__", {})
        if namespace := attributes.get("PASSES_NAMESPACE"):
            return str(namespace)
        package = package.rpartition(".")[0]
    return ""


def _definition_of(entry: AnyEntry) -> object:
    if isinstance(entry, PipelineEntry):
        return inspect.unwrap(entry.builder)
    return entry.factory or entry.pass_class if isinstance(entry, PassEntry) else entry


def _is_defined_again(new: object, old: object) -> bool:
    """Return whether two classes or functions share module and qualified name.

    Lambdas and closures do not count: different ones may share both.
    """
    name = getattr(new, "__qualname__", None)
    is_named = name is not None and (isinstance(new, type) or "<" not in name)
    return (
        is_named
        and new is not old
        and name == getattr(old, "__qualname__", None)
        and new.__module__ == old.__module__
    )
