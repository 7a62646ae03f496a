"""A pipeline while its order is variable: passes in blocks that can still be edited.

`PassManagerBuilder` adds to it, edits it and makes pass managers of it. A block is a
pass manager to be (`nest`), or passes that came together and may part again: a
`bundle`, a `stage`, a whole `pipeline`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeAlias

from passgen_runtime.errors import Span
from passgen_runtime.operation_pass import Pass
from passgen_runtime.ordering_rules import OrderingRule, Partner
from passgen_runtime.pass_manager import OpPassManager, check_pass
from passgen_runtime.textual_pipeline import ANY_ANCHOR

BlockKind = Literal["nest", "bundle", "stage", "pipeline"]


@dataclass(slots=True, eq=False)
class PassNode:
    """A pass in a pipeline that is being built."""

    prototype: Pass
    """What pass managers get clones of."""

    history: list[str] = field(default_factory=list)
    """What brought it to its place, apart from the blocks around it."""

    parent: Block | None = None

    @property
    def title(self) -> str:
        """What messages call the pass."""
        return self.prototype.argument or self.prototype.name

    @property
    def anchor(self) -> str:
        """The operation that the pass manager around it is for."""
        return nest_of(self).name

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks around the pass, the innermost first."""
        block = self.parent
        while block is not None:
            yield block
            block = block.parent

    def copy(self) -> PassNode:
        """Return the same pass for another place."""
        return PassNode(self.prototype.clone(), list(self.history))


@dataclass(slots=True, eq=False)
class Block:
    """Passes and blocks, in order."""

    kind: BlockKind
    name: str
    """Of an operation or `any` for a `nest`."""

    declared_in: str = ""
    """The spec that declares it, if one does."""

    elements: list[Element] = field(default_factory=list)
    parent: Block | None = None

    def __str__(self) -> str:
        """Return what messages call it."""
        place = f" ({self.declared_in})" if self.declared_in else ""
        return f"{self.kind} '{self.name}'{place}"

    def append(self, element: Element) -> None:
        """Put `element` at the end."""
        self.insert(len(self.elements), element)

    def insert(self, index: int, element: Element) -> None:
        """Put `element` before what is at `index`."""
        self.elements.insert(index, element)
        element.parent = self

    def passes(self) -> Iterator[PassNode]:
        """Yield all passes inside, in order."""
        for element in self.elements:
            if isinstance(element, PassNode):
                yield element
            else:
                yield from element.passes()

    def blocks(self) -> Iterator[Block]:
        """Yield all blocks inside, each before those inside it."""
        for element in self.elements:
            if isinstance(element, Block):
                yield element
                yield from element.blocks()

    def copy(self) -> Block:
        """Return the same passes for another place."""
        duplicate = Block(self.kind, self.name, self.declared_in)
        for element in self.elements:
            duplicate.append(element.copy())
        return duplicate


Element: TypeAlias = PassNode | Block


class BlockFiller(OpPassManager):
    """A pass manager whose passes go into a block: what builders of pipelines fill."""

    def __init__(self, block: Block) -> None:
        """Fill `block`, whose nearest `nest` has the anchor."""
        super().__init__(nest_of(block).name)
        self.block = block

    def add_pass(self, pass_: Pass) -> None:
        """Append `pass_`; whether it fits is judged with all else.

        Raises:
            TypeError: it is no pass.
        """
        check_pass(pass_)
        self.block.append(PassNode(pass_))

    def add_block(self, block: Block) -> None:
        """Append `block`."""
        self.block.append(block)

    def nest(self, anchor: str) -> BlockFiller:
        """Append a block for operations called `anchor`; return what fills it."""
        nested = Block("nest", anchor)
        self.block.append(nested)
        return BlockFiller(nested)


def nest_of(element: Element) -> Block:
    """Return the pass manager to be that `element` is in, or is."""
    block = element if isinstance(element, Block) else element.parent
    assert block is not None
    while block.kind != "nest" and block.parent is not None:
        block = block.parent
    return block


def nests_around(node: PassNode) -> list[Block]:
    """Return the pass managers to be around a pass, the outermost first."""
    return [block for block in node.blocks() if block.kind == "nest"][::-1]


def detach(element: Element) -> None:
    """Take `element` out of its block; a `nest` that is left empty goes too."""
    block = element.parent
    assert block is not None
    block.elements.remove(element)
    element.parent = None
    if block.kind == "nest" and not block.elements and block.parent is not None:
        detach(block)


def place_beside(elements: Sequence[Element], old: Element, *, is_after: bool) -> None:
    """Put `elements` directly before or after `old`."""
    block = old.parent
    assert block is not None
    index = block.elements.index(old) + is_after
    for offset, element in enumerate(elements):
        block.insert(index + offset, element)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What all blocks of a pipeline held, to go back to."""

    root: Block
    contents: tuple[tuple[Block, tuple[Element, ...]], ...]

    @classmethod
    def of(cls, root: Block) -> Snapshot:
        """Remember what is in `root`."""
        blocks = (root, *root.blocks())
        return cls(root, tuple((each, tuple(each.elements)) for each in blocks))

    def restore(self) -> None:
        """Bring back what was remembered."""
        for block, elements in self.contents:
            block.elements[:] = elements
            for element in elements:
                element.parent = block


Scope = tuple[int, ...]
"""A number for each pass manager around a pass, the outermost first.

Pass managers that run together have one number: analyses live from one to the next.
"""


class PassSequence:
    """The passes of a pipeline that will run, in order, by their indices."""

    def __init__(
        self, root: Block, is_skipped: Callable[[PassNode], bool] | None = None
    ) -> None:
        """Look at what `root` holds now."""
        self.root = root
        self.nodes: list[PassNode] = []
        self.skipped: list[PassNode] = []
        for node in root.passes():
            skipped = is_skipped is not None and is_skipped(node)
            (self.skipped if skipped else self.nodes).append(node)

    def leaves_out(self, block: Block) -> bool:
        """Return whether a pass manager has nothing left to run: all is skipped."""
        passes = set(block.passes())
        return bool(passes) and passes <= self._skipped

    @cached_property
    def _skipped(self) -> set[PassNode]:
        return set(self.skipped)

    @cached_property
    def _indices(self) -> dict[str, list[int]]:
        """By argument, where the passes of that name are."""
        found: dict[str, list[int]] = {}
        for index, node in enumerate(self.nodes):
            found.setdefault(node.prototype.argument, []).append(index)
        return found

    def matches(self, partner: Partner) -> list[int]:
        """Return where the passes are that `partner` means, in order."""
        found = [
            indices
            for indices in self._indices.values()
            if partner.matches(self.nodes[indices[0]].prototype)
        ]
        return sorted(index for indices in found for index in indices)

    def partners(self, rule: OrderingRule) -> list[int]:
        """Return where the passes are that `rule` is about, in order."""
        found = [index for partner in rule.partners for index in self.matches(partner)]
        return sorted(found)

    @cached_property
    def scopes(self) -> list[Scope]:
        """The scope of each pass, by its index."""
        scopes: dict[PassNode, Scope] = {}
        _number([self.root], (), scopes, itertools.count())
        return [scopes[node] for node in self.nodes]

    @cached_property
    def _spelled(self) -> tuple[str, dict[PassNode, Span]]:
        parts: list[str] = []
        spans: dict[PassNode, Span] = {}
        length = 0

        def put(text: str) -> None:
            nonlocal length
            parts.append(text)
            length += len(text)

        def spell(block: Block, *, is_first: bool) -> bool:
            """Spell what is in `block`; return whether it is empty so far."""
            for element in block.elements:
                if isinstance(element, Block) and element.kind != "nest":
                    is_first = spell(element, is_first=is_first)
                    continue
                if isinstance(element, PassNode) and element in self._skipped:
                    continue
                if isinstance(element, Block) and self.leaves_out(element):
                    continue
                put("" if is_first else ",")
                is_first = False
                if isinstance(element, Block):
                    put(f"{element.name}(")
                    spell(element, is_first=True)
                    put(")")
                else:
                    start = length
                    put(str(element.prototype))
                    spans[element] = Span(start, length)
            return is_first

        put(f"{self.root.name}(")
        spell(self.root, is_first=True)
        put(")")
        return "".join(parts), spans

    @property
    def text(self) -> str:
        """The pipeline as text."""
        return self._spelled[0]

    def span(self, node: PassNode) -> Span:
        """Return where the pass is in the text, its options left out."""
        start = self._spelled[1][node].start
        return Span(start, start + len(node.title))


def _number(
    nests: list[Block],
    outer: Scope,
    scopes: dict[PassNode, Scope],
    numbers: Iterator[int],
) -> None:
    """Number the scope of what is in `nests`, which run together."""
    scope = (*outer, next(numbers))
    adjacent: list[Block] = []
    for element in [each for nest in nests for each in _dissolved(nest)]:
        if isinstance(element, Block):
            adjacent.append(element)
        else:
            _number_adjacent(adjacent, scope, scopes, numbers)
            adjacent = []
            scopes[element] = scope
    _number_adjacent(adjacent, scope, scopes, numbers)


def _number_adjacent(
    nests: list[Block],
    outer: Scope,
    scopes: dict[PassNode, Scope],
    numbers: Iterator[int],
) -> None:
    """Number adjacent nests: those for one operation run together.

    Where one is for any operation, what runs together depends on the operations met.
    """
    if any(nest.name == ANY_ANCHOR for nest in nests):
        for nest in nests:
            _number([nest], outer, scopes, numbers)
        return
    for anchor in dict.fromkeys(nest.name for nest in nests):
        together = [nest for nest in nests if nest.name == anchor]
        _number(together, outer, scopes, numbers)


def _dissolved(block: Block) -> Iterator[PassNode | Block]:
    """Yield passes and nests in `block`, those in bundles and stages as if outside."""
    for element in block.elements:
        if isinstance(element, Block) and element.kind != "nest":
            yield from _dissolved(element)
        else:
            yield element
