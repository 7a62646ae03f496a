"""xDSL `ModulePass`es that run a pass or pipeline of this package.

An xDSL `PassPipeline` can contain `as_module_pass(...)`.
"""

from __future__ import annotations

import dataclasses
import keyword
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any, ClassVar, Final, Self

from xdsl.context import Context as XDSLIRContext
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec, ParameterListType, ParameterType
from xdsl.utils.exceptions import PassFailedException

from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.errors import PassError, PassFailure, PassOptionError
from passgen_runtime.ir.embedding import embed_pipeline, errors_collected_in
from passgen_runtime.ir.xdsl.context import XDSLContext
from passgen_runtime.operation_pass import Pass, description_of
from passgen_runtime.pass_manager import OpPassManager, PassManager
from passgen_runtime.pass_options import OptionInfo, OptionType
from passgen_runtime.pass_registry import (
    AnyEntry,
    PassRegistry,
    PipelineEntry,
    add_pass_from_flag,
)
from passgen_runtime.textual_pipeline import parse_options, quote

_MODULE: Final = "builtin.module"


@dataclass(frozen=True)
class EmbeddedPass(ModulePass):
    """An xDSL pass that runs passes of this package."""

    name = "passgen-pipeline"

    def apply(self, ctx: XDSLIRContext, op: ModuleOp) -> None:
        """Run the passes on `op`; the exception has the errors that they report.

        Raises:
            PassFailedException: a pass has failed, or cannot run.
        """
        errors: list[Diagnostic] = []
        context = XDSLContext(ctx)
        try:
            manager = self._manager(context)
            # xDSL requires a frozen class.
            object.__setattr__(self, "_last_run", manager)
            with errors_collected_in(errors, context):
                manager.run(op)
        except PassError as error:
            reason = error.summary if isinstance(error, PassFailure) else str(error)
            raise PassFailedException("\n".join(map(str, (*errors, reason)))) from error

    def statistics_report(self) -> str:
        """Return the statistics of the last run, which xDSL does not print."""
        manager: PassManager | None = getattr(self, "_last_run", None)
        return "" if manager is None else manager.statistics_report()

    def _manager(self, context: XDSLContext) -> PassManager:
        raise NotImplementedError


@dataclass(frozen=True)
class _EmbeddedPipeline(EmbeddedPass):
    """Runs one pass, or one pipeline."""

    pipeline: str
    """The pipeline as text."""

    runs: Pass | OpPassManager = field(init=False, repr=False, compare=False)

    def _manager(self, context: XDSLContext) -> PassManager:
        return embed_pipeline(self.runs, context, _MODULE)


def as_module_pass(pipeline: Pass | OpPassManager) -> EmbeddedPass:
    """Return an xDSL pass that runs `pipeline` on a module, or inside it.

    The pass itself runs, not a copy, so that its statistics count the run.

    Raises:
        TypeError: `pipeline` is neither a pass nor a pipeline.
    """
    embed_pipeline(pipeline, XDSLContext(XDSLIRContext()), _MODULE)
    module_pass = _EmbeddedPipeline(str(pipeline))
    object.__setattr__(module_pass, "runs", pipeline)
    return module_pass


@dataclass(frozen=True)
class EmbeddedEntry(EmbeddedPass):
    """The base of the xDSL passes that `universe_of` makes; fields are the options."""

    entry: ClassVar[AnyEntry]
    registry: ClassVar[PassRegistry]
    option_fields: ClassVar[Mapping[str, OptionInfo]]

    def __post_init__(self) -> None:
        """Check the options.

        Raises:
            ValueError: a value is wrong.
        """
        try:
            self.entry.parse_options(tuple(parse_options(self._options_text())))
        except PassError as error:
            raise _refusal(self.name, error) from error

    @classmethod
    def from_spec(cls, spec: ArgSpec) -> Self:
        """Return the pass with the options of `spec`, with `-` or `_` in their names.

        Raises:
            ValueError: an option is unknown, or a value wrong.
        """
        known = {info.argument for info in cls.option_fields.values()}
        given: dict[str, Any] = {}
        for key, values in spec.parameters.items():
            argument = key if key in known else key.replace("_", "-")
            try:
                info = cls.entry.options_class.option_info(argument)
            except PassOptionError as error:
                raise _refusal(cls.name, error) from error
            name = _field_name(info)
            if not values and info.type.bare is not None:
                given[name] = info.type.parse(info.type.bare)
            elif not values and info.default is None:
                given[name] = None
            else:
                is_scalar = not info.is_list and len(values) == 1
                given[name] = values[0] if is_scalar else values
        for name in sorted(cls.required_fields() - {*given}):
            raise ValueError(f'Pass {cls.name} requires argument "{name}"')
        return cls(**given)

    def spec(self, *, include_default: bool = False) -> ArgSpec:
        """Return the options that are not the defaults, or all of them."""
        given: dict[str, ParameterListType] = {}
        for name, info in self.option_fields.items():
            value = getattr(self, name)
            if include_default or value != _plain_default(info):
                values = () if value is None else (value,)
                given[info.argument] = value if isinstance(value, tuple) else values
        return ArgSpec(self.name, given)

    def _options_text(self) -> str:
        return " ".join(
            f"{info.argument}={_spell(info, getattr(self, name))}"
            for name, info in self.option_fields.items()
            if getattr(self, name) != _plain_default(info)
        )

    def _manager(self, context: XDSLContext) -> PassManager:
        manager = PassManager(context, _MODULE, nesting="implicit")
        manager.verify_each = False  # xDSL decides
        text = self._options_text()
        flag = f"--{self.name}={text}" if text else f"--{self.name}"
        add_pass_from_flag(manager, flag, self.registry, context)
        return manager


@dataclass(frozen=True)
class EmbeddedPassFactory:
    """Creates the xDSL class of a registered pass or pipeline on demand."""

    entry: AnyEntry
    registry: PassRegistry
    """The registry of the entry."""

    def __call__(self) -> type[EmbeddedEntry]:
        """Return the class."""
        return self._module_pass

    @cached_property
    def _module_pass(self) -> type[EmbeddedEntry]:
        entry = self.entry
        declared = entry.options_class.declared_options()
        infos = {_field_name(info): info for info in declared}
        namespace: dict[str, Any] = {
            "name": entry.argument,
            "entry": entry,
            "registry": self.registry,
            "option_fields": infos,
            "__doc__": entry.summary,
        }
        if not isinstance(entry, PipelineEntry):
            namespace["__doc__"] = description_of(entry.pass_class) or entry.summary
        made = dataclasses.make_dataclass(
            "".join(word.title() for word in entry.argument.split("-")),
            [
                (name, _annotation(info), field(default=_plain_default(info)))
                for name, info in infos.items()
            ],
            bases=(EmbeddedEntry,),
            namespace=namespace,
            frozen=True,
            kw_only=True,
        )
        made.__module__ = __name__
        return made


def _refusal(name: str, error: PassError) -> ValueError:
    """Return `error` as xDSL's error for wrong options, in one line."""
    return ValueError(f"{name}: {'; '.join(str(error).splitlines())}")


def _field_name(info: OptionInfo) -> str:
    """Return a field name for an option that differs from all attributes."""
    name = info.argument.replace("-", "_")
    is_taken = hasattr(EmbeddedEntry, name) or name in EmbeddedEntry.__annotations__
    is_taken = is_taken or keyword.iskeyword(name)
    return f"option_{name}" if is_taken or not name.isidentifier() else name


def _annotation(info: OptionInfo) -> Any:  # noqa: ANN401 - a type, also a generic one
    element = type(_plain(info.type, info.type.zero))
    value: Any = tuple[element, ...] if info.is_list else element  # type: ignore[valid-type]
    return value | None if info.default is None else value


def _plain_default(info: OptionInfo) -> object:
    if info.default is None or info.is_required:
        return info.default
    if not info.is_list:
        return _plain(info.type, info.default)
    return tuple(_plain(info.type, value) for value in info.default)


def _plain(type_: OptionType[Any], value: object) -> ParameterType:
    """Return `value` as xDSL stores it: a number, a boolean or a string."""
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, bool | int | float | str):
        return value
    return type_.print(value)


def _spell(info: OptionInfo, value: object) -> str:
    """Return the `value` of a field in pipeline syntax."""
    if isinstance(value, tuple | list):
        return f"{{{','.join(_spell(info, element) for element in value)}}}"
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if info.type.parse_slice is None:
        return quote(text)
    return text if text.startswith("{") else f"{{{text}}}"
