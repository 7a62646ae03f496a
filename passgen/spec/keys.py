"""The entries of a mapping, each to be taken once: how `resolve` reads located data."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from passgen.spec.located import Mapping, Node, Scalar, Sequence

if TYPE_CHECKING:
    from passgen.source import Location

T = TypeVar("T")


class Keys:
    """The entries of a mapping, each to be taken once."""

    def __init__(self, node: Node) -> None:
        """Begin with all entries of the mapping `node`."""
        assert isinstance(node, Mapping)
        self._entries = dict(node.entries)
        self.location = node.location

    def take(self, key: str) -> Node | None:
        """Return the value under `key` if there is one."""
        entry = self._entries.pop(key, None)
        return entry.value if entry else None

    def take_text(self, key: str) -> tuple[str, Location]:
        """Return the text under the required `key`, and its place."""
        node = self.take(key)
        assert node is not None
        return text_of(node)

    def take_line(self, key: str, otherwise: str = "") -> str:
        """Return the text under `key` without the line end of a block scalar."""
        node = self.take(key)
        if node is None:
            return otherwise
        return text_of(node)[0].removesuffix("\n")

    def take_exact(self, key: str) -> str | None:
        """Return the text under `key` as it is, `None` if there is none."""
        node = self.take(key)
        return None if node is None else text_of(node)[0]

    def take_keys(self, key: str) -> Keys | None:
        """Return the mapping under `key` if there is one."""
        node = self.take(key)
        return None if node is None else Keys(node)

    def take_rest(self) -> dict[str, Node]:
        """Return all entries that nothing has taken: a mapping with keys of its own."""
        rest = {key: entry.value for key, entry in self._entries.items()}
        self._entries.clear()
        return rest

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


def text_of(node: Node) -> tuple[str, Location]:
    """Return the text that `node` is, and its place."""
    assert isinstance(node, Scalar)
    assert isinstance(node.value, str)
    return node.value, node.location
