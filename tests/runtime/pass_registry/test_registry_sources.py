"""Sources of passes, asked once for what is not known; finders, asked each time."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from passgen_runtime import PassRegistry
from passgen_runtime.pass_registry.entries import (
    PassEntry,
    PipelineEntry,
    RegistryEntry,
)
from tests.recording import step


def source(asked: list[str], name: str) -> Callable[[PassRegistry], None]:
    def register(registry: PassRegistry) -> None:
        asked.append(name)
        registry.register_pass(lambda: step(name.title(), argument=name))

    return register


def test_names_ask_one_source_after_the_other() -> None:
    asked: list[str] = []
    registry = PassRegistry()
    first, second = source(asked, "first"), source(asked, "second")
    for each in (first, second, first):
        registry.add_source(each)

    assert asked == []
    assert registry.lookup("first") is not None
    assert asked == ["first"]
    registry.add_source(first)
    assert registry.lookup_pass("second") is not None
    assert registry.lookup_pipeline("third") is None
    assert asked == ["first", "second"]


def test_lists_ask_all_sources() -> None:
    for ask in (PassRegistry.passes, PassRegistry.arguments, PassRegistry.pipelines):
        asked: list[str] = []
        registry = PassRegistry()
        registry.add_source(source(asked, "first"))
        registry.add_source(source(asked, "second"))
        ask(registry)

        assert asked == ["first", "second"]


def test_source_that_raises_is_asked_again() -> None:
    asked: list[str] = []
    errors = [ImportError("not installed yet")]

    def late(registry: PassRegistry) -> None:
        if errors:
            raise errors.pop()
        source(asked, "late")(registry)

    registry = PassRegistry()
    registry.add_source(late)
    registry.add_source(source(asked, "later"))
    with pytest.raises(ImportError, match="not installed yet"):
        registry.lookup("late")

    assert registry.lookup("late") is not None
    assert registry.arguments() == ["late", "later"]
    assert asked == ["late", "later"]


class Lender:
    """Finds one pass that no registry holds."""

    def find(
        self, argument: str, registered: RegistryEntry | PipelineEntry | None
    ) -> RegistryEntry | None:
        if argument != "lent":
            return None
        assert registered is None
        example = step("Lent", argument=argument)
        return PassEntry(example, lambda: example)

    def arguments(self) -> list[str]:
        return ["lent"]

    def explanations(self, argument: str) -> tuple[str, ...]:
        return (f"'{argument}' is not lent",)


def test_a_finder_finds_what_is_not_registered_and_explains_what_it_lacks() -> None:
    registry, finder = PassRegistry(), Lender()

    for _ in range(2):
        registry.add_finder(finder)

    assert registry.lookup("lent") is not None
    assert registry.arguments() == ["lent"]
    assert registry.explanations("else") == ("'else' is not lent",)
