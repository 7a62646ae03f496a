"""MLIR's own passes under their own names and options, in a `PassRegistry`.

    registry = mlir_registry()                      # MLIR's passes alone
    use_mlir_passes(my_registry, "jaxlib.mlir")     # beside my own

The bindings do not list their passes, but they parse pipelines: a name is a pass if
MLIR accepts it. A pass registered in Python takes precedence. If it is only declared,
or `passgen_runtime.passes` implements it for xDSL, MLIR's pass of that name runs, with
the declared options.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Sequence
from dataclasses import fields
from functools import cache, partialmethod
from typing import Any, Final

from passgen_runtime.errors import MissingImplementationError
from passgen_runtime.ir.mlir.bindings import (
    Bindings,
    BindingsError,
    bindings_of,
    loaded_bindings,
)
from passgen_runtime.ir.mlir.known_passes import (
    NativePassInfo,
    info_of,
    known_pass,
    known_passes,
    llvm_passes,
)
from passgen_runtime.ir.mlir.native_options import (
    NativePassOptions,
    check_options,
    refusal,
)
from passgen_runtime.ir.mlir.native_pass_base import NativePassBase
from passgen_runtime.ir.mlir.native_pipeline import NativePass
from passgen_runtime.ir.mlir.pass_versions import (
    version_dependent_options,
    version_dependent_passes,
    version_note,
)
from passgen_runtime.operation_pass import InterfacePass, Pass, outside_access_of
from passgen_runtime.pass_options import OptionInfo, PassOptions
from passgen_runtime.pass_registry import (
    AnyEntry,
    PassEntry,
    PassRegistry,
    PipelineEntry,
    RegistryEntry,
    namespace_of,
    subclasses_of,
)
from passgen_runtime.textual_pipeline import TextualOption

_OUTSIDE_ACCESS: Final = {
    "gpu-module-to-binary": "it starts programs, and reads the files that it links",
    "transform-interpreter": "it runs the passes that the IR names",
}
"""Reasons why passes reach outside the IR, where no option shows it."""

_OF_DECLARATION: Final = (
    *("__doc__", "declared_in", "deprecated", "forms", "is_required"),
    *("options_class", "ordering", "summary", "tags"),
)
"""The attributes that a native pass has of its declaration in Python."""

_NAME: Final = re.compile(r"[\w.-]+")
"""A word in the options of a pass, which may be the name of another pass."""


def native_pass_class(
    info: NativePassInfo, declared: type[Pass] | None = None, **members: object
) -> type[NativePass]:
    """Return a new class of the pass that `info` describes.

    Args:
        info: the declaration in C++.
        declared: the declaration in Python that the pass implements, if there is one.
        members: more members of the class.
    """
    names: tuple[str, ...] = "argument", "name", "summary", "anchor"
    described: dict[str, Any] = {
        **{name: getattr(info, name) for name in names},
        "options_class": _options_class(info.argument),
        "__doc__": f"MLIR's own {info.name}.",
        "outside_access": _outside_access(info.argument),
    }
    if info.interface is not None:
        described |= {
            "interface": info.interface,
            "can_schedule_on": InterfacePass.can_schedule_on,
        }
    if declared is not None:
        described |= {name: getattr(declared, name) for name in _OF_DECLARATION}
    return type(info.name, (NativePass,), described | members)


@cache
def _options_class(argument: str) -> type[NativePassOptions]:
    """Return the one class of options, so that equal options are equal."""
    info = known_pass(argument) or NativePassInfo(argument, argument, "")
    members = {"known": info.options, "__doc__": f"Options of `{argument}`."}
    return type(f"{info.name}Options", (NativePassOptions,), members)


def native_pass(declared: NativePassBase) -> NativePass:
    """Return a new pass with the name and the options of `declared`.

    MLIR finds it when it first runs: the library that has it may be loaded later.
    """
    declaration: Any = type(declared)
    options = str(declared)[len(declared.argument) + 1 : -1]
    return _class_of(declaration)(_options_class(declared.argument)(given=options))


def check_loaded_bindings(declared: NativePassBase) -> None:
    """Check that loaded bindings have a pass of LLVM, and options that are set.

    This is asked only of what not all versions of LLVM have: bindings with a part of
    MLIR may be loaded before those that are meant.

    Raises:
        BindingsError: bindings are loaded, and none of them has it.
    """
    argument = declared.argument
    texts = [(argument, version_note(argument))]
    varying = version_dependent_options(argument)
    for field in fields(declared) if varying else ():
        option, value = field.metadata["argument"], getattr(declared, field.name)
        if option in varying and value != field.default:
            text = f"{argument}{{{option}={str(value).lower()}}}"
            texts.append((text, version_note(argument, option)))
    for text, note in texts:
        loaded = loaded_bindings() if note else ()
        if loaded and all(refusal(each, text) is not None for each in loaded):
            names = ", ".join(f"'{each.package}'" for each in loaded)
            raise BindingsError(
                f"{type(declared).__name__}: the loaded bindings of MLIR do not have "
                f"{text}: {names}\nnote: {note}"
            )


@cache
def _class_of(declared: type[Any]) -> type[NativePass]:
    return native_pass_class(info_of(declared))


class NativePassEntry:
    """The registry's entry of one of MLIR's passes."""

    library = "mlir"

    def __init__(
        self, bindings: Bindings, argument: str, declared: type[Pass] | None = None
    ) -> None:
        """Describe the pass called `argument`.

        Args:
            bindings: the bindings that have the pass.
            argument: the name of the pass.
            declared: the declaration of the pass in a spec, if there is one.
        """
        self.argument = argument
        self._bindings = bindings
        self._declared = declared
        info = known_pass(argument) or _unknown_pass(bindings, argument, declared)
        self.pass_class = native_pass_class(
            info,
            declared,
            reaches_outside=partialmethod(_reaches_outside, bindings),
        )
        self.summary = self.pass_class.summary
        self.options_class: type[PassOptions] = self.pass_class.options_class
        self.origin = f"{self.pass_class.name} of {bindings.package}"

    def parse_options(self, options: Sequence[TextualOption]) -> PassOptions:
        """Return the given options, which MLIR has accepted.

        Raises:
            MissingImplementationError: the pass is declared, and is not MLIR's.
            PassOptionError: MLIR refuses them.
        """
        if self._declared is not None:
            _check_is_native(self._declared)
        parsed = self.options_class.from_textual(options)
        check_options(self._bindings, self.argument, parsed, options)
        return parsed

    def create(self, options: PassOptions) -> Pass:
        """Return a new pass with `options`."""
        return self.pass_class(options)


def _unknown_pass(
    bindings: Bindings, argument: str, declared: type[Pass] | None
) -> NativePassInfo:
    """Return the description of a pass that the table lacks, by its declaration."""
    if declared is None:
        summary = version_note(argument) or f"A pass of {bindings.package}"
        return NativePassInfo(argument, argument, summary)
    described = declared.name, declared.summary, declared.anchor, declared.interface
    return NativePassInfo(argument, *described)


def _outside_access(argument: str) -> str:
    if argument not in llvm_passes():
        return "it is not in the table of MLIR's passes, and may start programs"
    return _OUTSIDE_ACCESS.get(argument, "")


def _reaches_outside(pass_: NativePass, bindings: Bindings) -> str:
    """Return why a pass, or one named in its options, reaches outside the IR.

    Only MLIR parses pipelines in options: each word that MLIR accepts as a pass counts.
    """
    if reason := outside_access_of(type(pass_)):
        return reason
    for word in _NAME.findall(str(pass_.options)):
        if refusal(bindings, word) is None:
            pass_class = NativePassEntry(bindings, word).pass_class
            if reason := outside_access_of(pass_class):
                return f"it runs '{word}': {reason}"
    return ""


class NativePasses:
    """A finder of MLIR's passes for registries."""

    def __init__(self, bindings: Bindings) -> None:
        """Find passes that are registered in MLIR with `bindings`."""
        self.library = f"mlir:{bindings.package}"
        self._bindings = bindings
        self._found: dict[tuple[str, type[Pass] | None], NativePassEntry] = {}

    def find(self, argument: str, registered: AnyEntry | None) -> RegistryEntry | None:
        """Return MLIR's pass, unless the registered one runs on MLIR's IR."""
        declared: type[Pass] | None = None
        if isinstance(registered, PipelineEntry):
            return None
        if registered is not None and not registered.library:
            declared = registered.pass_class
            if not _is_only_declared(declared):
                return None
        key = argument, declared
        if key not in self._found:
            # MLIR accepts an empty text as a pipeline without passes.
            if not argument or refusal(self._bindings, argument) is not None:
                return None  # it may be registered later
            self._found[key] = NativePassEntry(self._bindings, argument, declared)
        return self._found[key]

    def arguments(self) -> Iterator[str]:
        """Yield the names of the known passes that the bindings have."""
        for argument in dict.fromkeys((*known_passes(), *version_dependent_passes())):
            if refusal(self._bindings, argument) is None:
                yield argument

    def explanations(self, argument: str) -> tuple[str, ...]:
        """Return notes if `argument` is a known pass that these bindings lack."""
        note = version_note(argument)
        is_known = argument in known_passes() or note is not None
        if not is_known or refusal(self._bindings, argument) is None:
            return ()
        package = self._bindings.package
        lacks = f"'{argument}' is a pass of MLIR, but '{package}' does not have it"
        return (lacks,) if note is None else (lacks, note)


def mlir_registry(package: str | None = None) -> PassRegistry:
    """Return a new registry with the passes of MLIR that `package` has.

    Args:
        package: of the bindings; `default_package()` if not given.

    Raises:
        BindingsError: the package has no bindings.
    """
    registry = PassRegistry()
    use_mlir_passes(registry, package)
    return registry


def use_mlir_passes(registry: PassRegistry, package: str | None = None) -> None:
    """Let `registry` find MLIR's own passes beside its registered ones.

    Raises:
        BindingsError: the package has no bindings.
    """
    registry.add_finder(_finder(bindings_of(package)))


_finder: Final = cache(NativePasses)


def create_native_pass(
    bindings: Bindings, declared: type[Pass], options: PassOptions
) -> Pass | None:
    """Return MLIR's pass for a declaration that no class implements, if it has one.

    Raises:
        MissingImplementationError: it has other options.
    """
    entry = _finder(bindings).find(declared.argument, PassEntry(declared))
    if entry is None:
        return None
    _check_is_native(declared)
    return entry.create(options)


def _check_is_native(declared: type[Pass]) -> None:
    """Check that MLIR's pass of the same name implements `declared`.

    An author's own pass that is not yet written must not become one of MLIR's.

    Raises:
        MissingImplementationError: it has other options, or is not known.
    """
    if declared.native:
        return
    info = known_pass(declared.argument)
    options = set(map(_signature, declared.options_class.declared_options()))
    if info is None or options != set(map(_signature, info.options.values())):
        reason = "is not known" if info is None else "has other options"
        raise MissingImplementationError(
            f"pass '{declared.argument}' has no implementation, and MLIR's pass of "
            f"this name {reason}\nnote: 'native: true' in the spec runs it"
        )


def _signature(option: OptionInfo) -> tuple[object, ...]:
    return option.argument, option.type.name, option.type.choices, option.is_list


def _is_only_declared(declared: type[Pass]) -> bool:
    """Return whether nothing implements the pass `declared` on MLIR's IR."""
    if "declared_in" in vars(declared) and not inspect.isabstract(declared):
        return False  # its declaration is all that it needs
    if declared.constructor and not namespace_of(declared):
        return False
    return all(
        inspect.isabstract(cls) or namespace_of(cls)
        for cls in (declared, *subclasses_of(declared))
    )
