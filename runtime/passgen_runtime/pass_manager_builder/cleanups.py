"""Clean-up economy: no clean-up or analysis twice for nothing, and none missing.

Bundles bring their own clean-ups and analyses. Where two bundles meet, the second need
not repeat what the first has done if nothing between them can have undone it:

- an analysis pass repeats another one if all passes between them preserve what it
  provides;
- a clean-up repeats another one if all passes between them only read, or are clean-ups
  themselves.

A clean-up is what some pass of the pipeline asks for as its `cleanup`, or has the tag
`cleanup`. Repetitions inside one bundle are its author's business and stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from passgen_runtime.analysis import declares_preserved
from passgen_runtime.context import Context
from passgen_runtime.errors import PassError
from passgen_runtime.ordering_rules import NamedPass, OrderingRule
from passgen_runtime.pass_manager_builder.blocks import (
    Block,
    Element,
    PassLine,
    PassNode,
    Snapshot,
    detach,
    place_beside,
)
from passgen_runtime.pass_manager_builder.bundles import PassSource
from passgen_runtime.pass_manager_builder.checks import (
    check_line,
    preserves_everything,
    rule_place,
)

CLEANUP_TAG = "cleanup"
"""The tag of passes that only tidy up what others leave."""

LineOf = Callable[[], PassLine]
"""Looks at the pipeline as it is now."""


def remove_repeated(line_of: LineOf, context: Context | None) -> Iterator[str]:
    """Take out passes that repeat earlier ones; yield what was taken out, and why."""
    line = line_of()
    index = 0
    while index < len(line.nodes):
        node = line.nodes[index]
        earlier = _repeated(line, index)
        if earlier is None:
            index += 1
            continue
        before, known = Snapshot.of(line.root), len(check_line(line, context))
        detach(node)
        line = line_of()
        if len(check_line(line, context)) > known:
            before.restore()
            line = line_of()
            index += 1
            continue
        yield (
            f"'{node.title}', {index + 1}. before, repeats {earlier + 1}. and nothing "
            "between them undoes it"
        )


def insert_missing(line_of: LineOf, source: PassSource) -> Iterator[str]:
    """Put clean-ups where weak rules miss them; yield what was put where, and why."""
    while True:
        line = line_of()
        wanting = [
            (index, rule)
            for index, node in enumerate(line.nodes)
            for rule in node.prototype.ordering
            if rule.kind == "cleanup" and not _is_met(line, index, rule)
        ]
        for index, rule in reversed(wanting):
            added = _insert(line_of, index, rule, source)
            if added is not None:
                yield added
                break
        else:
            return


def _repeated(line: PassLine, index: int) -> int | None:
    """Return the index of the pass that the one at `index` repeats, if it does."""
    node = line.nodes[index]
    pass_ = node.prototype
    provides = pass_.provided_analyses
    is_analysis = bool(provides) and preserves_everything(pass_)
    if not is_analysis and not _is_cleanup(line, node):
        return None
    for earlier in reversed(range(index)):
        other = line.nodes[earlier]
        is_equal = type(other.prototype) is type(pass_) and str(other.prototype) == str(
            pass_
        )
        if is_equal and line.scopes[earlier] == line.scopes[index]:
            return earlier if _bundle(other) is not _bundle(node) else None
        if is_analysis:
            undoes = not all(
                declares_preserved(other.prototype, each) for each in provides
            )
        else:
            undoes = not (
                preserves_everything(other.prototype) or _is_cleanup(line, other)
            )
        if undoes:
            return None
    return None


def _is_cleanup(line: PassLine, node: PassNode) -> bool:
    return CLEANUP_TAG in node.prototype.tags or any(
        rule.kind == "cleanup" and rule.is_about(node.prototype)
        for other in line.nodes
        for rule in other.prototype.ordering
    )


def _bundle(node: PassNode) -> Element:
    """Return the innermost bundle, stage or pipeline around a pass, or the pass."""
    return next((each for each in node.blocks() if each.kind != "nest"), node)


def _is_met(line: PassLine, index: int, rule: OrderingRule) -> bool:
    return any(each > index for each in line.partners(rule))


def _insert(
    line_of: LineOf,
    index: int,
    rule: OrderingRule,
    source: PassSource,
) -> str | None:
    """Add a clean-up that `rule` of the pass at `index` asks for, if one can be made.

    It stands as soon after the pass as nothing is broken by it.
    """
    line = line_of()
    node = line.nodes[index]
    place = rule_place(node.prototype, "ordering", rule.kind)
    known = len(check_line(line, source.context))
    for partner in rule.partners:
        if not isinstance(partner, NamedPass):
            continue
        for old in _places_behind(line, index):
            holder = Block("bundle", "")
            holder.parent = old.parent
            try:
                source.fill(holder, partner.argument, None)
            except PassError:
                break  # not known or not implemented: another partner may do
            before = Snapshot.of(line.root)
            place_beside(holder.elements, old, is_after=True)
            if len(check_line(line_of(), source.context)) < known:
                reason = f"'{node.title}' asks for it ({place})"
                for added in holder.passes():
                    added.history.append(f"inserted by economize(): {reason}")
                return f"'{partner.argument}' after '{_title(old)}': {reason}"
            before.restore()
    return None


def _places_behind(line: PassLine, index: int) -> Iterator[Element]:
    """Yield what a clean-up may be put after, from the pass at `index` on."""
    for node in line.nodes[index:]:
        element: Element = node
        while element.parent is not None:
            yield element
            if element.parent.elements[-1] is not element:
                break
            element = element.parent


def _title(element: Element) -> str:
    return element.title if isinstance(element, PassNode) else element.name
