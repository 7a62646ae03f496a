"""Records mean what frozen dataclasses with slots mean."""

import copy
import pickle

import pytest

from passgen.record import Record, fields, replace


class Anchor(Record):
    kind: str
    name: str = "any"
    tags: tuple[str, ...] = ()

    @property
    def spelling(self) -> str:
        return f"{self.kind} {self.name}"


class Nothing(Record):
    """A record without fields."""


class Other(Record):
    kind: str
    name: str = "any"
    tags: tuple[str, ...] = ()


def test_fields_are_given_in_order_or_by_name() -> None:
    by_order = Anchor("operation", "func.func")
    by_name = Anchor(name="func.func", kind="operation")

    assert by_order == by_name
    assert hash(by_order) == hash(by_name)
    assert fields(by_order) == {"kind": "operation", "name": "func.func", "tags": ()}
    assert by_order.spelling == "operation func.func"


def test_a_record_equals_one_of_its_class_with_the_same_fields_only() -> None:
    assert Anchor("operation") != Anchor("interface")
    assert Anchor("operation") != Other("operation")
    assert Nothing() == Nothing()
    assert hash(Nothing()) == hash(Nothing())


def test_representation() -> None:
    assert repr(Anchor("a")) == "Anchor(kind='a', name='any', tags=())"
    assert repr(Nothing()) == "Nothing()"


@pytest.mark.parametrize(
    ("values", "named", "message"),
    [
        ((), {}, "missing 1 required positional argument: 'kind'"),
        ((), {"kind": "a", "nam": "b"}, "unexpected keyword argument 'nam'"),
        (("a",), {"kind": "b"}, "multiple values for argument 'kind'"),
        (("a", "b", (), "d"), {}, "takes from 2 to 4 positional arguments"),
    ],
)
def test_wrong_fields(
    values: tuple[str, ...], named: dict[str, str], message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        Anchor(*values, **named)  # type: ignore[arg-type]  # that is the test


def test_nothing_changes() -> None:
    anchor = Anchor("operation")

    with pytest.raises(AttributeError, match="cannot assign to 'kind'"):
        anchor.kind = "b"  # type: ignore[misc]  # that is the test
    with pytest.raises(AttributeError, match="cannot assign to 'new'"):
        anchor.new = "b"
    with pytest.raises(AttributeError, match="cannot delete 'kind'"):
        del anchor.kind

    assert anchor == Anchor("operation")


def test_replacing_makes_another() -> None:
    anchor = Anchor("operation")

    assert replace(anchor, name="func.func") == Anchor("operation", "func.func")
    assert anchor.name == "any"


def test_copies_are_equal() -> None:
    anchor = Anchor("operation", tags=("a",))

    assert copy.deepcopy(anchor) == anchor
    assert pickle.loads(pickle.dumps(anchor)) == anchor  # noqa: S301 - made here


def test_matching_by_position() -> None:
    match Anchor("operation", "func.func"):
        case Anchor(kind, name):
            assert (kind, name) == ("operation", "func.func")
