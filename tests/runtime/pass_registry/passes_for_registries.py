"""Passes of one argument, declared passes and a pass that needs a factory."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from passgen_runtime import (
    INT64,
    STRING,
    OperationPass,
    PassOptions,
    list_option,
    option,
)


@dataclass(kw_only=True)
class UnrollOptions(PassOptions):
    factor: int = option("factor", INT64, default=4)
    depths: list[int] = list_option("depths", INT64)


class Unroll(OperationPass[UnrollOptions]):
    argument = "unroll"
    summary = "Unroll loops"
    anchor = "func.func"

    def run_on_operation(self) -> None:
        """Do nothing."""


class Other(OperationPass[PassOptions]):
    argument = "unroll"

    def run_on_operation(self) -> None:
        """Do nothing."""


class Declared(OperationPass[UnrollOptions]):
    argument = "declared"
    declared_in = "specs/mine.yaml"

    @abstractmethod
    def run_on_operation(self) -> None:
        """Do nothing."""


class Parametric(OperationPass[UnrollOptions]):
    argument = "parametric"

    def __init__(self, table: dict[str, int]) -> None:
        super().__init__(UnrollOptions(factor=table["factor"], depths=[1]))
        self.table = table

    def run_on_operation(self) -> None:
        """Do nothing."""


def make_parametric() -> Parametric:
    return Parametric({"factor": 7})


@dataclass(kw_only=True)
class PipelineOptions(PassOptions):
    factor: int = option("by", INT64, default=2)
    label: str = option("label", STRING)


@dataclass(kw_only=True)
class LabelOptions(PassOptions):
    text: str = option("text", STRING, default="")


class Label(OperationPass[LabelOptions]):
    argument = "label"

    def run_on_operation(self) -> None:
        """Do nothing."""
