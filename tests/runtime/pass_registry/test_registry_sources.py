"""Sources of passes, asked once for what is not known; finders, asked each time."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from passgen_runtime import PassRegistry
from passgen_runtime.pass_registry.entries import (
    FactoryEntry,
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
        return FactoryEntry(lambda: example, example)

    def arguments(self) -> list[str]:
        return ["lent"]

    def explanations(self, argument: str) -> tuple[str, ...]:
        return (f"'{argument}' is not lent",)


def test_finder_for_a_block_has_its_say_until_the_last_such_block_ends() -> None:
    registry, finder = PassRegistry(), Lender()
    with registry.finding(finder):
        with pytest.raises(KeyError), registry.finding(finder):
            raise KeyError
        assert registry.lookup("lent") is not None
        assert registry.arguments() == ["lent"]
        assert registry.explanations("else") == ("'else' is not lent",)

    assert registry.explanations("else") == ()
    assert registry.lookup("lent") is None
    assert registry.arguments() == []


def test_it_leaves_a_finder_that_was_added_for_good() -> None:
    registry, finder = PassRegistry(), Lender()
    registry.add_finder(finder)
    with registry.finding(finder):
        pass

    assert registry.lookup("lent") is not None
