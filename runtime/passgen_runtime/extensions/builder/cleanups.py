"""Redundancy elimination: remove repeated clean-ups and analyses, add missing ones.

Bundles bring their own clean-ups and analyses. Where two bundles meet, a pass of the
second is redundant if it repeats one of the first and no pass between them can have
undone its effect:

- an analysis pass repeats another one if all passes between them preserve the analyses
  that it provides;
- a clean-up repeats another one if all passes between them only read, or are clean-ups
  themselves.

A clean-up is a pass that another pass of the pipeline names as its `cleanup`, or that
has the tag `cleanup`. Repetitions inside one bundle are intended, and stay.
"""

from __future__ import annotations

from collections.abc import Iterator

from passgen_runtime.analysis import declares_preserved
from passgen_runtime.errors import PassError
from passgen_runtime.extensions.builder.blocks import (
    Block,
    BlockSnapshot,
    Element,
    FlatPipeline,
    PassNode,
    detach,
    place_beside,
)
from passgen_runtime.extensions.builder.checks import (
    check_sequence,
    preserves_everything,
    rule_place,
)
from passgen_runtime.extensions.builder.edits import VariablePipeline
from passgen_runtime.ordering_rules import NamedPass, OrderingRule

CLEANUP_TAG = "cleanup"
"""The tag of passes that only simplify the IR that others leave."""


def eliminate_redundancy(pipeline: VariablePipeline) -> list[str]:
    """Remove redundant clean-ups and analyses, and insert missing clean-ups.

    Returns:
        Each removal and insertion, with its reason.
    """
    with pipeline.restored_on_failure():
        repeated = list(_remove_repeated(pipeline))
        inserted = list(_insert_missing(pipeline))
    pipeline.removed += (f"{removal}: by economize()" for removal in repeated)
    return [
        *(f"removed {removal}" for removal in repeated),
        *(f"inserted {insertion}" for insertion in inserted),
    ]


def _remove_repeated(pipeline: VariablePipeline) -> Iterator[str]:
    """Remove passes that repeat earlier ones; yield each with the reason."""
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
            f"'{node.title}', {index + 1}. before, repeats {earlier + 1}. and nothing "
            "between them undoes it"
        )


def _insert_missing(pipeline: VariablePipeline) -> Iterator[str]:
    """Insert clean-ups that passes ask for and lack; yield each with the reason."""
    while True:
        sequence = pipeline.sequence()
        wanting = [
            (index, rule)
            for index, node in enumerate(sequence.nodes)
            for rule in node.prototype.ordering
            if rule.kind == "cleanup" and not _is_met(sequence, index, rule)
        ]
        for index, rule in reversed(wanting):
            added = _insert(pipeline, index, rule)
            if added is not None:
                yield added
                break
        else:
            return


def _repetitions(sequence: FlatPipeline, index: int) -> int | None:
    """Return the index of the pass that the one at `index` repeats, if it does."""
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
    """Return the innermost bundle, stage or pipeline around a pass, or the pass."""
    return next((block for block in node.blocks() if block.kind != "nest"), node)


def _is_met(sequence: FlatPipeline, index: int, rule: OrderingRule) -> bool:
    return any(partner > index for partner in sequence.partners(rule))


def _insert(pipeline: VariablePipeline, index: int, rule: OrderingRule) -> str | None:
    """Insert a clean-up that `rule` of the pass at `index` asks for, if there is one.

    It follows the pass as closely as the rules of the pipeline allow.
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
                break  # unknown or not implemented: another partner may do
            before = BlockSnapshot.of(sequence.root)
            place_beside(holder.elements, old, is_after=True)
            if len(check_sequence(pipeline.sequence(), source.context)) < known:
                reason = f"'{node.title}' asks for it ({place})"
                for added in holder.passes():
                    added.history.append(f"inserted by economize(): {reason}")
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
