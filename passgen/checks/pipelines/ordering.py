"""Whether declared pipelines obey the rules of their passes: a part of `checks`.

Each pipeline is looked at as the line of passes that it runs, for all values of its
options at once: what is found is a case in which a rule is broken, or there is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from passgen.checks.pipelines.conditions import Guard, describe_case, find_case
from passgen.diagnostics import Diagnostic, Note
from passgen.checks.pipelines.flat_pipelines import FlatPass, FlatPipeline, Place, flatten
from passgen.checks.pipelines.known_passes import KnownAnalysis, KnownPasses
from passgen.model.group import Anchor, PassGroup
from passgen.model.constraints import OrderingRule
from passgen.source import Location


def check_order(group: PassGroup, known: KnownPasses) -> Iterator[Diagnostic]:
    """Yield the rules that pipelines of `group` break."""
    for pipeline in group.pipelines:
        flat = flatten(pipeline, group, known)
        check = _Check(f"pipeline '{pipeline.argument}'", flat, known)
        yield from check.anchors()
        for index, each in enumerate(flat.passes):
            for rule in each.pass_.constraints.ordering:
                yield from check.rule(index, each, rule)
            yield from check.preservation(index, each)


class _Check:
    """The look at one pipeline."""

    def __init__(self, what: str, flat: FlatPipeline, known: KnownPasses) -> None:
        self._what = what
        self._passes = flat.passes
        self._inclusions = flat.inclusions
        self._domains = flat.domains
        self._known = known
        self._told: set[tuple[Location, Location]] = set()

    def anchors(self) -> Iterator[Diagnostic]:
        """Yield what stands on an operation that it does not run on."""
        for each in self._passes:
            what = f"pass '{each.pass_.argument}'"
            yield from self._anchor(what, each.pass_.anchor, each.anchor, each.place)
        for inclusion in self._inclusions:
            pipeline, place = inclusion.pipeline, inclusion.place
            what = f"pipeline '{pipeline.argument}'"
            yield from self._anchor(what, pipeline.anchor, inclusion.anchor, place)

    def _anchor(
        self, what: str, anchor: Anchor | None, found: str, place: Place
    ) -> Iterator[Diagnostic]:
        # Which operations have an interface is not known without running anything.
        if anchor is None or anchor.kind == "interface" or anchor.name == found:
            return
        where = f"stands on '{found}'" if found else "stands where any operation may be"
        message = f"{what} runs on '{anchor.name}', but in {self._what} it {where}"
        notes = (
            *_brought(what, place),
            Note("its anchor is declared here", anchor.location),
            Note(f"nest it: '{{nest: {anchor.name}, elements: [...]}}'"),
        )
        yield from self._told_once(message, place, anchor.location, notes)

    def rule(
        self, index: int, each: FlatPass, rule: OrderingRule
    ) -> Iterator[Diagnostic]:
        """Yield a case in which pass `index` of the line breaks `rule`."""
        wanted = {
            match.argument
            for partner in rule.partners
            for match in self._known.matches(partner)
        }
        behind = self._with(wanted, self._passes[index + 1 :])
        ahead = self._with(wanted, self._passes[:index])
        fitting, others = (ahead, behind) if rule.wants_earlier else (behind, ahead)
        guards = [partner.guard for partner in fitting]
        witness: FlatPass | None = None
        case = None
        for other in () if rule.kind == "cleanup" else others:
            case = find_case([each.guard, other.guard], guards, self._domains)
            if case is not None:
                witness = other
                break
        if case is None and not rule.is_soft:
            case = find_case([each.guard], guards, self._domains)
        if case is None:
            return
        message = self._rule_message(each, rule, witness)
        notes = [
            *_brought(f"pass '{each.pass_.argument}'", each.place),
            *self._case(case),
        ]
        if witness:
            found = witness.pass_.argument
            notes.append(Note(f"'{found}' stands here", witness.place.element))
        notes.append(Note("the rule is declared here", rule.location))
        yield from self._told_once(message, each.place, rule.location, tuple(notes))

    def _rule_message(
        self, each: FlatPass, rule: OrderingRule, witness: FlatPass | None
    ) -> str:
        where = "after" if rule.wants_earlier else "before"
        partners = " or ".join(map(str, rule.partners))
        name = f"pass '{each.pass_.argument}'"
        if rule.kind == "cleanup":
            demand = f"{name} must be cleaned up by {partners}"
            missing = f"none of which follows it in {self._what}"
            if len(rule.partners) == 1:
                missing = f"which does not follow it in {self._what}"
            return f"{demand}, {missing}"
        demand = f"{name} must come {where} {partners}"
        if witness is None:
            return f"{demand}, which {self._what} does not hold"
        opposite = "after" if where == "before" else "before"
        return f"{demand}, but in {self._what} it comes {opposite}"

    def preservation(self, index: int, each: FlatPass) -> Iterator[Diagnostic]:
        """Yield the passes that lose an analysis on its way to pass `index`."""
        for analysis in each.pass_.required:
            between: list[FlatPass] = []
            newer: list[Guard] = []
            for earlier in reversed(self._passes[:index]):
                if analysis.python in earlier.pass_.provided:
                    yield from self._losses(earlier, between, newer, each, analysis)
                    if not earlier.guard:
                        break  # what is provided before it never reaches this pass
                    newer.append(earlier.guard)
                between.append(earlier)

    def _losses(
        self,
        provider: FlatPass,
        between: Sequence[FlatPass],
        newer: Sequence[Guard],
        requirer: FlatPass,
        analysis: KnownAnalysis,
    ) -> Iterator[Diagnostic]:
        for each in between:
            if each.pass_.preserves(analysis.python):
                continue
            guards = [provider.guard, each.guard, requirer.guard]
            case = find_case(guards, newer, self._domains)
            if case is None:
                continue
            what = f"pass '{each.pass_.argument}'"
            message = (
                f"{what} does not preserve analysis '{analysis.name}', which pass "
                f"'{requirer.pass_.argument}' of {self._what} requires after it"
            )
            notes = (
                *_brought(what, each.place),
                *self._case(case),
                Note(
                    f"'{provider.pass_.argument}' provides it here",
                    provider.place.element,
                ),
                Note(
                    f"'{requirer.pass_.argument}' stands here", requirer.place.element
                ),
                Note("it is required here", analysis.location),
            )
            yield from self._told_once(message, each.place, analysis.location, notes)

    def _case(self, case: Guard) -> tuple[Note, ...]:
        if not case:
            return ()
        return (Note(f"this happens if {describe_case(case, self._domains)}"),)

    def _with(self, wanted: set[str], passes: Sequence[FlatPass]) -> list[FlatPass]:
        return [each for each in passes if each.pass_.argument in wanted]

    def _told_once(
        self, message: str, place: Place, rule: Location, notes: tuple[Note, ...]
    ) -> Iterator[Diagnostic]:
        """Yield the diagnostic, unless this element has broken this rule before."""
        if (place.element, rule) not in self._told:
            self._told.add((place.element, rule))
            yield Diagnostic(message, place.element, notes)


def _brought(what: str, place: Place) -> tuple[Note, ...]:
    if place.own is place.element:
        return ()
    return (Note(f"{what} is named here", place.own),)
