"""Passes and pipelines that declare all that the help shows."""

from __future__ import annotations

from dataclasses import dataclass

from passgen_runtime import (
    ALL_ANALYSES,
    INT64,
    OperationPass,
    OpPassManager,
    PassOptions,
    PassRegistry,
    after,
    before_if_present,
    cleanup,
    option,
    tag,
)


class Schedule:
    """An analysis."""


@dataclass(kw_only=True)
class DocumentedOptions(PassOptions):
    size: int | None = option(
        "size", INT64, cpp_default="kSize", deprecated="Leave it out."
    )


class Documented(OperationPass[DocumentedOptions]):
    """Be documented.

    At length.
    """

    argument = "test-documented"
    summary = "Be documented"
    anchor = "func.func"
    dependent_dialects = ("arith",)
    tags = ("first", "second")
    ordering = (after(tag("lowering")), before_if_present("cse"), cleanup("dce", "cse"))
    required_analyses = (Schedule,)
    provided_analyses = (Schedule,)
    preserved_analyses = ALL_ANALYSES

    def run_on_operation(self) -> None:
        """Do nothing."""


class Declared(OperationPass[PassOptions]):
    argument = "test-declared"
    summary = "Be declared; nothing implements it"
    deprecated = "Use 'cse' instead."
    unknown_anchor = "operation class xyz::Op"


@dataclass(kw_only=True)
class TimesOptions(PassOptions):
    times: int = option("times", INT64, default=2)


def _repeat(manager: OpPassManager, options: TimesOptions) -> None:
    for _ in range(options.times):
        manager.add_pass(Documented())


def _fail(_: OpPassManager) -> None:
    raise ValueError("not today")


def register_documented(registry: PassRegistry) -> None:
    registry.register_pass(Documented)
    registry.register_pass(Declared)
    registry.register_pipeline("test-twice", "Do it twice", _repeat, TimesOptions)
    registry.register_pipeline("test-not-built", "Fail to be built", _fail)
