"""Passes of one's own with the names of shipped passes, in any order of questions."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import permutations
from types import ModuleType

import pytest

from passgen_runtime import (
    OperationPass,
    OpPassManager,
    Pass,
    PassOptions,
    PassRegistry,
    RegistrationError,
    parse_pass_pipeline,
)
from passgen_runtime.ir.xdsl.module_passes import register_xdsl_passes
from passgen_runtime.pass_registry import PassEntry
from passgen_runtime.passes import register_all_passes, with_shipped
from passgen_runtime.passes.cse import CSE


class Cse(OperationPass[PassOptions]):
    argument = "cse"

    def run_on_operation(self) -> None: ...


def own(registry: PassRegistry) -> None:
    registry.register_pass(Cse)


def classes(registry: PassRegistry) -> list[str]:
    names = "cse", "passgen.cse", "xdsl.cse"
    found = parse_pass_pipeline(f"any({','.join(names)})", registry)
    assert str(found) == f"any({','.join(names)})"
    return [type(pass_).__name__ for pass_ in found.passes()]


REGISTRATIONS = own, register_all_passes, register_xdsl_passes


@pytest.mark.parametrize("order", list(permutations(REGISTRATIONS)))
def test_each_order_of_registration_gives_the_same_names(
    order: tuple[Callable[[PassRegistry], None], ...],
) -> None:
    registry = PassRegistry()

    for register in (*order, *order):
        register(registry)

    assert classes(registry) == ["Cse", "CSE", "CommonSubexpressionElimination"]
    num_named_so = sum(entry.argument.endswith("cse") for entry in registry.passes())
    assert num_named_so == len(("cse", "passgen.cse", "xdsl.cse"))


@pytest.mark.parametrize("question", ["cse", "canonicalize", "passgen.cse", "unknown"])
def test_what_is_asked_first_changes_nothing(question: str) -> None:
    registries = with_shipped(PassRegistry()), with_shipped(PassRegistry())
    registries[0].lookup(question)
    for registry in registries:
        registry.register_pass(Cse)
        registry.lookup(question)

        assert classes(registry) == ["Cse", "CSE", "CommonSubexpressionElimination"]


def test_the_prefix_is_for_taken_names_alone() -> None:
    registry = with_shipped(PassRegistry())

    assert registry.lookup("passgen.cse") is None


def test_replace_leaves_the_shipped_pass_its_prefix() -> None:
    registry = with_shipped(PassRegistry())
    registry.arguments()

    registry.register_pass(Cse, replace=True)

    assert classes(registry)[:2] == ["Cse", "CSE"]


def test_a_pipeline_and_a_factory_win_too() -> None:
    def build(manager: OpPassManager) -> None:
        manager.add_pass(Cse())

    class Canonicalize(Cse):
        argument = "canonicalize"

    def make() -> Pass:
        return Canonicalize()

    registry = with_shipped(PassRegistry())
    registry.register_pipeline("cse", "", build)
    registry.register_pass(make)
    registry.arguments()
    text = "any(cse,canonicalize,passgen.canonicalize,passgen.cse)"

    found = parse_pass_pipeline(text, registry).passes()

    names = [type(pass_).__name__ for pass_ in found]
    assert names == ["Cse", "Canonicalize", "Canonicalizer", "CSE"]


def test_the_renamed_pass_keeps_its_name_in_copies() -> None:
    registry = with_shipped(PassRegistry())
    registry.register_pass(Cse)
    manager = parse_pass_pipeline("any(passgen.cse)", registry)

    assert str(manager.copy()) == "any(passgen.cse)"
    assert CSE.argument == "cse"


def test_a_package_with_a_namespace_leaves_its_names_to_authors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    toy = ModuleType("toy")
    vars(toy)["PASSES_NAMESPACE"] = "toy"
    monkeypatch.setitem(sys.modules, "toy", toy)

    class ToyCse(OperationPass[PassOptions]):
        __module__ = "toy.passes.cse"
        argument = "cse"

        def run_on_operation(self) -> None: ...

    registry = PassRegistry()

    registry.register_pass(ToyCse)
    registry.register_pass(Cse)

    assert registry.passes() == [PassEntry(Cse), PassEntry(ToyCse, None, "toy.cse")]


def test_two_passes_of_the_author_stay_an_error() -> None:
    registry = with_shipped(PassRegistry())
    registry.register_pass(Cse)

    class Cse2(OperationPass[PassOptions]):
        argument = "cse"

        def run_on_operation(self) -> None: ...

    with pytest.raises(RegistrationError, match="'cse' is registered twice"):
        registry.register_pass(Cse2)
    registry.arguments()
    with pytest.raises(RegistrationError, match="'cse' is registered twice"):
        registry.register_pass(Cse2)
