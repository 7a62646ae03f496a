"""A pipeline that is being built: passes in blocks that can still be edited.

A block is a future pass manager (`nest`), or a group of passes that edits may split: a
`bundle`, a `stage`, or a whole `pipeline`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import Literal, TypeAlias

from passgen_rules.form_judgement import may_do_anything
from passgen_rules.forms import NO_FORMS
from passgen_rules.order_judgement import PassOrder
from passgen_rules.sequence import ALWAYS
from passgen_runtime.errors import Span
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_manager import DeclaredPass, OpPassManager, to_pass
from passgen_runtime.pass_options import PIPELINE
from passgen_runtime.textual_pipeline import ANY_ANCHOR

BlockKind = Literal["nest", "bundle", "stage", "pipeline"]


@dataclass(slots=True, eq=False)
class PassNode:
    """A pass in a pipeline that is being built."""

    prototype: Pass
    """The pass that is cloned into pass managers."""

    history: list[str] = field(default_factory=list)
    """Descriptions of the edits that put the pass in its place."""

    parent: Block | None = None

    @property
    def title(self) -> str:
        """The name of the pass in messages."""
        return self.prototype.argument or self.prototype.name

    @property
    def anchor(self) -> str:
        """The anchor of the pass manager around it."""
        return nest_of(self).name

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks around the pass, the innermost first."""
        block = self.parent
        while block is not None:
            yield block
            block = block.parent

    def copy(self) -> PassNode:
        """Return a node with a clone of the pass, in no block."""
        return PassNode(self.prototype.clone(), list(self.history))


@dataclass(slots=True, eq=False)
class Block:
    """Passes and blocks, in order."""

    kind: BlockKind
    name: str
    """The anchor of a `nest`."""

    declared_in: str = ""
    """The spec that declares the block; empty if none does."""

    elements: list[Element] = field(default_factory=list)
    parent: Block | None = None

    def __str__(self) -> str:
        """Return the block as messages name it."""
        place = f" ({self.declared_in})" if self.declared_in else ""
        return f"{self.kind} '{self.name}'{place}"

    def append(self, element: Element) -> None:
        """Put `element` at the end."""
        self.insert(len(self.elements), element)

    def insert(self, index: int, element: Element) -> None:
        """Put `element` before the element at `index`."""
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
        """Return a block with clones of the passes, in no block."""
        duplicate = Block(self.kind, self.name, self.declared_in)
        for element in self.elements:
            duplicate.append(element.copy())
        return duplicate


Element: TypeAlias = PassNode | Block


class BlockFiller(OpPassManager):
    """A pass manager that registered pipelines fill; its passes go into a block."""

    def __init__(self, block: Block) -> None:
        """Fill `block`; the nearest `nest` has the anchor."""
        super().__init__(nest_of(block).name)
        self.block = block

    def add_pass(self, pass_: Pass | DeclaredPass) -> None:
        """Append `pass_`; the builder checks later whether it fits.

        Raises:
            TypeError: `pass_` is not a pass.
        """
        self.block.append(PassNode(to_pass(pass_)))

    def nest(self, anchor: str) -> BlockFiller:
        """Append a block for operations called `anchor`; return its filler."""
        nested = Block("nest", anchor)
        self.block.append(nested)
        return BlockFiller(nested)


def block_of(manager: OpPassManager) -> Block:
    """Return a block with the passes of `manager` themselves, not clones."""
    block = Block("nest", manager.anchor)
    for step in manager:
        block.append(PassNode(step) if isinstance(step, Pass) else block_of(step))
    return block


def nest_of(element: Element) -> Block:
    """Return the innermost `nest` around `element`, or `element` if it is one."""
    block = element if isinstance(element, Block) else element.parent
    assert block is not None
    while block.kind != "nest" and block.parent is not None:
        block = block.parent
    return block


def nests_around(node: PassNode) -> list[Block]:
    """Return the `nest` blocks around a pass, the outermost first."""
    return [block for block in node.blocks() if block.kind == "nest"][::-1]


class PlacedPass:
    """A pass in its place in a pipeline, as rules see it."""

    guard = ALWAYS

    def __init__(self, node: PassNode) -> None:
        """Note the place of `node`."""
        self.node = node
        self.argument = node.prototype.argument
        self.tags = node.prototype.tags
        self.forms = node.prototype.forms
        self.nest = tuple(nest.name for nest in nests_around(node))

    @property
    def is_open(self) -> bool:
        """Whether it may do to forms what it does not declare."""
        pass_ = self.node.prototype
        options = pass_.options.declared_options()
        return may_do_anything(
            self.argument,
            has_spec=bool(pass_.declared_in),
            has_forms=self.forms != NO_FORMS,
            runs_pipelines=any(option.type is PIPELINE for option in options),
        )


def detach(element: Element) -> None:
    """Remove `element` from its block, and any `nest` that this leaves empty."""
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
class BlockSnapshot:
    """A copy of the contents of all blocks, to undo edits."""

    contents: tuple[tuple[Block, tuple[Element, ...]], ...]

    @classmethod
    def of(cls, root: Block) -> BlockSnapshot:
        """Return the contents of `root` and all blocks inside."""
        blocks = (root, *root.blocks())
        return cls(tuple((block, tuple(block.elements)) for block in blocks))

    def restore(self) -> None:
        """Put all elements back where they were."""
        for block, elements in self.contents:
            block.elements[:] = elements
            for element in elements:
                element.parent = block


Scope = tuple[int, ...]
"""A number for each pass manager around a pass, the outermost first.

Pass managers that run together have one number: analyses live from one to the next.
"""


class FlatPipeline:
    """The passes of a pipeline that will run, in order; indices identify them."""

    def __init__(
        self, root: Block, is_skipped: Callable[[PassNode], bool] | None = None
    ) -> None:
        """Collect the passes that `root` holds now."""
        self.root = root
        self.nodes: list[PassNode] = []
        self.skipped: list[PassNode] = []
        for node in root.passes():
            skipped = is_skipped is not None and is_skipped(node)
            (self.skipped if skipped else self.nodes).append(node)

    def elements_of(self, nest: Block) -> Iterator[Element]:
        """Yield the elements of `nest` that run, those in bundles and stages, too.

        A nest is left out if all its passes are skipped, but not if it has none.
        """
        skipped = set(self.skipped)
        for element in _flatten(nest):
            inside = (element,) if isinstance(element, PassNode) else element.passes()
            passes = set(inside)
            if not passes or not passes <= skipped:
                yield element

    @cached_property
    def steps(self) -> list[PlacedPass]:
        """The passes in their places."""
        return list(map(PlacedPass, self.nodes))

    @cached_property
    def order(self) -> PassOrder[PlacedPass]:
        """The passes in order, as ordering rules see them."""
        return PassOrder(self.steps)

    @cached_property
    def scopes(self) -> list[Scope]:
        """The scope of each pass, in their order."""
        scopes = dict(_scopes([self.root], (), count()))
        return [scopes[node] for node in self.nodes]

    @cached_property
    def _spelled(self) -> tuple[str, dict[PassNode, Span]]:
        parts: list[str] = []
        spans: dict[PassNode, Span] = {}
        length = 0
        for part in self._parts(self.root):
            if isinstance(part, PassNode):
                spans[part] = Span(length, length + len(part.title))
            parts.append(str(part.prototype) if isinstance(part, PassNode) else part)
            length += len(parts[-1])
        return "".join(parts), spans

    def _parts(self, nest: Block) -> Iterator[str | PassNode]:
        """Yield the passes in `nest`, and the texts between them."""
        yield f"{nest.name}("
        for index, element in enumerate(self.elements_of(nest)):
            if index:
                yield ","
            if isinstance(element, Block):
                yield from self._parts(element)
            else:
                yield element
        yield ")"

    @property
    def text(self) -> str:
        """The pipeline as text."""
        return self._spelled[0]

    def span(self, node: PassNode) -> Span:
        """Return the place of the pass in the text, without its options."""
        return self._spelled[1][node]


def _scopes(
    nests: list[Block], outer: Scope, numbers: Iterator[int]
) -> Iterator[tuple[PassNode, Scope]]:
    """Yield each pass in `nests`, which run together, with the scope of it."""
    scope = (*outer, next(numbers))
    adjacent: list[Block] = []
    for element in [element for nest in nests for element in _flatten(nest)]:
        if isinstance(element, Block):
            adjacent.append(element)
        else:
            yield from _adjacent_scopes(adjacent, scope, numbers)
            adjacent = []
            yield element, scope
    yield from _adjacent_scopes(adjacent, scope, numbers)


def _adjacent_scopes(
    nests: list[Block], outer: Scope, numbers: Iterator[int]
) -> Iterator[tuple[PassNode, Scope]]:
    """Yield the passes in adjacent nests: those with the same anchor run together.

    If one has the anchor `any`, each gets its own scope: its operations are unknown.
    """
    if any(nest.name == ANY_ANCHOR for nest in nests):
        for nest in nests:
            yield from _scopes([nest], outer, numbers)
        return
    for anchor in dict.fromkeys(nest.name for nest in nests):
        together = [nest for nest in nests if nest.name == anchor]
        yield from _scopes(together, outer, numbers)


def _flatten(block: Block) -> Iterator[Element]:
    """Yield the passes and nests in `block`, also those in bundles and stages."""
    for element in block.elements:
        if isinstance(element, Block) and element.kind != "nest":
            yield from _flatten(element)
        else:
            yield element
