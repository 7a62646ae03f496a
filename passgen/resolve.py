"""Located data to the model: the phase between `schema` and `checks`.

Defaults are applied here and nowhere else. `schema` has settled keys and types, so what
does not fit here is a fault of the generator: each key is taken once, and a key that
nobody took is an assertion, so that none can be ignored in silence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from passgen import naming
from passgen.located import Mapping, Node, Scalar, Sequence
from passgen.model import (
    Anchor,
    DependentDialect,
    EnumValue,
    Option,
    OptionType,
    OptionValue,
    Pass,
    PassGroup,
    Statistic,
)
from passgen.option_types import FOREIGN

if TYPE_CHECKING:
    from passgen.source import Location

T = TypeVar("T")


class _Keys:
    """The entries of a mapping, each to be taken once."""

    def __init__(self, node: Node) -> None:
        assert isinstance(node, Mapping)
        self._entries = dict(node.entries)

    def take(self, key: str) -> Node | None:
        """Return the value under `key` if there is one."""
        entry = self._entries.pop(key, None)
        return entry.value if entry else None

    def take_text(self, key: str) -> tuple[str, Location]:
        """Return the text under the required `key`, and its place."""
        node = self.take(key)
        assert isinstance(node, Scalar)
        assert isinstance(node.value, str)
        return node.value, node.location

    def take_line(self, key: str, otherwise: str = "") -> str:
        """Return the text under `key` without the line end of a block scalar."""
        node = self.take(key)
        if node is None:
            return otherwise
        assert isinstance(node, Scalar)
        assert isinstance(node.value, str)
        return node.value.removesuffix("\n")

    def take_items(self, key: str) -> tuple[Node, ...]:
        """Return the items of the list under `key`, none if there is none."""
        node = self.take(key)
        if node is None:
            return ()
        assert isinstance(node, Sequence)
        return node.items

    def done(self, what: T) -> T:
        """Return `what` was made of the entries, all of which have been taken."""
        assert not self._entries, f"keys that nothing reads: {list(self._entries)}"
        return what


def resolve(data: Mapping, name: str | None = None) -> PassGroup:
    """Return the group that `data` declares; `name` overrides the one it gives itself.

    Without either, the group is named after its file.
    """
    keys = _Keys(data)
    own_name = keys.take_line("name")
    passes = keys.take("passes")
    assert isinstance(passes, Mapping)
    group = PassGroup(
        name=name or own_name or naming.group_name(data.location.source.name),
        summary=keys.take_line("summary"),
        description=keys.take_line("description"),
        passes=tuple(
            _pass(pass_name, entry.key, entry.value)
            for pass_name, entry in passes.entries.items()
        ),
        location=data.location,
    )
    return keys.done(group)


def _pass(name: str, location: Location, node: Node) -> Pass:
    keys = _Keys(node)
    argument, argument_location = keys.take_text("argument")
    summary, summary_location = keys.take_text("summary")
    constructor = keys.take("constructor")
    pass_ = Pass(
        name=name,
        argument=argument,
        summary=summary.removesuffix("\n"),
        description=keys.take_line("description"),
        anchor=_anchor(keys),
        dependent_dialects=tuple(
            DependentDialect(*_text(item))
            for item in keys.take_items("dependentDialects")
        ),
        constructor=_text(constructor)[0] if constructor else "",
        options=tuple(_option(name, item) for item in keys.take_items("options")),
        statistics=tuple(_statistic(item) for item in keys.take_items("statistics")),
        location=location,
        argument_location=argument_location,
        summary_location=summary_location,
        constructor_location=constructor.location if constructor else location,
    )
    return keys.done(pass_)


def _anchor(keys: _Keys) -> Anchor | None:
    operation = keys.take("anchor")
    interface = keys.take("interface")
    if operation:
        return Anchor("operation", *_text(operation))
    if interface:
        return Anchor("interface", *_text(interface))
    return None


def _option(pass_name: str, node: Node) -> Option:
    keys = _Keys(node)
    name, location = keys.take_text("name")
    argument, argument_location = keys.take_text("argument")
    single, element = keys.take("type"), keys.take("listOf")
    type_node = element if single is None else single
    assert type_node is not None
    default = keys.take("default")
    option = Option(
        name=name,
        argument=argument,
        type=_type(pass_name, name, type_node, keys),
        is_list=element is not None,
        default=_value(default),
        description=keys.take_line("description"),
        location=location,
        argument_location=argument_location,
        default_location=default.location if default else location,
    )
    return keys.done(option)


def _type(pass_name: str, option_name: str, node: Node, keys: _Keys) -> OptionType:
    if isinstance(node, Mapping):
        spelling = _Keys(node)
        python = spelling.take_line("python")
        return spelling.done(OptionType(FOREIGN, node.location, python=python))
    name, location = _text(node)
    if name != "enum":
        return OptionType(name, location)
    own_name = keys.take("enumName")
    return OptionType(
        name,
        own_name.location if own_name else location,
        enum_name=(
            _text(own_name)[0]
            if own_name
            else naming.enum_class(pass_name, option_name)
        ),
        values=tuple(_enum_value(item) for item in keys.take_items("values")),
    )


def _enum_value(node: Node) -> EnumValue:
    if not isinstance(node, Mapping):
        text, location = _text(node)
        return EnumValue(text, "", location)
    keys = _Keys(node)
    text, location = keys.take_text("value")
    return keys.done(EnumValue(text, keys.take_line("description"), location))


def _statistic(node: Node) -> Statistic:
    keys = _Keys(node)
    name, location = keys.take_text("name")
    display_name = keys.take("displayName")
    statistic = Statistic(
        name=name,
        display_name=(
            _text(display_name)[0].removesuffix("\n") if display_name else name
        ),
        description=keys.take_line("description"),
        location=location,
    )
    return keys.done(statistic)


def _text(node: Node) -> tuple[str, Location]:
    assert isinstance(node, Scalar)
    assert isinstance(node.value, str)
    return node.value, node.location


def _value(node: Node | None) -> OptionValue | None:
    if node is None:
        return None
    assert isinstance(node, Scalar)
    return node.value
