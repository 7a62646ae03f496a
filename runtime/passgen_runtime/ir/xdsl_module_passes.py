"""xDSL's own `ModulePass`es, under their own names and options, in our pipelines.

Each becomes a pass anchored on `builtin.module`. Its class is imported when it is first
used, so that registering all of them costs nothing. Option names may be written with
`-` or `_`, as in xDSL; values are written as those of other passes are, and are of the
first type that fits, of those that xDSL's field takes.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import NoneType
from typing import Any, ClassVar, Final, Self, TypeAlias, cast, get_args, get_type_hints

from xdsl.passes import ModulePass, get_pass_option_infos
from xdsl.universe import Universe
from xdsl.utils.arg_spec import ArgSpec
from xdsl.utils.exceptions import DiagnosticException, PassFailedException
from xdsl.utils.hints import isa

from passgen_runtime.errors import PassOptionError
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.operation_pass import OperationPass, Pass
from passgen_runtime.option_types import OptionType
from passgen_runtime.pass_options import OptionInfo, PassOptions
from passgen_runtime.pass_registry import PassRegistry, default_registry
from passgen_runtime.textual_options import (
    Fragment,
    TextualOption,
    quote,
    split_list,
    text_of,
)

PREFIX = "xdsl."
"""Goes before the name of an xDSL pass whose own name is one of ours."""


Scalar: TypeAlias = bool | int | float | str

_INTEGER = re.compile(r"[-+]?[0-9]+")
_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*(?:[eE][-+]?[0-9]+)?|inf|nan)")
_DELIMITERS: Final = ("'", '"', "$'")


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
                OptionType(info.expected_type, None, str, lambda _: True, _printed),
                is_list=False,
                default=info.default_value,
                description="",
            )
            for info in get_pass_option_infos(cls.module_pass_class)
        )

    def __post_init__(self) -> None:
        """Check the values of the options that are given.

        Raises:
            PassOptionError: an option is unknown or a value wrong.
        """
        hints = get_type_hints(self.module_pass_class)
        for name, values in self.spec.parameters.items():
            self.option_info(name.replace("_", "-"))
            if not _fits(values, hints[name.replace("-", "_")]):
                raise _wrong_value(name, f"{values}", hints[name])

    @classmethod
    def from_textual(
        cls, options: Iterable[TextualOption], base: Self | None = None
    ) -> Self:
        """Return options from parsed ones.

        Raises:
            PassOptionError: an option is unknown or a value wrong, or a required one is
                missing.
        """
        given: dict[str, tuple[Scalar, ...]] = {}
        parameters = {} if base is None else dict(base.spec.parameters)
        hints = get_type_hints(cls.module_pass_class)
        for each in options:
            span = each.span
            try:
                name = cls.option_info(each.key.replace("_", "-")).field
                span = each.value_span
                values = _values(each, hints[name])
                before = given.get(name, ())
                # What is given again adds to a list, and takes a scalar's place.
                if before and _fits((*before, *values), hints[name]):
                    values = (*before, *values)
                parameters[name] = given[name] = values
            except PassOptionError as error:
                error.span = span
                raise
        for name in sorted(cls.module_pass_class.required_fields() - {*parameters}):
            option = name.replace("_", "-")
            message = f"for the --{option} option: must be specified at least once!"
            raise PassOptionError(message, (f"expected {_type_text(hints[name])}",))
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
            # Passes check their values themselves, and raise what they like.
            raise PassOptionError(str(error) or type(error).__name__) from error

    def _printed(self) -> Iterator[str]:
        """Yield the options that were given, in order of name."""
        for name, values in sorted(self.spec.parameters.items()):
            argument = name.replace("_", "-")
            yield f"{argument}={_printed(values)}" if values else argument


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
    def pass_class(self) -> type[Pass]:
        """What stands for the class in our pipelines."""
        return self._pass_class

    @property
    def options_class(self) -> type[PassOptions]:
        """What the options between the braces are parsed into."""
        return self._pass_class.options_class

    @property
    def origin(self) -> str:
        """The class in xDSL."""
        module_pass = self._options_class.module_pass_class
        return f"{module_pass.__module__}.{module_pass.__qualname__}"

    def parse_options(self, options: Sequence[TextualOption]) -> PassOptions:
        """Return the options that were given."""
        return self.options_class.from_textual(options)

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


def _values(option: TextualOption, hint: object) -> tuple[Scalar, ...]:
    """Return the value of `option` as the first of its readings that `hint` admits.

    Raises:
        PassOptionError: it has none.
    """
    readings: Iterable[tuple[Scalar, ...]]
    if option.value is None:
        readings = ((), (True,))
    else:
        parts = [option.value.strip()]
        elements = list(split_list(option.value))
        readings = (
            tuple(map(_number_or_text, elements)),
            tuple(map(_number_or_text, parts)),
            tuple(map(text_of, parts)),
            tuple(map(text_of, elements)),
        )
    for reading in readings:
        if _fits(reading, hint):
            return reading
    if option.value is None:
        message = f"for the --{option.key} option: requires a value!"
        raise PassOptionError(message, (f"expected {_type_text(hint)}",))
    raise _wrong_value(option.key, text_of(option.value), hint)


def _wrong_value(option: str, text: str, hint: object) -> PassOptionError:
    expected = _type_text(hint)
    message = (
        f"for the --{option} option: '{text}' value invalid for {expected} argument!"
    )
    return PassOptionError(message, (f"expected {expected}",))


def _fits(values: tuple[Scalar, ...], hint: Any) -> bool:  # noqa: ANN401 - any type
    """Return whether xDSL takes `values` for a field annotated with `hint`."""
    if not values:
        return NoneType in get_args(hint)
    return (len(values) == 1 and isa(values[0], hint)) or isa(values, hint)


def _number_or_text(value: Fragment) -> Scalar:
    """Return what xDSL reads in `value`; what is quoted is text."""
    text = str(value)
    if text.startswith(_DELIMITERS):
        return text_of(value)
    if text in ("true", "false"):
        return text == "true"
    if _INTEGER.fullmatch(text):
        try:
            return int(text)
        except ValueError:  # too many digits: no number that Python reads
            return text
    if _NUMBER.fullmatch(text):
        number = float(text)
        return math.nan if math.isnan(number) else number
    return text


def _printed(values: object) -> str:
    """Return `values`, of one option, as a pipeline spells them."""
    if not isinstance(values, tuple):
        return _printed_scalar(values)
    elements = [_printed_scalar(value) for value in values]
    if len(elements) == 1 and not elements[0].startswith(_DELIMITERS):
        return elements[0]
    return f"{{{','.join(elements)}}}"


def _printed_scalar(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str):
        return str(value)
    # Quotes keep text that looks like a number or a boolean from being read as one.
    is_text = isinstance(_number_or_text(Fragment.of(value)), str)
    return quote(value) if is_text else f"'{value}'"


def _type_text(hint: object) -> str:
    return hint.__name__ if isinstance(hint, type) else str(hint)
