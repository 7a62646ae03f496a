"""Ordering rules that chase one another: a part of `checks`.

A rule can be obeyed if some partner can stand where it asks for
one; a pass that no finite pipeline can hold is on a cycle of rules, or needs one that
is. Nothing here depends on a particular pipeline.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from passgen.diagnostics import Diagnostic, Note
from passgen.checks.pipelines.known_passes import KnownPass, KnownPasses
from passgen.model.group import PassGroup
from passgen.model.constraints import OrderingRule


def check_rule_cycles(group: PassGroup, known: KnownPasses) -> Iterator[Diagnostic]:
    """Yield the cycles of ordering rules that begin at a pass of `group`."""
    own = {pass_.argument for pass_ in group.passes}
    for wants_earlier in (True, False):
        impossible = _impossible(known, wants_earlier=wants_earlier)
        told: set[str] = set()
        for start in impossible:
            cycle = _cycle(start, impossible, known)
            arguments = [pass_.argument for pass_, _ in cycle]
            if told.isdisjoint(arguments) and arguments[0] in own:
                told.update(arguments)
                yield _rule_cycle(cycle, "after" if wants_earlier else "before")


def _impossible(
    known: KnownPasses, *, wants_earlier: bool
) -> dict[str, list[OrderingRule]]:
    """Return the passes that no pipeline can hold, with the rules that forbid it."""
    rules = {
        argument: [
            rule
            for rule in pass_.constraints.ordering
            if rule.wants_earlier == wants_earlier
        ]
        for argument, pass_ in known.by_argument.items()
    }
    impossible = {argument: each for argument, each in rules.items() if each}
    is_shrinking = True
    while is_shrinking:
        possible = [
            argument
            for argument, each in impossible.items()
            if not any(_blocks(rule, impossible, known) for rule in each)
        ]
        for argument in possible:
            del impossible[argument]
        is_shrinking = bool(possible)
    return impossible


def _blocks(
    rule: OrderingRule, impossible: Mapping[str, object], known: KnownPasses
) -> bool:
    partners = [match for each in rule.partners for match in known.matches(each)]
    return bool(partners) and all(each.argument in impossible for each in partners)


def _cycle(
    start: str, impossible: Mapping[str, list[OrderingRule]], known: KnownPasses
) -> list[tuple[KnownPass, OrderingRule]]:
    """Return the cycle that `start` leads to, from its first rule in the text."""
    path: dict[str, OrderingRule] = {}
    argument = start
    while argument not in path:
        rule = next(
            each for each in impossible[argument] if _blocks(each, impossible, known)
        )
        path[argument] = rule
        argument = known.matches(rule.partners[0])[0].argument
    arguments = list(path)
    arguments = arguments[arguments.index(argument) :]
    first = min(range(len(arguments)), key=lambda index: _order(path[arguments[index]]))
    arguments = arguments[first:] + arguments[:first]
    return [(known.by_argument[each], path[each]) for each in arguments]


def _order(rule: OrderingRule) -> tuple[str, int, int]:
    place = rule.location
    return place.source.name, place.line, place.column


def _rule_cycle(cycle: list[tuple[KnownPass, OrderingRule]], where: str) -> Diagnostic:
    names = [pass_.argument for pass_, _ in cycle]
    followed = [*names[1:], names[0]]
    message = f"pass '{names[0]}' must come {where} '{followed[0]}'"
    message += "".join(f", which must come {where} '{each}'" for each in followed[1:])
    if len(names) == 1:
        message = f"pass '{names[0]}' must come {where} itself"
    notes = tuple(
        Note(f"'{pass_.argument}' must come {where} '{partner}'", rule.location)
        for (pass_, rule), partner in zip(cycle[1:], followed[1:], strict=True)
    )
    return Diagnostic(message, cycle[0][1].location, notes)
