"""Sorting of a pipeline so that it obeys the rules of order of its passes.

Passes keep their order where no rule wants another one. A pass that moves stays nested
as it was: where it lands in a pass manager for other operations, that one is split.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from passgen_runtime.analysis_references import analysis_key
from passgen_runtime.pass_bundle import PipelineEditError
from passgen_runtime.pass_line import PassLine
from passgen_runtime.pipeline_blocks import (
    Block,
    Element,
    PassNode,
    detach,
    nests_around,
    place_beside,
)
from passgen_runtime.pipeline_constraints import rule_place


@dataclass(frozen=True, slots=True)
class Move:
    """A pass that sorting has moved."""

    title: str
    position: int
    """Its number in the pipeline before, from 1."""

    new_position: int
    reason: str
    """The rules that it was moved for, with their places."""

    def __str__(self) -> str:
        """Return what moved, and why."""
        where = f"from {self.position}. to {self.new_position}."
        return f"'{self.title}' moved {where}: {self.reason}"


class _Demand(NamedTuple):
    """That one pass runs before another one, by their indices."""

    first: int
    second: int
    reason: str
    is_met: bool


def sort_line(line: PassLine) -> list[Move]:
    """Put the passes of `line` into an order that obeys all rules; return the moves.

    Raises:
        PipelineEditError: there is no such order.
    """
    demands = [
        demand for index in range(len(line.nodes)) for demand in _demands(line, index)
    ]
    if all(demand.is_met for demand in demands):
        return []
    order = _order(line, demands)
    stay = _longest_increasing(order)
    moves: list[Move] = []
    for position, index in enumerate(order):
        if index in stay:
            continue
        node = line.nodes[index]
        if position:
            _move_after(node, line.nodes[order[position - 1]])
        else:
            _move_before(node, line.nodes[order[1]])
        reason = _reason(index, order, demands)
        node.history.append(f"moved by sort(): {reason}")
        moves.append(Move(node.title, index + 1, position + 1, reason))
    return moves


def _demands(line: PassLine, index: int) -> Iterator[_Demand]:
    node = line.nodes[index]
    for rule in node.prototype.ordering:
        others = [each for each in line.partners(rule) if each != index]
        if rule.kind == "cleanup" or not others:
            continue
        place = rule_place(node.prototype, "ordering", rule.kind)
        if rule.wants_earlier:
            other = others[0]
            first, second = other, index
        else:
            other = others[-1]
            first, second = index, other
        side = "after" if rule.wants_earlier else "before"
        reason = (
            f"'{node.title}' must come {side} '{line.nodes[other].title}' ({place})"
        )
        yield _Demand(first, second, reason, first < second)
    for needed in node.prototype.required_analyses:
        key = analysis_key(needed)
        for provider in reversed(range(index)):
            provided = line.nodes[provider].prototype.provided_analyses
            if key in map(analysis_key, provided):
                title = line.nodes[provider].title
                place = rule_place(node.prototype, "required_analyses", "requires")
                reason = f"'{node.title}' needs what '{title}' provides ({place})"
                yield _Demand(provider, index, reason, is_met=True)
                break


def _order(line: PassLine, demands: list[_Demand]) -> list[int]:
    """Return the indices in an order that meets `demands`, the earliest first.

    Raises:
        PipelineEditError: the demands contradict each other.
    """
    num_before = [0] * len(line.nodes)
    for demand in demands:
        num_before[demand.second] += 1
    ready = [index for index, number in enumerate(num_before) if not number]
    order: list[int] = []
    while ready:
        index = heapq.heappop(ready)
        order.append(index)
        for demand in demands:
            if demand.first == index:
                num_before[demand.second] -= 1
                if not num_before[demand.second]:
                    heapq.heappush(ready, demand.second)
    if len(order) < len(line.nodes):
        message = "no order of the passes obeys all rules"
        raise PipelineEditError(message, *_cycle(set(order), demands))
    return order


def _cycle(placed: set[int], demands: list[_Demand]) -> list[str]:
    """Return the reasons of demands that contradict each other."""
    by_second = {each.second: each for each in demands if each.first not in placed}
    path: list[int] = [next(iter(by_second))]
    while (first := by_second[path[-1]].first) not in path:
        path.append(first)
    return [by_second[each].reason for each in path[path.index(first) :]]


def _longest_increasing(order: list[int]) -> set[int]:
    """Return the most indices of `order` that are in their old order."""
    ends: list[int] = []
    previous: dict[int, int | None] = {}
    for index in order:
        place = bisect_left(ends, index)
        previous[index] = ends[place - 1] if place else None
        ends[place : place + 1] = [index]
    chain: set[int] = set()
    each: int | None = ends[-1]
    while each is not None:
        chain.add(each)
        each = previous[each]
    return chain


def _reason(index: int, order: list[int], demands: list[_Demand]) -> str:
    """Return why the pass moved: rules that it was part of and that were broken.

    A pass that is in none of them moved along with others, to stay on their side.
    """
    own = [each for each in demands if index in {each.first, each.second}]
    broken = [each.reason for each in own if not each.is_met]
    kept = [each.reason for each in own if each.is_met]
    del order
    return "; ".join(broken or kept)


def _move_after(node: PassNode, other: PassNode) -> None:
    anchors = [nest.name for nest in nests_around(node)]
    detach(node)
    nests = nests_around(other)
    depth = 0
    for nest, anchor in zip(nests, anchors, strict=False):
        if nest.name != anchor:
            break
        depth += 1
    old: Element = other if depth == len(nests) else _split(nests[depth], other)
    place_beside([_wrapped(node, anchors[depth:])], _outermost(old), is_after=True)


def _move_before(node: PassNode, other: PassNode) -> None:
    anchors = [nest.name for nest in nests_around(node)]
    detach(node)
    nests = nests_around(other)
    is_together = [nest.name for nest in nests] == anchors[: len(nests)]
    old: Element = other if is_together else nests[1]
    inner = anchors[len(nests) :] if is_together else anchors[1:]
    while old.parent is not None and old.parent.kind != "nest":
        if old.parent.elements[0] is not old:
            break
        old = old.parent
    place_beside([_wrapped(node, inner)], old, is_after=False)


def _outermost(element: Element) -> Element:
    """Return the largest bundle or stage that ends with `element`, or `element`."""
    while element.parent is not None and element.parent.kind != "nest":
        if element.parent.elements[-1] is not element:
            break
        element = element.parent
    return element


def _wrapped(node: PassNode, anchors: list[str]) -> Element:
    """Return `node` inside pass managers for `anchors`."""
    element: Element = node
    for anchor in reversed(anchors):
        nest = Block("nest", anchor)
        nest.append(element)
        element = nest
    return element


def _split(nest: Block, last: PassNode) -> Block:
    """Let `nest` end with the pass `last`, and another one after it hold the rest."""
    element: Element = last
    rest: Block | None = None
    while element is not nest:
        block = element.parent
        assert block is not None
        index = block.elements.index(element) + 1
        tail = block.elements[index:]
        del block.elements[index:]
        behind = Block(block.kind, block.name, block.declared_in)
        for each in ([rest] if rest else []) + tail:
            behind.append(each)
        rest = behind if behind.elements else None
        element = block
    if rest is not None:
        place_beside([rest], nest, is_after=True)
    return nest
