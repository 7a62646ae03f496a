"""xDSL's own `ModulePass`es, under their own names and options, in a `PassRegistry`.

Each becomes a pass anchored on `builtin.module`, whose class is imported on first use.
Option names may be written with `-` or `_`, as in xDSL; `option_types` lists the types
of values.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self, cast

from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec

from passgen_runtime.errors import PassOptionError
from passgen_runtime.ir.xdsl.context import apply_module_pass
from passgen_runtime.ir.xdsl.dialect_loading import installed_universe
from passgen_runtime.ir.xdsl.option_types import Values, XDSLOptionInfo, option_infos
from passgen_runtime.ir.xdsl.universe import EmbeddedPassFactory
from passgen_runtime.operation_pass import OperationPass, Pass
from passgen_runtime.pass_options import PassOptions
from passgen_runtime.pass_registry import PassRegistry, default_registry
from passgen_runtime.textual_pipeline import TextualOption

_OUTSIDE_ACCESS: Final = {
    "transform-interpreter": "it runs the passes that the IR names",
}
"""Reasons why passes reach outside the IR, where no option shows it."""


@dataclass(kw_only=True)
class XDSLPassOptions(PassOptions):
    """Options of an xDSL pass, stored as xDSL's `ArgSpec`."""

    _infos: ClassVar[tuple[XDSLOptionInfo, ...]]

    spec: ArgSpec = field(default_factory=lambda: ArgSpec("", {}))
    """The given options; the pass itself has the defaults of the others."""

    module_pass_class: ClassVar[type[ModulePass]]

    if not TYPE_CHECKING:
        # If type checkers saw this method, they would allow any attribute to be set.
        def __setattr__(self, name: str, value: object) -> None:
            """Set `spec`, with field names of xDSL and checked values.

            Raises:
                PassOptionError: an option is unknown or a value is wrong.
            """
            if name != "spec":
                message = f"cannot set '{name}': assign all options together, to 'spec'"
                raise PassOptionError(message)
            object.__setattr__(self, name, self._check(value))

    @classmethod
    def declared_options(cls) -> tuple[XDSLOptionInfo, ...]:
        """Return the declarations of the pass's options."""
        if "_infos" not in cls.__dict__:
            cls._infos = option_infos(cls.module_pass_class)
        return cls._infos

    @classmethod
    def option_info(cls, argument: str) -> XDSLOptionInfo:
        """Return the declaration of option `argument`, written with `-` or `_`.

        Raises:
            PassOptionError: there is none.
        """
        return cast("XDSLOptionInfo", super().option_info(argument.replace("_", "-")))

    @classmethod
    def from_textual(
        cls, options: Iterable[TextualOption], base: Self | None = None
    ) -> Self:
        """Return the options in `options`, added to those of `base`.

        Raises:
            PassOptionError: an option is unknown or missing, or a value is wrong.
        """
        given: dict[str, list[Any]] = {}
        for info, value in cls._read(options):
            values = given.setdefault(info.field, [])
            if not info.is_list:
                values.clear()  # the last value is used
            values += value
        parameters = {} if base is None else dict(base.spec.parameters)
        parameters |= {name: tuple(values) for name, values in given.items()}
        for name in sorted(cls.module_pass_class.required_fields() - {*parameters}):
            raise cls.option_info(name).not_given()
        return cls(spec=ArgSpec("", parameters))

    def make(self) -> ModulePass:
        """Return xDSL's pass with these options.

        Raises:
            PassOptionError: a required option is missing, or the pass refuses a value.
        """
        spec = ArgSpec(self.module_pass_class.name, self.spec.parameters)
        try:
            return self.module_pass_class.from_spec(spec)
        except Exception as error:
            # Passes check their values themselves, with exceptions of any class.
            raise PassOptionError(str(error) or type(error).__name__) from error

    def _spellings(self) -> Iterator[str]:
        """Yield the given options in order of name."""
        for name, values in sorted(self._check(self.spec).parameters.items()):
            yield self.option_info(name).print_values(values)

    @classmethod
    def _check(cls, spec: object) -> ArgSpec:
        """Return `spec` with field names of xDSL and parsed values.

        Raises:
            PassOptionError: an option is unknown or given twice, or a value is wrong.
        """
        if not isinstance(spec, ArgSpec):
            message = f"found {spec!r}, expected an ArgSpec with the options"
            raise PassOptionError(message)
        parameters: dict[str, Values] = {}
        for name, values in spec.parameters.items():
            info = cls.option_info(name)
            if info.field in parameters:
                raise info.error("found it twice, expected once")
            parameters[info.field] = info.coerce(values)
        return ArgSpec(spec.name, parameters)


class XDSLModulePass(OperationPass[XDSLPassOptions]):
    """Runs one of xDSL's passes on a module."""

    anchor = "builtin.module"

    def run_on_operation(self) -> None:
        """Apply xDSL's pass."""
        apply_module_pass(self, self.options.make())


@dataclass
class XDSLPassEntry:
    """The registry entry of an xDSL pass, which is imported on first use."""

    argument: str
    load: Callable[[], type[ModulePass]]
    library: ClassVar[str] = "xdsl"

    @property
    def summary(self) -> str:
        """The first line of the pass's docstring."""
        return self.pass_class.summary

    @property
    def origin(self) -> str:
        """The qualified name of xDSL's class."""
        module_pass = self.options_class.module_pass_class
        return f"{module_pass.__module__}.{module_pass.__qualname__}"

    def parse_options(self, options: Sequence[TextualOption]) -> PassOptions:
        """Return the parsed options."""
        return self.options_class.from_textual(options)

    def create(self, options: PassOptions) -> Pass:
        """Return a new pass with `options`."""
        return self.pass_class(cast("XDSLPassOptions", options))

    @cached_property
    def options_class(self) -> type[XDSLPassOptions]:
        """The class of the pass's options."""
        module_pass = self.load()
        members: dict[str, Any] = {"module_pass_class": module_pass}
        return type(f"{module_pass.__name__}Options", (XDSLPassOptions,), members)

    @cached_property
    def pass_class(self) -> type[XDSLModulePass]:
        """The class that wraps xDSL's pass."""
        module_pass = self.options_class.module_pass_class
        doc = module_pass.__doc__
        # A dataclass without a docstring gets its signature as docstring.
        generated = doc is not None and doc.startswith(f"{module_pass.__name__}(")
        text = "" if generated else inspect.cleandoc(doc or "")
        members = {
            "name": module_pass.__name__,
            "argument": self.argument,
            "summary": text.partition("\n\n")[0].replace("\n", " "),
            "options_class": self.options_class,
            "outside_access": _OUTSIDE_ACCESS.get(module_pass.name, ""),
            "__doc__": text,
        }
        return type(module_pass.__name__, (XDSLModulePass,), members)


def register_xdsl_passes(registry: PassRegistry | None = None) -> None:
    """Register all of xDSL's passes, those of installed plugins included.

    A pass whose name another pass has gets the prefix `xdsl.`. A pass that
    `universe_of` wrapped for xDSL is registered as its original entry.
    """
    registry = default_registry if registry is None else registry
    taken = set(registry.arguments())
    for name, load in installed_universe().all_passes.items():
        if not isinstance(load, EmbeddedPassFactory):
            registry.add(XDSLPassEntry(name, load), replace=True)
        elif name not in taken:
            registry.add(load.entry)
