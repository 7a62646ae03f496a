"""The passes of a variable pipeline as the line in which they run, and its text.

Constraints, sorting, clean-up economy and explanations look at a pipeline through it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import cached_property

from passgen_runtime.errors import Span
from passgen_runtime.ordering_rules import OrderingRule, Partner
from passgen_runtime.pass_manager_builder.blocks import Block, PassNode
from passgen_runtime.textual_pipeline.grammar import ANY_ANCHOR

Scope = tuple[int, ...]
"""A number for each pass manager around a pass, the outermost first.

Pass managers that run together have one number: analyses live from one to the next.
"""


class PassLine:
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
