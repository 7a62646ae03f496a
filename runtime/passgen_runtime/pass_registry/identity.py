"""Registrations with one argument: the same one again, a later definition, or a clash.

A class that an author defines again, as by `importlib.reload`, is another
object with the same module and qualified name.
"""

from __future__ import annotations

import inspect

from passgen_runtime.errors import RegistrationError
from passgen_runtime.pass_registry.entries import (
    FactoryEntry,
    PassClassEntry,
    PipelineEntry,
    RegistryEntry,
    is_defined_again,
    redefines,
)


def refuse_other(
    entry: RegistryEntry | PipelineEntry,
    known: RegistryEntry | PipelineEntry | None,
    *,
    replace: bool,
) -> None:
    """Refuse to register `entry` in the place of another pass or pipeline.

    Raises:
        RegistrationError: `known` is another one, and `replace` is not set.
    """
    if known is not None and not replace and not is_same(entry, known):
        message = (
            f"'{entry.argument}' is registered twice: by {known.origin} and by "
            f"{entry.origin}\nnote: replace=True replaces it"
        )
        raise RegistrationError(message)


def is_same(
    entry: RegistryEntry | PipelineEntry, known: RegistryEntry | PipelineEntry
) -> bool:
    """Return whether two entries with one argument register the same thing."""
    if isinstance(entry, PassClassEntry) and isinstance(known, PassClassEntry):
        one, other = entry.pass_class, known.pass_class
        return issubclass(one, other) or issubclass(other, one)
    if isinstance(entry, FactoryEntry) and isinstance(known, FactoryEntry):
        return entry.factory == known.factory
    if isinstance(entry, PipelineEntry) and isinstance(known, PipelineEntry):
        same_options = entry.options_class is known.options_class
        return entry.builder == known.builder and same_options
    return entry == known


def is_redefinition(
    entry: RegistryEntry | PipelineEntry, known: RegistryEntry | PipelineEntry
) -> bool:
    """Return whether `entry` is `known` after its code was run again.

    As by `importlib.reload`, or at the keyboard.
    """
    if isinstance(entry, PassClassEntry) and isinstance(known, PassClassEntry):
        return redefines(entry.pass_class, known.pass_class)
    if isinstance(entry, FactoryEntry) and isinstance(known, FactoryEntry):
        return is_defined_again(entry.factory, known.factory)
    if isinstance(entry, PipelineEntry) and isinstance(known, PipelineEntry):
        return is_defined_again(
            inspect.unwrap(entry.builder), inspect.unwrap(known.builder)
        )
    return False


def is_refinement(
    entry: RegistryEntry | PipelineEntry, known: RegistryEntry | PipelineEntry
) -> bool:
    """Return whether `entry` is an implementation of the declared pass of `known`."""
    return (
        isinstance(entry, PassClassEntry)
        and isinstance(known, PassClassEntry)
        and entry.pass_class is not known.pass_class
        and issubclass(entry.pass_class, known.pass_class)
    )
