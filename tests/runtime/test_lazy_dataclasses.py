"""Lazily compiled methods behave as those that `@dataclass` makes at once."""

from __future__ import annotations

import dataclasses

import pytest

from passgen_runtime import lazy_dataclasses

HOOK = "_create_fn"

pytestmark = pytest.mark.skipif(
    not hasattr(dataclasses, HOOK),
    reason="since Python 3.13, all methods of a class are compiled at once",
)


@pytest.fixture(autouse=True)
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Make dataclasses of this module lazy; return the methods compiled from now on."""
    create = getattr(dataclasses, HOOK)
    names: list[str] = []

    def create_and_note(name: str, *arguments: object, **options: object) -> object:
        names.append(name)
        return create(name, *arguments, **options)

    monkeypatch.setattr(dataclasses, HOOK, create_and_note)  # put back afterwards
    lazy_dataclasses.install((__name__,))
    return names


def variants() -> tuple[type, type]:
    @dataclasses.dataclass
    class Plain:
        x: int
        y: str = "d"

    @dataclasses.dataclass(frozen=True, slots=True, order=True)
    class Frozen:
        x: int
        y: str = "d"

    return Plain, Frozen


def test_methods_do_what_they_should() -> None:
    for cls in variants():
        one, same, other = cls(1), cls(1, "d"), cls(2)

        assert repr(one) == f"{cls.__qualname__}(x=1, y='d')"
        assert (one == same, one == other, one != other) == (True, False, True)
        assert one.__eq__(3) is NotImplemented
        assert cls(x=1, y="d") == one


def test_frozen_ordered_and_hashable() -> None:
    _, cls = variants()

    assert (hash(cls(1)) == hash(cls(1)), cls(1) < cls(2)) == (True, True)
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field"):
        cls(1).x = 2
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field"):
        del cls(1).x


def test_first_call_puts_the_method_in_its_place() -> None:
    plain, _ = variants()
    before = vars(plain)["__eq__"]
    child = type("Child", (plain,), {})

    assert child(1) == child(1)
    assert vars(plain)["__eq__"] is not before
    assert "__eq__" not in vars(child)
    assert before(plain(1), plain(1)) is True


def test_a_method_is_compiled_when_it_is_first_called(compiled: list[str]) -> None:
    plain, _ = variants()
    compiled.clear()

    assert [repr(plain(1)), repr(plain(2))] == [
        f"{plain.__qualname__}(x={x}, y='d')" for x in (1, 2)
    ]
    assert compiled == ["__repr__"]


def test_classes_of_other_modules_are_compiled_at_once(compiled: list[str]) -> None:
    del compiled[:]

    @dataclasses.dataclass
    class Other:
        __module__ = "types"
        x: int

    assert compiled == ["__init__", "__repr__", "__eq__"]


def test_installing_twice_is_installing_once() -> None:
    create = getattr(dataclasses, HOOK)
    lazy_dataclasses.install()

    assert getattr(dataclasses, HOOK) is create
