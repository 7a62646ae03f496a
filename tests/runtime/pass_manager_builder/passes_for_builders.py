"""Passes `a` to `f` without rules, one with options, and builders of pipelines of them."""

from __future__ import annotations

from dataclasses import dataclass

from passgen_runtime import (
    INT32,
    OperationPass,
    Pass,
    PassOptions,
    PassRegistry,
    list_option,
    option,
)
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.pass_manager_builder import PassManagerBuilder


@dataclass(kw_only=True)
class TileOptions(PassOptions):
    size: int = option("size", INT32, default=4)
    loops: list[int] = list_option("loops", INT32)


class Nothing(OperationPass[PassOptions]):
    def run_on_operation(self) -> None:
        pass


class Tile(OperationPass[TileOptions]):
    argument = "tile"
    tags = ("loops",)

    def run_on_operation(self) -> None:
        pass


class Facts:
    """An analysis that nothing computes here."""


def named(argument: str, **attributes: object) -> type[Pass]:
    """Return a pass class called `argument`, with class `attributes`."""
    attributes = {"argument": argument, "__module__": "passes", **attributes}
    return type(argument, (Nothing,), attributes)


def registry_of(*classes: type[Pass]) -> PassRegistry:
    """Return a registry of the passes of this file, and of `classes`."""
    registry = PassRegistry()
    own: list[type[Pass]] = [*map(named, "abcdef"), Tile]
    for class_ in (*own, *classes):
        registry.register_pass(class_)
    return registry


def make(*passes: str | type[Pass], deferred: bool = False) -> PassManagerBuilder:
    """Return a builder of a pipeline from texts and classes, which are registered."""
    classes = {pass_: None for pass_ in passes if not isinstance(pass_, str)}
    registry = registry_of(*classes)
    builder = PassManagerBuilder(
        XDSLContext(), registry=registry, defers_checks=deferred
    )
    for pass_ in passes:
        builder.add(pass_)
    return builder
