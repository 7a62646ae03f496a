"""Sorting of a pipeline, so that it obeys the ordering rules of its passes.

Passes keep their order unless a rule requires another one. A moved pass keeps its
nesting: if it lands in a pass manager for other operations, that is split.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

from passgen_runtime.pass_manager_builder.blocks import (
    Block,
    Element,
    FlatPipeline,
    PassNode,
    detach,
    nests_around,
    place_beside,
)
from passgen_runtime.pass_manager_builder.bundles import PipelineEditError
from passgen_runtime.pass_manager_builder.checks import requirements, rule_place
from passgen_runtime.pass_manager_builder.edits import VariablePipeline


@dataclass(frozen=True, slots=True)
class Move:
    """One move of a pass by `sort`."""

    title: str
    position: int
    """The position in the pipeline before the move, from 1."""

    new_position: int
    reason: str
    """The rules that require the move, with their places."""

    def __str__(self) -> str:
        """Return the move and its reason in words."""
        where = f"from {self.position}. to {self.new_position}."
        return f"'{self.title}' moved {where}: {self.reason}"


class _Demand(NamedTuple):
    """A requirement that one pass runs before another one, by their indices."""

    first: int
    second: int
    subject: int
    """The pass that declares the rule; this pass is moved."""

    reason: str

    @property
    def is_met(self) -> bool:
        """Whether the pipeline obeys it before sorting."""
        return self.first < self.second


def sort_pipeline(pipeline: VariablePipeline) -> list[Move]:
    """Put the passes into an order that obeys all rules; return the moves.

    Raises:
        PipelineEditError: there is no such order.
    """
    with pipeline.restored_on_failure():
        return _sort(pipeline.sequence())


def _sort(sequence: FlatPipeline) -> list[Move]:
    demands: list[_Demand] = []
    for index in range(len(sequence.nodes)):
        demands += _demands(sequence, index)
    if all(demand.is_met for demand in demands):
        return []
    order = _order(sequence, demands)
    movable = {demand.subject for demand in demands if not demand.is_met}
    stay = _kept_in_place(order, movable)
    moves: list[Move] = []
    for position, index in enumerate(order):
        if index in stay:
            continue
        node = sequence.nodes[index]
        neighbours = [(other, True) for other in order[:position][-1:]]
        later = order[position + 1 : position + 2]
        neighbours += [(other, False) for other in later if other in stay]
        # Prefer the adjacent pass manager to a new one.
        other, is_after = max(
            neighbours, key=lambda beside: _num_shared(node, sequence.nodes[beside[0]])
        )
        _move(node, sequence.nodes[other], is_after=is_after)
        reason = _reason(index, demands)
        node.history.append(f"moved by sort(): {reason}")
        moves.append(Move(node.title, index + 1, position + 1, reason))
    return moves


def _demands(sequence: FlatPipeline, index: int) -> Iterator[_Demand]:
    node = sequence.nodes[index]
    for rule in node.prototype.ordering:
        others = [
            partner for partner in sequence.order.partners(rule) if partner != index
        ]
        if rule.meaning.is_weak or not others:
            continue
        place = rule_place(node.prototype, "ordering", rule.kind)
        other = others[0] if rule.wants_earlier else others[-1]
        title = sequence.nodes[other].title
        reason = f"'{node.title}' {rule.meaning.demand} '{title}' ({place})"
        first, second = (other, index) if rule.wants_earlier else (index, other)
        yield _Demand(first, second, index, reason)
    for requirement in requirements(sequence, index):
        title = sequence.nodes[requirement.provider].title
        reason = f"'{node.title}' needs what '{title}' provides ({requirement.place})"
        yield _Demand(requirement.provider, index, index, reason)


def _order(sequence: FlatPipeline, demands: list[_Demand]) -> list[int]:
    """Return the indices in an order that meets `demands`.

    Raises:
        PipelineEditError: the demands contradict each other.
    """
    keys = _keys(len(sequence.nodes), demands)
    num_before = [0] * len(sequence.nodes)
    for demand in demands:
        num_before[demand.second] += 1
    ready = [(keys[node], node) for node, number in enumerate(num_before) if not number]
    heapq.heapify(ready)
    order: list[int] = []
    while ready:
        _, index = heapq.heappop(ready)
        order.append(index)
        for demand in demands:
            if demand.first == index:
                num_before[demand.second] -= 1
                if not num_before[demand.second]:
                    heapq.heappush(ready, (keys[demand.second], demand.second))
    if len(order) < len(sequence.nodes):
        message = "no order of the passes obeys all rules"
        raise PipelineEditError(message, *_cycle(set(order), demands))
    return order


def _cycle(placed: set[int], demands: list[_Demand]) -> list[str]:
    """Return the reasons of demands that contradict each other."""
    by_second = {need.second: need for need in demands if need.first not in placed}
    path: list[int] = [next(iter(by_second))]
    while (first := by_second[path[-1]].first) not in path:
        path.append(first)
    return [by_second[node].reason for node in path[path.index(first) :]]


def _keys(num_passes: int, demands: list[_Demand]) -> list[int]:
    """Return the preferred position of each pass, by its index.

    That is its own position, or that of a pass that it must precede: by its own rule,
    or by the rule of a pass that moves forward.
    """
    keys = list(range(num_passes))
    for _ in range(num_passes):
        before = list(keys)
        for demand in demands:
            is_pulled = keys[demand.second] < demand.second
            if demand.subject == demand.first or is_pulled:
                keys[demand.first] = min(keys[demand.first], keys[demand.second])
        if keys == before:
            break
    return keys


def _kept_in_place(order: list[int], movable: set[int]) -> set[int]:
    """Return the longest subsequence of `order` in which passes keep their old order.

    Passes that are `movable` have little weight, so that they move, not their partners.
    """
    best: dict[int, tuple[int, int | None]] = {}
    for position, index in enumerate(order):
        earlier = [other for other in order[:position] if other < index]
        last = max(earlier, key=lambda other: best[other][0], default=None)
        weight = 1 if index in movable else len(order)
        best[index] = weight + (0 if last is None else best[last][0]), last
    chain: set[int] = set()
    link: int | None = max(best, key=lambda last: best[last][0])
    while link is not None:
        chain.add(link)
        link = best[link][1]
    return chain


def _reason(index: int, demands: list[_Demand]) -> str:
    """Return the reason for the move of a pass: the broken rules that involve it.

    If none was broken, it moved with others: the reason is all rules that involve it.
    """
    own = [demand for demand in demands if index in {demand.first, demand.second}]
    broken = [rule.reason for rule in own if not rule.is_met]
    return "; ".join(broken or [rule.reason for rule in own])


def _num_shared(node: PassNode, other: PassNode) -> int:
    """Return the number of pass managers that two passes share."""
    pairs = zip(nests_around(node), nests_around(other), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0].name == pair[1].name, pairs))


def _move(node: PassNode, other: PassNode, *, is_after: bool) -> None:
    """Put `node` directly before or after `other`, with its nesting."""
    depth = _num_shared(node, other)
    anchors = [nest.name for nest in nests_around(node)][depth:]
    detach(node)
    nests = nests_around(other)
    old: Element = other
    if depth < len(nests):
        old = nests[depth]
        if is_after:
            _split_around(nests[depth], other)
    old = _outermost(old, is_after=is_after)
    place_beside([_wrap(node, anchors)], old, is_after=is_after)


def _outermost(element: Element, *, is_after: bool) -> Element:
    """Return the largest bundle or stage that ends or begins with `element`."""
    while element.parent is not None and element.parent.kind != "nest":
        if element.parent.elements[-1 if is_after else 0] is not element:
            break
        element = element.parent
    return element


def _wrap(node: PassNode, anchors: list[str]) -> Element:
    """Return `node` inside pass managers for `anchors`."""
    element: Element = node
    for anchor in reversed(anchors):
        nest = Block("nest", anchor)
        nest.append(element)
        element = nest
    return element


def _split_around(nest: Block, last: PassNode) -> None:
    """End `nest` with the pass `last`, and put the rest into another one after it."""
    element: Element = last
    rest: list[Element] = []
    while element is not nest:
        block = element.parent
        assert block is not None
        index = block.elements.index(element) + 1
        rest += block.elements[index:]
        del block.elements[index:]
        if rest:
            behind = Block(block.kind, block.name, block.declared_in)
            for node in rest:
                behind.append(node)
            rest = [behind]
        element = block
    place_beside(rest, nest, is_after=True)
