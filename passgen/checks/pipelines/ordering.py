"""Checks of declared pipelines against the constraints of their passes.

Each pipeline is checked as a sequence of passes, for all values of its options at once.
The result is a case in which a rule is broken, or the proof that there is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from passgen.checks.pipelines.conditions import (
    ConditionPlace,
    FlatPass,
    FlatPipeline,
    flatten,
)
from passgen.checks.pipelines.references import KnownPass, KnownPasses
from passgen.diagnostics import Diagnostic, Note
from passgen.model import Anchor, Name, OrderingRule, PassGroup
from passgen.passgen_rules.order_judgement import PassOrder
from passgen.passgen_rules.sequence import ANY_OPERATION, Guard, find_case
from passgen.source import Location


def check_order(group: PassGroup, known: KnownPasses) -> Iterator[Diagnostic]:
    """Yield the broken rules in pipelines of `group`."""
    for pipeline in group.pipelines:
        flat = flatten(pipeline, group, known)
        check = _OrderCheck(f"pipeline '{pipeline.argument}'", flat)
        yield from check.anchors()
        for index, pass_ in enumerate(flat.passes):
            for rule in pass_.pass_.constraints.ordering:
                yield from check.rule(index, pass_, rule)
            yield from check.preservation(index, pass_)


class _OrderCheck:
    """The check of one pipeline."""

    def __init__(self, what: str, flat: FlatPipeline) -> None:
        self._what = what
        self._flat = flat
        self._passes = flat.passes
        self._inclusions = flat.inclusions
        self._domains = flat.domains
        self._order = PassOrder(flat.passes, flat.domains)
        self._reported: set[tuple[Location, Location]] = set()

    def anchors(self) -> Iterator[Diagnostic]:
        """Yield passes and pipelines whose anchor is not the operation around them."""
        for pass_ in self._passes:
            what = f"pass '{pass_.pass_.argument}'"
            yield from self._anchor(what, pass_.pass_.anchor, pass_.anchor, pass_.place)
        for inclusion in self._inclusions:
            pipeline, place = inclusion.pipeline, inclusion.place
            what = f"pipeline '{pipeline.argument}'"
            yield from self._anchor(what, pipeline.anchor, inclusion.anchor, place)

    def _anchor(
        self, what: str, anchor: Anchor | None, found: str, place: ConditionPlace
    ) -> Iterator[Diagnostic]:
        # The operations with an interface are known only to an IR library.
        if anchor is None or anchor.kind == "interface" or anchor.name == found:
            return
        where = f"stands on '{found}'"
        if found == ANY_OPERATION:
            where = "stands where any operation may be"
        message = f"{what} runs on '{anchor.name}', but in {self._what} it {where}"
        notes = (
            *place.notes(what),
            Note("its anchor is declared here", anchor.location),
            Note(f"nest it: '{{nest: {anchor.name}, elements: [...]}}'"),
        )
        yield from self._report_once(message, place, anchor.location, notes)

    def rule(
        self, index: int, each: FlatPass, rule: OrderingRule
    ) -> Iterator[Diagnostic]:
        """Yield a case in which pass `index` of the sequence breaks `rule`."""
        broken = self._order.broken_rule(index, rule)
        if broken is None:
            return
        notes = [
            *each.place.notes(f"pass '{each.argument}'"),
            *self._flat.case_notes(broken.case),
        ]
        if witness := broken.witness:
            found = f"'{witness.argument}' stands here"
            notes.append(Note(found, witness.place.element))
        notes.append(Note("the rule is declared here", rule.location))
        message = broken.message(each.argument, self._what)
        yield from self._report_once(message, each.place, rule.location, tuple(notes))

    def preservation(self, index: int, each: FlatPass) -> Iterator[Diagnostic]:
        """Yield passes before `index` that invalidate an analysis that it requires."""
        for analysis, python in each.pass_.required:
            between: list[FlatPass] = []
            newer: list[Guard] = []
            for earlier in reversed(self._passes[:index]):
                if python in earlier.pass_.provided:
                    middles = [
                        middle
                        for middle in between
                        if not middle.pass_.preserves(python)
                    ]
                    yield from self._losses(earlier, middles, newer, each, analysis)
                    if not earlier.guard:
                        break  # it always replaces what is provided before
                    newer.append(earlier.guard)
                between.append(earlier)

    def _losses(
        self,
        provider: FlatPass,
        middles: Sequence[FlatPass],
        newer: Sequence[Guard],
        requirer: FlatPass,
        analysis: Name,
    ) -> Iterator[Diagnostic]:
        for middle in middles:
            guards = [provider.guard, middle.guard, requirer.guard]
            case = find_case(guards, newer, self._domains)
            if case is None:
                continue
            what = f"pass '{middle.pass_.argument}'"
            message = (
                f"{what} does not preserve analysis '{analysis.name}', which pass "
                f"'{requirer.pass_.argument}' of {self._what} requires after it"
            )
            notes = (
                *middle.place.notes(what),
                *self._flat.case_notes(case),
                Note(
                    f"'{provider.pass_.argument}' provides it here",
                    provider.place.element,
                ),
                Note(
                    f"'{requirer.pass_.argument}' stands here", requirer.place.element
                ),
                Note("it is required here", analysis.location),
            )
            yield from self._report_once(
                message, middle.place, analysis.location, notes
            )

    def _report_once(
        self,
        message: str,
        place: ConditionPlace,
        rule: Location,
        notes: tuple[Note, ...],
    ) -> Iterator[Diagnostic]:
        """Yield the diagnostic, unless it was reported for this element and rule."""
        if (place.element, rule) not in self._reported:
            self._reported.add((place.element, rule))
            yield Diagnostic(message, place.element, notes)


def check_rule_cycles(group: PassGroup, known: KnownPasses) -> Iterator[Diagnostic]:
    """Yield the cycles of ordering rules that begin at a pass of `group`."""
    own = {pass_.argument for pass_ in group.passes}
    for wants_earlier in (True, False):
        impossible = _impossible(known, wants_earlier=wants_earlier)
        reported: set[str] = set()
        for start in impossible:
            cycle = _cycle(start, impossible, known)
            arguments = [pass_.argument for pass_, _ in cycle]
            if reported.isdisjoint(arguments) and arguments[0] in own:
                reported.update(arguments)
                yield _rule_cycle(cycle, "after" if wants_earlier else "before")


def _impossible(
    known: KnownPasses, *, wants_earlier: bool
) -> dict[str, list[OrderingRule]]:
    """Return the passes that no pipeline can contain, with the rules to blame."""
    rules = {
        argument: [
            rule
            for rule in pass_.constraints.ordering
            if rule.wants_earlier == wants_earlier
        ]
        for argument, pass_ in known.by_argument.items()
    }
    impossible = {argument: found for argument, found in rules.items() if found}
    is_shrinking = True
    while is_shrinking:
        possible = [
            argument
            for argument, found in impossible.items()
            if not any(_blocks(rule, impossible, known) for rule in found)
        ]
        for argument in possible:
            del impossible[argument]
        is_shrinking = bool(possible)
    return impossible


def _blocks(
    rule: OrderingRule, impossible: Mapping[str, object], known: KnownPasses
) -> bool:
    partners = [match for partner in rule.partners for match in known.matches(partner)]
    return bool(partners) and all(
        partner.argument in impossible for partner in partners
    )


def _cycle(
    start: str, impossible: Mapping[str, list[OrderingRule]], known: KnownPasses
) -> list[tuple[KnownPass, OrderingRule]]:
    """Return the cycle reached from `start`, from its first rule in the text on."""
    path: dict[str, OrderingRule] = {}
    argument = start
    while argument not in path:
        rule = next(
            candidate
            for candidate in impossible[argument]
            if _blocks(candidate, impossible, known)
        )
        path[argument] = rule
        argument = known.matches(rule.partners[0])[0].argument
    arguments = list(path)
    arguments = arguments[arguments.index(argument) :]
    first = min(range(len(arguments)), key=lambda index: _order(path[arguments[index]]))
    arguments = arguments[first:] + arguments[:first]
    return [(known.by_argument[argument], path[argument]) for argument in arguments]


def _order(rule: OrderingRule) -> tuple[str, int, int]:
    place = rule.location
    return place.source.name, place.line, place.column


def _rule_cycle(cycle: list[tuple[KnownPass, OrderingRule]], where: str) -> Diagnostic:
    names = [pass_.argument for pass_, _ in cycle]
    followed = [*names[1:], names[0]]
    message = f"pass '{names[0]}' must come {where} '{followed[0]}'"
    message += "".join(
        f", which must come {where} '{argument}'" for argument in followed[1:]
    )
    if len(names) == 1:
        message = f"pass '{names[0]}' must come {where} itself"
    notes = tuple(
        Note(f"'{pass_.argument}' must come {where} '{partner}'", rule.location)
        for (pass_, rule), partner in zip(cycle[1:], followed[1:], strict=True)
    )
    return Diagnostic(message, cycle[0][1].location, notes)
