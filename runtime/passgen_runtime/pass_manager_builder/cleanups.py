"""Redundancy elimination: remove repeated clean-ups and analyses, add missing ones.

Each bundle contains its own clean-ups and analyses. A pass is redundant if it repeats a
pass of another bundle and no pass between them can undo the effect of that one:

- an analysis pass is redundant if all passes between preserve the analyses that it
  provides;
- a clean-up is redundant if all passes between preserve all analyses, or are clean-ups
  themselves.

A clean-up is a pass that another pass of the pipeline names as its `cleanup`, or that
has the tag `cleanup`. Repetitions inside one bundle are intended, and kept.
"""

from __future__ import annotations

from collections.abc import Iterator

from passgen_runtime.errors import PassError
from passgen_runtime.ordering_rules import NamedPass, OrderingRule
from passgen_runtime.pass_manager_builder.blocks import (
    Block,
    BlockSnapshot,
    Element,
    FlatPipeline,
    PassNode,
    detach,
    place_beside,
)
from passgen_runtime.pass_manager_builder.checks import (
    check_sequence,
    preserves_everything,
    rule_place,
)
from passgen_runtime.pass_manager_builder.declared_analyses import declares_preserved
from passgen_runtime.pass_manager_builder.edits import VariablePipeline

CLEANUP_TAG = "cleanup"
"""The tag of passes that only simplify the IR."""


def eliminate_redundancy(pipeline: VariablePipeline) -> list[str]:
    """Remove redundant clean-ups and analyses, and insert missing clean-ups.

    Returns:
        Each removal and insertion, with its reason.
    """
    with pipeline.restored_on_failure():
        repeated = list(_remove_repeated(pipeline))
        inserted = list(_insert_missing(pipeline))
    pipeline.removed += (
        f"{removal}: by remove_redundant_passes()" for removal in repeated
    )
    return [
        *(f"removed {removal}" for removal in repeated),
        *(f"inserted {insertion}" for insertion in inserted),
    ]


def _remove_repeated(pipeline: VariablePipeline) -> Iterator[str]:
    """Remove passes that repeat earlier ones; describe each removal."""
    context = pipeline.source.context
    sequence = pipeline.sequence()
    index = 0
    while index < len(sequence.nodes):
        node = sequence.nodes[index]
        earlier = _repetitions(sequence, index)
        if earlier is None:
            index += 1
            continue
        before = BlockSnapshot.of(sequence.root)
        known = len(check_sequence(sequence, context))
        detach(node)
        sequence = pipeline.sequence()
        if len(check_sequence(sequence, context)) > known:
            before.restore()
            sequence = pipeline.sequence()
            index += 1
            continue
        yield (
            f"'{node.title}' at {index + 1}.: it repeats {earlier + 1}., and no pass "
            "between them undoes its effect"
        )


def _insert_missing(pipeline: VariablePipeline) -> Iterator[str]:
    """Insert missing clean-ups that passes require; describe each insertion."""
    while True:
        sequence = pipeline.sequence()
        unmet = [
            (index, rule)
            for index, node in enumerate(sequence.nodes)
            for rule in node.prototype.ordering
            if rule.kind == "cleanup" and not _is_met(sequence, index, rule)
        ]
        for index, rule in reversed(unmet):
            added = _insert(pipeline, index, rule)
            if added is not None:
                yield added
                break
        else:
            return


def _repetitions(sequence: FlatPipeline, index: int) -> int | None:
    """Return the index of the pass that the pass at `index` repeats, if any."""
    node = sequence.nodes[index]
    pass_ = node.prototype
    provides = pass_.provided_analyses
    is_analysis = bool(provides) and preserves_everything(pass_)
    if not is_analysis and not _is_cleanup(sequence, node):
        return None
    for earlier in reversed(range(index)):
        other = sequence.nodes[earlier]
        is_equal = type(other.prototype) is type(pass_) and str(other.prototype) == str(
            pass_
        )
        if is_equal and sequence.scopes[earlier] == sequence.scopes[index]:
            return earlier if _bundle(other) is not _bundle(node) else None
        if is_analysis:
            undoes = not all(
                declares_preserved(other.prototype, analysis) for analysis in provides
            )
        else:
            undoes = not (
                preserves_everything(other.prototype) or _is_cleanup(sequence, other)
            )
        if undoes:
            return None
    return None


def _is_cleanup(sequence: FlatPipeline, node: PassNode) -> bool:
    return CLEANUP_TAG in node.prototype.tags or any(
        rule.kind == "cleanup" and rule.is_about(node.prototype)
        for other in sequence.nodes
        for rule in other.prototype.ordering
    )


def _bundle(node: PassNode) -> Element:
    """Return the innermost bundle, stage or pipeline around a pass, else the pass."""
    return next((block for block in node.blocks() if block.kind != "nest"), node)


def _is_met(sequence: FlatPipeline, index: int, rule: OrderingRule) -> bool:
    return any(partner > index for partner in sequence.partners(rule))


def _insert(pipeline: VariablePipeline, index: int, rule: OrderingRule) -> str | None:
    """Insert a clean-up that `rule` of the pass at `index` requires, if one exists.

    The clean-up follows the pass as closely as the rules of the pipeline allow.
    """
    source, sequence = pipeline.source, pipeline.sequence()
    node = sequence.nodes[index]
    place = rule_place(node.prototype, "ordering", rule.kind)
    known = len(check_sequence(sequence, source.context))
    for partner in rule.partners:
        if not isinstance(partner, NamedPass):
            continue
        for old in _places_behind(sequence, index):
            holder = Block("bundle", "")
            holder.parent = old.parent
            try:
                source.fill(holder, partner.argument, None)
            except PassError:
                break  # unknown or not implemented: try the next partner
            before = BlockSnapshot.of(sequence.root)
            place_beside(holder.elements, old, is_after=True)
            if len(check_sequence(pipeline.sequence(), source.context)) < known:
                reason = f"'{node.title}' requires it ({place})"
                for added in holder.passes():
                    added.history.append(
                        f"inserted by remove_redundant_passes(): {reason}"
                    )
                return f"'{partner.argument}' after '{_title(old)}': {reason}"
            before.restore()
    return None


def _places_behind(sequence: FlatPipeline, index: int) -> Iterator[Element]:
    """Yield the elements that a clean-up may follow, from the pass at `index` on."""
    for node in sequence.nodes[index:]:
        element: Element = node
        while element.parent is not None:
            yield element
            if element.parent.elements[-1] is not element:
                break
            element = element.parent


def _title(element: Element) -> str:
    return element.title if isinstance(element, PassNode) else element.name
