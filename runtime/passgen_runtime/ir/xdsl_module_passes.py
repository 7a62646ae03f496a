"""xDSL's own `ModulePass`es, under their own names and options, in our pipelines.

Each becomes a pass anchored on `builtin.module`. Its class is imported when it is first
used, so that registering all of them costs nothing. Values follow xDSL's syntax; option
names may be written with `-` or `_`, as in xDSL.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Self, cast

from xdsl.passes import ModulePass, get_pass_option_infos
from xdsl.universe import Universe
from xdsl.utils.arg_spec import ArgSpec, parse_spec
from xdsl.utils.exceptions import (
    ArgSpecParseError,
    DiagnosticException,
    PassFailedException,
)

from passgen_runtime.errors import PassOptionError
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.operation_pass import OperationPass, Pass
from passgen_runtime.pass_options import OptionInfo, OptionType, PassOptions
from passgen_runtime.pass_registry import PassRegistry, default_registry
from passgen_runtime.textual_pipeline import TextualOption, split_list, unquote

PREFIX = "xdsl."
"""Goes before the name of an xDSL pass whose own name is one of ours."""


@dataclass(kw_only=True)
class XDSLPassOptions(PassOptions):
    """Options of an xDSL pass, in xDSL's terms."""

    spec: ArgSpec = field(default_factory=lambda: ArgSpec("", {}))
    """Only what was given; the rest is the pass's default."""

    module_pass_class: ClassVar[type[ModulePass]]

    @classmethod
    def declared(cls) -> tuple[OptionInfo, ...]:
        """Return xDSL's declarations, for help texts."""
        return tuple(
            OptionInfo(
                info.name,
                info.name.replace("_", "-"),
                OptionType(info.expected_type, None, str, lambda _: True),
                is_list=False,
                default=info.default_value,
                description="",
            )
            for info in get_pass_option_infos(cls.module_pass_class)
        )

    def __post_init__(self) -> None:
        """Check the options by making the pass.

        Raises:
            PassOptionError: a value is wrong, or a required one is missing.
        """
        self.make()

    @classmethod
    def from_textual(cls, options: Iterable[TextualOption]) -> Self:
        """Return options from parsed ones.

        Raises:
            PassOptionError: an option is unknown or a value wrong.
        """
        options = tuple(options)
        for each in options:
            try:
                cls.option_info(each.key.replace("_", "-"))
            except PassOptionError as error:
                error.span = each.span
                raise
        text = " ".join(map(_in_xdsl_syntax, options))
        try:
            spec = parse_spec(f"{cls.module_pass_class.name}{{{text}}}")
        except ArgSpecParseError as error:
            message = str(error).strip().rpartition("\n")[2].strip()
            raise PassOptionError(message) from error
        return cls(spec=spec.normalize_parameter_names())

    def make(self) -> ModulePass:
        """Return xDSL's pass with these options.

        Raises:
            PassOptionError: a value is wrong, or a required one is missing.
        """
        spec = ArgSpec(self.module_pass_class.name, self.spec.parameters)
        try:
            return self.module_pass_class.from_spec(spec)
        except (ValueError, TypeError) as error:
            raise PassOptionError(str(error)) from error

    def __str__(self) -> str:
        """Return the options that were given, in xDSL's syntax."""
        text = str(ArgSpec("", self.spec.parameters))
        return text.removeprefix("{").removesuffix("}")


class XDSLModulePass(OperationPass[XDSLPassOptions]):
    """Runs one of xDSL's passes on a module."""

    anchor = "builtin.module"

    def run_on_operation(self) -> None:
        """Apply xDSL's pass; its own way to fail is a failure here."""
        context = cast("XDSLContext", self.context)
        try:
            self.options.make().apply(context.xdsl, self.operation)
        except (PassFailedException, DiagnosticException) as error:
            self.emit_error(str(error).strip())
            self.signal_pass_failure()


class XDSLPassEntry:
    """The registry's entry of an xDSL pass, which is imported when first asked for."""

    def __init__(self, argument: str, load: Callable[[], type[ModulePass]]) -> None:
        """Describe the pass that `load` imports, to be known as `argument`."""
        self.argument = argument
        self._load = load

    @property
    def summary(self) -> str:
        """The first line of the pass's docstring."""
        return self._pass_class.summary

    @property
    def options_class(self) -> type[PassOptions]:
        """What the options between the braces are parsed into."""
        return self._pass_class.options_class

    @property
    def origin(self) -> str:
        """The class in xDSL."""
        module_pass = self._options_class.module_pass_class
        return f"{module_pass.__module__}.{module_pass.__qualname__}"

    def create(self, options: PassOptions) -> Pass:
        """Return a new pass with `options`."""
        return self._pass_class(cast("XDSLPassOptions", options))

    @cached_property
    def _options_class(self) -> type[XDSLPassOptions]:
        module_pass = self._load()
        members: dict[str, Any] = {"module_pass_class": module_pass}
        return type(f"{module_pass.__name__}Options", (XDSLPassOptions,), members)

    @cached_property
    def _pass_class(self) -> type[XDSLModulePass]:
        module_pass = self._options_class.module_pass_class
        doc = module_pass.__doc__
        # A dataclass without a docstring gets its signature as one.
        generated = doc is not None and doc.startswith(f"{module_pass.__name__}(")
        text = "" if generated else inspect.cleandoc(doc or "")
        members = {
            "name": module_pass.__name__,
            "argument": self.argument,
            "summary": text.partition("\n\n")[0].replace("\n", " "),
            "options_class": self._options_class,
            "__doc__": text,
        }
        return type(module_pass.__name__, (XDSLModulePass,), members)


def register_xdsl_passes(registry: PassRegistry | None = None) -> None:
    """Register all of xDSL's passes, those of installed plugins included.

    A pass whose name is already registered is registered with the prefix `xdsl.`.
    """
    registry = default_registry if registry is None else registry
    taken = set(registry.arguments())
    for name, load in Universe.get_multiverse().all_passes.items():
        argument = f"{PREFIX}{name}" if name in taken else name
        if argument not in taken:
            registry.add(XDSLPassEntry(argument, load))


def _in_xdsl_syntax(option: TextualOption) -> str:
    """Return `option` as xDSL reads it: without braces and single quotes."""
    if option.value is None:
        return option.key
    return f"{option.key}={','.join(map(_element, split_list(option.value)))}"


def _element(text: str) -> str:
    plain = unquote(text)
    if plain == text:
        return text
    escaped = plain.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
