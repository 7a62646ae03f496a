"""Lazily compiled methods behave as those that `@dataclass` makes at once."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import pytest

from passgen_runtime import lazy_dataclasses

HOOK = "_create_fn"


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    create = getattr(dataclasses, HOOK, None)
    if create is None:
        pytest.skip("this Python compiles the methods of a class at once")
    monkeypatch.setattr(dataclasses, HOOK, create)  # put back afterwards
    lazy_dataclasses.install()


def variants() -> Iterator[type]:
    yield dataclasses.make_dataclass("Plain", [("x", int), ("y", str, "d")])
    yield dataclasses.make_dataclass(
        "Frozen",
        [("x", int), ("y", str, "d")],
        frozen=True,
        slots=True,
        order=True,
    )


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


def test_installing_twice_is_installing_once() -> None:
    create = getattr(dataclasses, HOOK)
    lazy_dataclasses.install()

    assert getattr(dataclasses, HOOK) is create
