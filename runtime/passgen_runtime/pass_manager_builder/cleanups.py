"""Redundancy elimination: remove repeated clean-ups and analyses, add missing passes.

Each bundle contains its own clean-ups and analyses. A pass is redundant if it repeats a
pass of another bundle and no pass between them can undo the effect of that one:

- an analysis pass is redundant if all passes between preserve the analyses that it
  provides;
- a clean-up is redundant if all passes between preserve all analyses, or are clean-ups
  themselves.

A clean-up is a pass that another pass of the pipeline names as its `cleanup`, or that
has the tag `cleanup`. Repetitions inside one bundle are intended, and kept.

A pass that needs a form of IR which an earlier pass breaks gets a pass that gives it,
if its rule `after` names one.
"""

from __future__ import annotations

from collections.abc import Iterator

from passgen_runtime.errors import PassError
from passgen_runtime.forms import Form
from passgen_runtime.operation_pass import PassConfiguration
from passgen_runtime.ordering_rules import OrderingRule
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
    broken_forms,
    check_sequence,
    preserves_everything,
    rule_place,
)
from passgen_runtime.pass_manager_builder.declared_analyses import declares_preserved
from passgen_runtime.pass_manager_builder.edits import VariablePipeline

CLEANUP_TAG = "cleanup"
"""The tag of passes that only simplify the IR."""


def eliminate_redundancy(pipeline: VariablePipeline) -> list[str]:
    """Remove redundant clean-ups and analyses, and insert missing passes.

    Returns:
        Each removal and insertion, with its reason.
    """
    with pipeline.restored_on_failure():
        repeated = list(_remove_repeated(pipeline))
        inserted = list(_insert_missing(pipeline))
    pipeline.removed += (f"{text}: by remove_redundant_passes()" for text in repeated)
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
        if earlier is not None:
            before = BlockSnapshot.of(sequence.root)
            known = len(check_sequence(sequence, context))
            detach(node)
            sequence = pipeline.sequence()
            if len(check_sequence(sequence, context)) <= known:
                yield (
                    f"'{node.title}' at {index + 1}.: it repeats {earlier + 1}., and "
                    "no pass between them undoes its effect"
                )
                continue
            before.restore()
            sequence = pipeline.sequence()
        index += 1


def _insert_missing(pipeline: VariablePipeline) -> Iterator[str]:
    """Insert clean-ups, and passes that give forms; describe each insertion."""
    while True:
        sequence = pipeline.sequence()
        unmet = [
            (index, rule)
            for index, node in enumerate(sequence.nodes)
            for rule in node.prototype.ordering
            if _lacks_partner(sequence, index, rule)
        ]
        for index, rule in reversed(unmet):
            if (added := _insert(pipeline, index, rule)) is not None:
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
        theirs = other.prototype
        is_equal = PassConfiguration(theirs) == PassConfiguration(pass_)
        if is_equal and sequence.scopes[earlier] == sequence.scopes[index]:
            return earlier if _bundle(other) is not _bundle(node) else None
        if is_analysis:
            keeps = all(declares_preserved(theirs, analysis) for analysis in provides)
        else:
            keeps = preserves_everything(theirs) or _is_cleanup(sequence, other)
        if not keeps:
            return None
    return None


def _is_cleanup(sequence: FlatPipeline, node: PassNode) -> bool:
    return CLEANUP_TAG in node.prototype.tags or any(
        rule.meaning.is_weak and rule.is_about(node.prototype)
        for other in sequence.nodes
        for rule in other.prototype.ordering
    )


def _bundle(node: PassNode) -> Element:
    """Return the innermost bundle, stage or pipeline around a pass, else the pass."""
    return next((block for block in node.blocks() if block.kind != "nest"), node)


def _lacks_partner(sequence: FlatPipeline, index: int, rule: OrderingRule) -> bool:
    if rule.wants_earlier:
        return any(broken_forms(sequence, index))
    is_broken = sequence.order.broken_rule(index, rule) is not None
    return rule.meaning.is_weak and is_broken


def _insert(pipeline: VariablePipeline, index: int, rule: OrderingRule) -> str | None:
    """Insert a pass that `rule` of the pass at `index` names, if one is of use.

    It stands as close to the pass as the rules of the pipeline allow.
    """
    source, sequence = pipeline.source, pipeline.sequence()
    node = sequence.nodes[index]
    known = len(check_sequence(sequence, source.context))
    broken = {form for form, _ in broken_forms(sequence, index)}
    is_after = not rule.wants_earlier
    for partner in rule.partners:
        if partner.is_tag:
            continue
        for old in _places_beside(sequence, index, is_after=is_after):
            holder = Block("bundle", "")
            holder.parent = old.parent
            try:
                source.fill(holder, partner.name, None)
            except PassError:
                break  # unknown or not implemented: try the next partner
            if not is_after and not broken & _given_by(holder):
                break
            before = BlockSnapshot.of(sequence.root)
            place_beside(holder.elements, old, is_after=is_after)
            if len(check_sequence(pipeline.sequence(), source.context)) < known:
                reason = f"'{node.title}' requires it ({_place_of(node, rule)})"
                note = f"inserted by remove_redundant_passes(): {reason}"
                for added in holder.passes():
                    added.history.append(note)
                side = "after" if is_after else "before"
                title = old.title if isinstance(old, PassNode) else old.name
                return f"'{partner.name}' {side} '{title}': {reason}"
            before.restore()
    return None


def _given_by(block: Block) -> set[Form]:
    return {form for node in block.passes() for form in node.prototype.forms.gives}


def _place_of(node: PassNode, rule: OrderingRule) -> str:
    """Return the place of the declaration that asks for the inserted pass."""
    if rule.wants_earlier:
        return rule_place(node.prototype, "forms", "needs")
    return rule_place(node.prototype, "ordering", rule.kind)


def _places_beside(
    sequence: FlatPipeline, index: int, *, is_after: bool
) -> Iterator[Element]:
    """Yield the elements beside which a pass that is inserted may stand.

    A clean-up may stand after a later pass as well.
    """
    for node in sequence.nodes[index : None if is_after else index + 1]:
        element: Element = node
        while element.parent is not None:
            yield element
            if element.parent.elements[-1 if is_after else 0] is not element:
                break
            element = element.parent
