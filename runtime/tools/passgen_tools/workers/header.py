"""The header of a worker's tasks: nested pipelines as plain data, never code.

It names passes by module and class, and has the versions of their distributions, so
that a worker with other versions refuses the work.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib import import_module
from pkgutil import resolve_name
from typing import Any, Final

from passgen_runtime.context import Context
from passgen_runtime.errors import PassError, SchedulingError, text_of
from passgen_runtime.operation_pass import (
    RUN_ATTRIBUTES,
    Pass,
    attributes_of,
    initialization_of,
    owned_sequences,
)
from passgen_runtime.pass_manager import OpPassManager
from passgen_tools.workers.attribute_values import are_equal

_FORMAT: Final = 2
_OWN_DISTRIBUTIONS: Final = {
    "passgen_runtime": "mlir-passgen-runtime",
    "passgen_tools": "mlir-passgen-tools",
}
"""This project's distributions by package; editable installs list no modules."""
_PYTHON: Final = "Python"
"""The interpreter counts as a distribution: its version must match as well."""


class WorkerRefusalError(PassError):
    """A worker lacks the versions, passes or transport of the process that sends."""


@dataclass(frozen=True, slots=True)
class WorkerHeader:
    """The part of a worker's task that is the same for all operations."""

    pipelines: list[str]
    """The nested pipelines of a group, as text."""

    merges: bool
    """Whether adjacent pipelines inside of them merge."""

    passes: list[str]
    """The classes of the passes in them, as `module:qualified name`."""

    versions: dict[str, str]
    """The versions of distributions."""

    transport: str
    """The class of the transport, as `module:qualified name`."""

    context_spec: dict[str, Any]
    printing: dict[str, Any]
    shows_operation: bool
    shows_stacktrace: bool
    settings: dict[str, Any]
    """Those of the run that are plain data; see `RunSettings.plain`."""

    parts: list[Any]
    """The factory and the settings of each instrumentation that has a part."""

    def encode(self) -> bytes:
        """Return the header as bytes."""
        return json.dumps({"format": _FORMAT} | asdict(self)).encode()

    @classmethod
    def decode(cls, data: bytes) -> WorkerHeader:
        """Return the header in `data`.

        Raises:
            WorkerRefusalError: `data` has another format.
        """
        values = json.loads(data)
        found = values.pop("format", None)
        if found != _FORMAT:
            raise WorkerRefusalError(
                f"the worker reads tasks of format {_FORMAT}, and gets {found}: it has "
                "another version of mlir-passgen-tools"
            )
        return cls(**values)

    def check(self) -> None:
        """Check that this process has the same versions of distributions.

        Raises:
            WorkerRefusalError: it has others; the message says which.
        """
        problems = []
        for name, version in self.versions.items():
            here = _version(name)
            if here != version:
                problems.append(
                    f"{name} is {here or 'not installed'} on the worker, and {version} "
                    "in the process that sends it work"
                )
        if problems:
            raise WorkerRefusalError("\nnote: ".join(problems))


def place_of(cls: type) -> str:
    """Return the module and the qualified name of a class."""
    return f"{cls.__module__}:{cls.__qualname__}"


def all_passes(manager: OpPassManager) -> Iterator[Pass]:
    """Yield the passes of `manager`, and those in managers that passes own."""
    for pass_ in manager.passes():
        yield pass_
        for sequence in owned_sequences(pass_):
            assert isinstance(sequence, OpPassManager)
            yield from all_passes(sequence)


def check_is_sendable(pass_: Pass, context: Context) -> None:
    """Check that a worker can make an equal pass from the class and the options.

    Raises:
        SchedulingError: it cannot; the message says what to do.
    """
    problem = _import_problem(type(pass_))
    remedy = (
        "define it at the top of a module that workers can import, or run without an "
        "executor"
    )
    if problem is None and not pass_.argument:
        problem = "it has no argument"
        remedy = "write `argument = ...` in its class: pipelines name passes by it"
    if problem is None:
        problem = _recreation_problem(pass_, context)
        remedy = "workers make it from its class and its options: add an option"
    if problem is not None:
        name = pass_.argument or pass_.name
        message = f"pass '{name}' cannot be sent to a worker: {problem}"
        raise SchedulingError(f"{message}\nnote: {remedy}")


def _import_problem(cls: type) -> str | None:
    if cls.__module__ == "__main__":
        return f"its class {cls.__qualname__} is in the main program or a notebook"
    if "<locals>" in cls.__qualname__:
        return f"its class {cls.__qualname__} is defined inside a function"
    try:
        is_there = resolve_name(place_of(cls)) is cls
    except Exception as error:  # noqa: BLE001 - importing may raise anything
        raised = f"{type(error).__name__}: {text_of(error)}"
        return f"{place_of(cls)} cannot be imported: {raised}"
    return None if is_there else f"{place_of(cls)} is another class when imported"


def _recreation_problem(pass_: Pass, context: Context) -> str | None:
    """Return the difference of `pass_` to a new pass of its class with its options."""
    cls: Any = type(pass_)
    try:
        made: Pass = cls(pass_.options) if pass_.options.declared_options() else cls()
        if cls.initialize is not Pass.initialize and initialization_of(pass_):
            made.initialize(context)
    except Exception as error:  # noqa: BLE001 - the code is the user's
        return f"making it raises {type(error).__name__}: {text_of(error)}"
    ignored = {"options", *RUN_ATTRIBUTES}
    mine, others = attributes_of(pass_), attributes_of(made)
    for name in (mine.keys() | others.keys()) - ignored:
        problem = f"its attribute '{name}' differs in a new pass with its options"
        if name not in others or name not in mine:
            return problem
        one, other = mine[name], others[name]
        # A worker makes this pipeline when it parses the pipeline's text.
        is_resolved = other is None and isinstance(one, OpPassManager)
        if is_resolved and hasattr(pass_, "use_pipelines"):
            continue
        if not are_equal(one, other):
            return problem
    return None


def versions_of(classes: Sequence[type], packages: Iterable[str]) -> dict[str, str]:
    """Return the versions of the distributions of `classes` and of `packages`."""
    packages = {*packages, *(cls.__module__.partition(".")[0] for cls in classes)}
    found = {_PYTHON: platform.python_version()}
    for package in sorted(packages):
        for name in _distributions_of(package):
            version = _version(name)
            if version is not None:
                found[name] = version
    return found


@cache
def _distributions_of(package: str) -> tuple[str, ...]:
    """Return the distributions that install an import package, if any."""
    if package in _OWN_DISTRIBUTIONS:
        return (_OWN_DISTRIBUTIONS[package],)
    if _version(package) is not None:
        return (package,)
    metadata = import_module("importlib.metadata")
    return tuple(sorted(set(metadata.packages_distributions().get(package, ()))))


@cache
def _version(distribution: str) -> str | None:
    if distribution == _PYTHON:
        return platform.python_version()
    metadata = import_module("importlib.metadata")
    try:
        version: str = metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None
    return version
