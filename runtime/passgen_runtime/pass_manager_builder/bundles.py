"""Pass bundles, and the ways to name a pass that is added to a pipeline.

    CLEANUP = PassBundle("cleanup", ("canonicalize", "cse"))

A pass is named by its argument, by a textual pipeline, by its class or by a factory. An
instance is refused: each addition of a bundle needs new passes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from passgen_runtime.context import Context
from passgen_runtime.errors import (
    PassError,
    PassOptionError,
    nearest_note,
    wrong_argument,
)
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_manager import DeclaredPass
from passgen_runtime.pass_manager_builder.blocks import Block, BlockFiller
from passgen_runtime.pass_options import PassOptions
from passgen_runtime.pass_registry import (
    AnyEntry,
    PassEntry,
    PassRegistry,
    PipelineEntry,
    PipelineUser,
    RegistryEntry,
    add_elements,
    parse_pass_pipeline,
)
from passgen_runtime.textual_pipeline import is_name, parse_options

OptionValues: TypeAlias = Mapping[str, Any] | PassOptions
"""Options of a pass: values by argument, or an object of its options class."""


class PipelineEditError(PassError):
    """A pipeline cannot be built or edited as asked."""

    def __init__(self, message: str, *notes: str) -> None:
        """Store `message` and `notes` on how to correct the mistake."""
        self.message = message
        self.notes = notes
        super().__init__("\n".join((message, *(f"note: {note}" for note in notes))))


@dataclass(frozen=True, slots=True)
class PassBundle:
    """A named group of passes."""

    name: str
    elements: tuple[NewPass, ...]
    declared_in: str = ""
    """The spec that declares the bundle; empty if none does."""

    def __post_init__(self) -> None:
        """Convert the elements to a tuple.

        Raises:
            TypeError: the elements are a string, or not iterable.
        """
        given: object = self.elements
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise wrong_argument("elements of a bundle", given, "a tuple of passes")
        object.__setattr__(self, "elements", tuple(given))


NewPass: TypeAlias = (
    str | type[Pass] | DeclaredPass | Callable[[], Pass | DeclaredPass] | PassBundle
)
"""One or more passes that can be added to a pipeline."""


@dataclass(frozen=True, slots=True)
class PassSource:
    """The registry that resolves names, and the context that checks passes."""

    registry: PassRegistry
    context: Context | None

    def fill(self, block: Block, new: NewPass, options: OptionValues | None) -> None:
        """Append `new` to `block`.

        Raises:
            PipelineError: a textual pipeline is wrong; the error has the place.
            PassOptionError: an option is unknown, or its value is wrong.
            PipelineEditError: `new` is neither a pass nor a bundle.
            MissingImplementationError: a declared pass is not implemented.
        """
        if isinstance(new, PassBundle):
            inner = Block("bundle", new.name, new.declared_in)
            block.append(inner)
            for element in new.elements:
                self.fill(inner, element, None)
        elif not isinstance(new, str):
            self._create(block, _entry_of(new), options)
        elif options is None:
            add_elements(BlockFiller(block), new, self.registry, self.context)
        else:
            self._create(block, self._lookup(new), options)

    def _lookup(self, name: str) -> AnyEntry:
        library = "" if self.context is None else self.context.library
        if (entry := self.registry.lookup(name, library)) is not None:
            return entry
        message = f"'{name}' does not refer to a registered pass or pass pipeline"
        if not is_name(name):
            advice = "give options either in the text or as an argument, not both"
            raise PipelineEditError(message, advice)
        notes = self.registry.explanations(name)
        notes = notes or nearest_note(name, self.registry.arguments())
        raise PipelineEditError(message, *notes)

    def _create(
        self, block: Block, entry: AnyEntry, given: OptionValues | None
    ) -> None:
        try:
            options = _options(entry, given)
        except PassOptionError as error:
            note = f"in the options of '{entry.argument}'"
            raise PassOptionError(error.message, (*error.all_notes, note)) from error
        filler = BlockFiller(block)
        if isinstance(entry, PipelineEntry):
            entry.build(filler, options)
            return
        pass_ = entry.create(options)
        if isinstance(pass_, PipelineUser):
            pass_.use_pipelines(
                lambda pipeline: parse_pass_pipeline(f"any({pipeline})", self.registry)
            )
        filler.add_pass(pass_)


def _entry_of(new: object) -> RegistryEntry:
    if isinstance(new, type) and issubclass(new, Pass):
        return PassEntry(new)
    if isinstance(new, DeclaredPass) and not isinstance(new, type):
        return PassEntry(new.as_pass(), new.as_pass)
    if isinstance(new, Pass):
        message = f"found the pass {new}, expected a class or factory of passes"
        advice = "each build of a pipeline creates new passes"
        raise PipelineEditError(message, advice)
    if not callable(new):
        raise PipelineEditError(
            f"found {new!r}, expected the name, class or factory of a pass, or a bundle"
        )
    if _takes_arguments(new):
        message = f"{new!r} is no factory of passes: it requires arguments"
        advice = "add_bundle() takes a function of a builder"
        raise PipelineEditError(message, advice)
    made = new()
    if isinstance(made, DeclaredPass):
        return _entry_of(made)
    if not isinstance(made, Pass):
        message = f"{new!r} is no factory of passes: it returned {made!r}"
        raise PipelineEditError(message)
    return PassEntry(made, new)


def _takes_arguments(function: Callable[..., object]) -> bool:
    try:
        inspect.signature(function).bind()
    except TypeError:
        return True
    except ValueError:  # a builtin without a signature
        return False
    return False


def _options(entry: AnyEntry, given: OptionValues | None) -> PassOptions:
    """Return the options of `entry` with the `given` values.

    Raises:
        PassOptionError: an option is unknown, or its value has another type.
        TypeError: `given` is neither a mapping nor `PassOptions`.
    """
    declared = entry.options_class
    if given is None:
        return entry.parse_options(())
    if isinstance(given, PassOptions):
        takes_any = declared is PassOptions and bool(type(given).declared_options())
        if isinstance(given, declared) and not takes_any:
            return given
        found = type(given).__qualname__
        raise PassOptionError(f"found {found}, expected {declared.__qualname__}")
    if not isinstance(given, Mapping):
        notes: tuple[str, ...] = ()
        if isinstance(given, str):
            notes = (f"write '{entry.argument}{{{given}}}', all in one text",)
        what = f"options of '{entry.argument}'"
        raise wrong_argument(what, given, "a mapping or PassOptions", *notes)
    # As text, because passes of other libraries parse their options themselves.
    # Only an option that `None` leaves unset begins as `None`.
    infos = [(declared.option_info(key), value) for key, value in given.items()]
    spelled = [
        info.spell(value)
        for info, value in infos
        if value is not None or info.default is not None
    ]
    return entry.parse_options(tuple(parse_options(" ".join(spelled))))
