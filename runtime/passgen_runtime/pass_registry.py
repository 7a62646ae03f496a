"""Registration of passes and pipelines by argument, and textual pipelines made of them.

Implements "Pass Registration", "Pass Pipeline Registration" and the resolving half of
"Textual Pass Pipeline Specification" of MLIR's PassManagement page; the grammar is in
`textual_pipeline`.

    register_pass(MyPass)
    manager = parse_pass_manager("builtin.module(my-pass{n=3})", context)
"""

from __future__ import annotations

import importlib
import inspect
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, cast

from passgen_runtime.context import Context
from passgen_runtime.errors import (
    MissingImplementationError,
    PassError,
    PassOptionError,
    PipelineError,
    RegistrationError,
    SchedulingError,
    Span,
    nearest_note,
)
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_manager import OpPassManager, PassManager
from passgen_runtime.pass_options import PassOptions
from passgen_runtime.textual_pipeline import (
    PipelineElement,
    TextualPipeline,
    parse_pipeline,
)

P = TypeVar("P", bound=Pass)

PipelineBuilder = Callable[[OpPassManager, Any], None]
"""Adds the passes of a registered pipeline, given its options, to a pass manager."""


class RegistryEntry(Protocol):
    """A pass that can be made by name. An entry may import what it needs when asked."""

    @property
    def argument(self) -> str:
        """The name in a textual pipeline."""

    @property
    def summary(self) -> str:
        """One line for lists of passes."""

    @property
    def options_class(self) -> type[PassOptions]:
        """What the options between the braces are parsed into."""

    @property
    def origin(self) -> str:
        """Where the pass is defined, for errors."""

    def create(self, options: PassOptions) -> Pass:
        """Return a new pass with `options`."""


@dataclass(frozen=True, slots=True)
class PassClassEntry:
    """A pass class, which may be a declared base that something else implements."""

    pass_class: type[Pass]

    @property
    def argument(self) -> str:
        """The name in a textual pipeline."""
        return self.pass_class.argument

    @property
    def summary(self) -> str:
        """One line for lists of passes."""
        return self.pass_class.summary

    @property
    def options_class(self) -> type[PassOptions]:
        """What the options between the braces are parsed into."""
        return self.pass_class.options_class

    @property
    def origin(self) -> str:
        """The class, and the spec that declares it if any."""
        return _origin(self.pass_class)

    def create(self, options: PassOptions) -> Pass:
        """Return a new pass of the class, or of the one that implements it."""
        return create_pass(self.pass_class, options)


@dataclass(frozen=True, slots=True)
class FactoryEntry:
    """A pass that cannot be constructed from its options alone."""

    factory: Callable[[], Pass]
    example: Pass

    @property
    def argument(self) -> str:
        """The name in a textual pipeline."""
        return self.example.argument

    @property
    def summary(self) -> str:
        """One line for lists of passes."""
        return self.example.summary

    @property
    def options_class(self) -> type[PassOptions]:
        """What the options between the braces are parsed into."""
        return self.example.options_class

    @property
    def origin(self) -> str:
        """The factory."""
        return f"{self.factory.__module__}.{self.factory.__qualname__}"

    def create(self, options: PassOptions) -> Pass:
        """Return a new pass from the factory, with `options`."""
        made = self.factory()
        made.options = options
        return made


@dataclass(frozen=True, slots=True)
class PipelineEntry:
    """A registered pass pipeline."""

    argument: str
    summary: str
    builder: PipelineBuilder
    options_class: type[PassOptions]

    @property
    def origin(self) -> str:
        """The builder."""
        return f"{self.builder.__module__}.{self.builder.__qualname__}"


class PassRegistry:
    """Passes and pipelines by argument; safe to use from several threads."""

    def __init__(self) -> None:
        """Start empty."""
        self._lock = threading.RLock()
        self._passes: dict[str, RegistryEntry] = {}
        self._pipelines: dict[str, PipelineEntry] = {}

    def register_pass(
        self, pass_: type[Pass] | Callable[[], Pass], *, replace: bool = False
    ) -> None:
        """Register a pass class, or a factory of passes.

        Registering the same pass again does nothing; a declared base and its
        implementation are the same pass.

        Raises:
            RegistrationError: it has no argument, or another pass has the same one and
                `replace` is not set.
        """
        if isinstance(pass_, type):
            self.add(PassClassEntry(pass_), replace=replace)
        else:
            self.add(FactoryEntry(pass_, pass_()), replace=replace)

    def add(self, entry: RegistryEntry, *, replace: bool = False) -> None:
        """Register the pass of `entry`, as `register_pass` does.

        Raises:
            RegistrationError: see `register_pass`.
        """
        if not entry.argument:
            message = f"{entry.origin} has no argument: a registered pass needs one"
            raise RegistrationError(message)
        with self._lock:
            self._refuse_other(entry.argument, entry, replace=replace)
            known = self._passes.get(entry.argument)
            if known is None or replace or _is_refinement(entry, known):
                self._passes[entry.argument] = entry

    def register_pipeline(
        self,
        argument: str,
        summary: str,
        builder: PipelineBuilder,
        options_class: type[PassOptions] = PassOptions,
        *,
        replace: bool = False,
    ) -> None:
        """Register a pipeline that `builder` adds to a pass manager, given its options.

        Raises:
            RegistrationError: another pass or pipeline has the same argument and
                `replace` is not set.
        """
        entry = PipelineEntry(argument, summary, builder, options_class)
        with self._lock:
            self._refuse_other(argument, entry, replace=replace)
            self._pipelines[argument] = entry

    def lookup_pass(self, argument: str) -> RegistryEntry | None:
        """Return the entry of the pass called `argument`."""
        return self._passes.get(argument)

    def lookup_pipeline(self, argument: str) -> PipelineEntry | None:
        """Return the entry of the pipeline called `argument`."""
        return self._pipelines.get(argument)

    def passes(self) -> list[RegistryEntry]:
        """Return all passes, in order of argument."""
        with self._lock:
            return [self._passes[argument] for argument in sorted(self._passes)]

    def pipelines(self) -> list[PipelineEntry]:
        """Return all pipelines, in order of argument."""
        with self._lock:
            return [self._pipelines[argument] for argument in sorted(self._pipelines)]

    def arguments(self) -> list[str]:
        """Return the arguments of all passes and pipelines, in order."""
        with self._lock:
            return sorted({*self._passes, *self._pipelines})

    def _refuse_other(
        self, argument: str, entry: RegistryEntry | PipelineEntry, *, replace: bool
    ) -> None:
        if replace:
            self._passes.pop(argument, None)
            self._pipelines.pop(argument, None)
            return
        known: RegistryEntry | PipelineEntry | None
        known = self._passes.get(argument) or self._pipelines.get(argument)
        if known is not None and not _is_same(entry, known):
            message = (
                f"'{argument}' is registered twice: by {known.origin} and by "
                f"{entry.origin}"
            )
            raise RegistrationError(message)


default_registry = PassRegistry()
"""The registry that is used where none is named."""


def register_pass(
    pass_: type[Pass] | Callable[[], Pass], registry: PassRegistry | None = None
) -> None:
    """Register a pass class or factory in `registry`, or in the default one.

    Raises:
        RegistrationError: it has no argument, or another pass has the same one.
    """
    (default_registry if registry is None else registry).register_pass(pass_)


def create_pass(declared: type[P], options: PassOptions | None = None) -> P:
    """Return a new pass of the class that implements `declared`, with `options`.

    Raises:
        MissingImplementationError: nothing implements it, or more than one class does
            and none is named by its `constructor`.
    """
    implementation: Any = _implementation(declared)
    if options is None or not options.declared():
        return cast("P", implementation())
    return cast("P", implementation(options))


def parse_pass_pipeline(
    text: str, registry: PassRegistry | None = None, context: Context | None = None
) -> OpPassManager:
    """Return the pipeline that `text` spells, e.g. `func.func(cse,canonicalize)`.

    Args:
        text: one pipeline, with its anchor.
        registry: where names are looked up; the default registry where not given.
        context: if given, passes are checked against their anchors.

    Raises:
        PipelineError: anything is wrong with the text, with the place.
    """
    pipeline = parse_pipeline(text)
    manager = OpPassManager(pipeline.elements[0].name, context=context)
    return _fill(manager, pipeline, registry or default_registry)


def parse_pass_manager(
    text: str, context: Context, registry: PassRegistry | None = None
) -> PassManager:
    """Return the pass manager that `text` spells, e.g. `builtin.module(cse)`.

    Raises:
        PipelineError: anything is wrong with the text, with the place.
    """
    pipeline = parse_pipeline(text)
    manager = PassManager(context, pipeline.elements[0].name)
    return _fill(manager, pipeline, registry or default_registry)


M = TypeVar("M", bound=OpPassManager)


def _fill(manager: M, pipeline: TextualPipeline, registry: PassRegistry) -> M:
    resolver = _Resolver(pipeline.text, registry)
    pending: list[tuple[OpPassManager, tuple[PipelineElement, ...]]]
    pending = [(manager, pipeline.elements[0].nested or ())]
    while pending:
        parent, elements = pending.pop()
        for element in elements:
            if element.nested is None:
                resolver.add(parent, element)
            else:
                pending.append((parent.nest(element.name), element.nested))
    return manager


@dataclass(frozen=True, slots=True)
class _Resolver:
    """Turns elements of one text into passes; every error becomes one with a place."""

    text: str
    registry: PassRegistry

    def add(self, manager: OpPassManager, element: PipelineElement) -> None:
        """Add the pass or pipeline that `element` names to `manager`."""
        try:
            pipeline = self.registry.lookup_pipeline(element.name)
            if pipeline is not None:
                options = pipeline.options_class.from_textual(element.options)
                pipeline.builder(manager, options)
                return
            entry = self.registry.lookup_pass(element.name)
            if entry is None:
                raise self.unknown(element)
            options = entry.options_class.from_textual(element.options)
            manager.add_pass(entry.create(options))
        except PassOptionError as error:
            subject = f"in the options of '{element.name}'"
            raise PipelineError(
                error.message,
                self.text,
                error.span or element.span,
                (*error.notes, subject),
            ) from error
        except (SchedulingError, MissingImplementationError) as error:
            raise self.error(str(error), element.span) from error

    def unknown(self, element: PipelineElement) -> PassError:
        """Return the error for a name that nothing is registered under."""
        message = (
            f"'{element.name}' does not refer to a registered pass or pass pipeline"
        )
        notes = nearest_note(element.name, self.registry.arguments())
        if not notes and "." in element.name:
            notes = (
                f"an anchor holds its passes in parentheses: '{element.name}(...)'",
            )
        return self.error(message, element.span, notes)

    def error(
        self, message: str, span: Span, notes: Iterable[str] = ()
    ) -> PipelineError:
        return PipelineError(message, self.text, span, tuple(notes))


def _implementation(declared: type[Pass]) -> type[Pass]:
    """Return the class to construct for `declared`: itself, if it can be."""
    if not inspect.isabstract(declared):
        return declared
    subject = f"pass '{declared.argument}' ({_origin(declared)})"
    if declared.constructor:
        return _import_implementation(declared, subject)
    found = [cls for cls in _subclasses(declared) if not inspect.isabstract(cls)]
    if len(found) == 1:
        return found[0]
    if not found:
        message = (
            f"{subject} has no implementation: no class derives from "
            f"{declared.__name__}, and its declaration names no constructor"
        )
    else:
        names = ", ".join(sorted(_origin(cls) for cls in found))
        message = (
            f"{subject} has {len(found)} implementations ({names}): name one as the "
            "constructor in its declaration"
        )
    raise MissingImplementationError(message)


def _import_implementation(declared: type[Pass], subject: str) -> type[Pass]:
    module_name, _, class_name = declared.constructor.partition(":")
    try:
        implementation = getattr(importlib.import_module(module_name), class_name)
    except (ImportError, AttributeError) as error:
        message = (
            f"{subject} cannot be constructed: its constructor "
            f"'{declared.constructor}' does not import: {error}"
        )
        raise MissingImplementationError(message) from error
    if not (isinstance(implementation, type) and issubclass(implementation, declared)):
        message = (
            f"{subject} cannot be constructed: its constructor "
            f"'{declared.constructor}' does not derive from {declared.__name__}"
        )
        raise MissingImplementationError(message)
    return implementation


def _subclasses(cls: type[Pass]) -> list[type[Pass]]:
    return [
        each
        for direct in cls.__subclasses__()
        for each in (direct, *_subclasses(direct))
    ]


def _origin(pass_class: type[Pass]) -> str:
    place = f", declared in {pass_class.declared_in}" if pass_class.declared_in else ""
    return f"{pass_class.__module__}.{pass_class.__qualname__}{place}"


def _is_same(
    entry: RegistryEntry | PipelineEntry, known: RegistryEntry | PipelineEntry
) -> bool:
    if isinstance(entry, PassClassEntry) and isinstance(known, PassClassEntry):
        one, other = entry.pass_class, known.pass_class
        return issubclass(one, other) or issubclass(other, one)
    return entry == known or (
        isinstance(entry, FactoryEntry)
        and isinstance(known, FactoryEntry)
        and entry.factory == known.factory
    )


def _is_refinement(entry: RegistryEntry, known: RegistryEntry) -> bool:
    """Return whether `entry` is an implementation of the declared pass of `known`."""
    return (
        isinstance(entry, PassClassEntry)
        and isinstance(known, PassClassEntry)
        and entry.pass_class is not known.pass_class
        and issubclass(entry.pass_class, known.pass_class)
    )
