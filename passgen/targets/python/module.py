"""The parts of a Python module that no declaration of its group holds."""

from __future__ import annotations

from dataclasses import dataclass, field

from passgen.model import OptionType, Pass, PassGroup, Pipeline
from passgen.targets.lines import Listing, bundle_listings, pipeline_listings
from passgen.targets.markdown import documented
from passgen.targets.python.imports import Import, foreign_names, import_sections
from passgen.targets.python.operations import operation_classes


@dataclass(frozen=True)
class EnumUser:
    """An option whose values an enum holds."""

    option: str
    owner: str
    """The argument of the pass or pipeline."""


@dataclass(frozen=True)
class Enum:
    """The class of an enum option, or of several."""

    type: OptionType
    users: list[EnumUser] = field(default_factory=list)

    @property
    def is_shared(self) -> bool:
        """Whether there is more than one user."""
        return len(self.users) > 1


@dataclass(frozen=True)
class PythonModule:
    """One generated file."""

    imports: tuple[tuple[Import, ...], ...]
    """In sections: the standard library, the runtime, the author's own modules."""

    foreign: dict[str, str]
    """The name of each foreign type in the file."""

    needs_types: bool
    """Whether it imports anything for type checkers alone."""

    needs_builder: bool
    """Whether functions take a pipeline builder, imported for type checkers alone.

    Its import takes longer than the declaration of all passes, and callers of the
    functions have imported it already.
    """

    operations: dict[str, str]
    """The class of the operations of each pass, by the pass's name; may be empty."""

    library_modules: list[str]
    """The modules of the IR library that hold such classes; for type checkers alone."""

    is_untyped: bool
    """Whether checkers may find no types in them: MLIR's bindings may lack stubs."""

    own_modules: list[str]
    """The other modules that hold such classes."""

    enums: tuple[Enum, ...]
    bundles: tuple[Listing, ...]
    pipelines: tuple[Listing, ...]
    descriptions: dict[str, str]
    """The Markdown for the docstring of each pass, by the pass's name; may be empty."""


def values(group: PassGroup) -> dict[str, object]:
    """Return the variables of `python/passes.py.j2`."""
    foreign = foreign_names(group)
    operations = operation_classes(group)
    modules = sorted({python.partition(":")[0] for python in operations.values()})
    library = [name for name in modules if name.partition(".")[0] == group.ir]
    needs_builder = bool(group.bundles or group.pipelines)
    needs_types = needs_builder or bool(operations)
    imports = import_sections(group, foreign, needs_types=needs_types)
    module = PythonModule(
        imports=tuple(filter(None, imports)),
        foreign=foreign,
        needs_types=needs_types,
        needs_builder=needs_builder,
        operations=operations,
        library_modules=library,
        is_untyped=group.library is not None and not group.library.is_typed,
        own_modules=[name for name in modules if name not in library],
        enums=_enums(group),
        bundles=bundle_listings(group),
        pipelines=pipeline_listings(group),
        descriptions={pass_.name: documented(pass_) for pass_ in group.passes},
    )
    return {"module": module}


def _enums(group: PassGroup) -> tuple[Enum, ...]:
    """Return each enum of the group once, although options may share it."""
    enums: dict[str, Enum] = {}
    owners: tuple[Pass | Pipeline, ...] = (*group.passes, *group.pipelines)
    for owner in owners:
        for option in owner.options:
            if name := option.type.enum_name:
                enum = enums.setdefault(name, Enum(option.type))
                enum.users.append(EnumUser(option.argument, owner.argument))
    return tuple(enums.values())
