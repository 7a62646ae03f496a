"""The passes, tags and analyses that pipelines and ordering rules may name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from passgen.diagnostics import Diagnostic, Note, suggest
from passgen.model import (
    UNCONSTRAINED,
    Anchor,
    BundleElement,
    Constraints,
    Element,
    ExternalPass,
    Name,
    Option,
    Partner,
    Pass,
    PassElement,
    PassGroup,
    without_blocks,
)
from passgen.passgen_rules.form_judgement import may_do_anything
from passgen.source import Location


@dataclass(frozen=True)
class KnownPass:
    """A pass as far as checks of pipelines need to know it."""

    argument: str
    anchor: Anchor | None
    constraints: Constraints
    options: tuple[Option, ...] | None
    """`None` if unknown, as for an external pass."""

    required: tuple[tuple[Name, str], ...]
    """The required analyses and their classes, which identify them in all groups."""

    provided: frozenset[str]
    """The classes of provided analyses."""

    preserved: frozenset[str]
    """The classes of preserved analyses; empty if the pass preserves all."""

    @property
    def is_open(self) -> bool:
        """Whether it may do to forms what it does not declare."""
        return may_do_anything(
            self.argument,
            has_spec=self.options is not None,
            has_forms=self.constraints.forms.is_declared,
            runs_pipelines=any(
                option.type.name == "pipeline" for option in self.options or ()
            ),
        )

    def preserves(self, analysis: str) -> bool:
        """Return whether the analysis of this class stays valid after the pass."""
        return self.constraints.preserves_all or analysis in self.preserved


@dataclass(frozen=True)
class KnownPasses:
    """Passes by argument and by tag."""

    by_argument: Mapping[str, KnownPass]
    by_tag: Mapping[str, tuple[KnownPass, ...]]

    def matches(self, partner: Partner) -> tuple[KnownPass, ...]:
        """Return the passes that are meant by `partner`."""
        if partner.is_tag:
            return self.by_tag.get(partner.name, ())
        known = self.by_argument.get(partner.name)
        return (known,) if known else ()


def known_passes(group: PassGroup, others: Sequence[PassGroup]) -> KnownPasses:
    """Return the passes that `group` may name if `others` are given too."""
    by_argument: dict[str, KnownPass] = {}
    for known in _passes_by_precedence(group, others):
        by_argument.setdefault(known.argument, known)
    by_tag: dict[str, tuple[KnownPass, ...]] = {}
    for known in by_argument.values():
        for tag in dict.fromkeys(
            known_tag.name for known_tag in known.constraints.tags
        ):
            by_tag[tag] = (*by_tag.get(tag, ()), known)
    return KnownPasses(by_argument, by_tag)


def with_unknown(known: KnownPasses, group: PassGroup) -> KnownPasses:
    """Return `known` with the unknown passes that pipelines and bundles name.

    They are like external passes of which nothing is declared.
    """
    by_argument = dict(known.by_argument)
    for element in _named_passes(group):
        name, place = element.argument, element.location
        unknown = ExternalPass(name, None, UNCONSTRAINED, place)
        by_argument.setdefault(name, _known_pass(unknown, None, {}))
    return KnownPasses(by_argument, known.by_tag)


def needed_groups(group: PassGroup, others: Sequence[PassGroup]) -> list[PassGroup]:
    """Return those of `others` with passes that `group` names."""
    named = {element.argument for element in _named_passes(group)}
    tags: set[str] = set()
    for pass_ in group.passes:
        for rule in pass_.constraints.ordering:
            for partner in rule.partners:
                (tags if partner.is_tag else named).add(partner.name)
    named -= {pass_.argument for pass_ in group.passes}
    named -= {pass_.argument for pass_ in group.external_passes}
    if not named and not tags:
        return []
    return [
        other
        for other in others
        if any(
            pass_.argument in named
            or any(tag.name in tags for tag in pass_.constraints.tags)
            for pass_ in other.passes
        )
    ]


def _named_passes(group: PassGroup) -> Iterator[PassElement]:
    """Yield the passes that bundles and pipelines of `group` name."""
    held = (
        *(bundle.elements for bundle in group.bundles),
        *(pipeline.elements for pipeline in group.pipelines),
    )
    for elements in held:
        for element in without_blocks(elements):
            if isinstance(element, PassElement):
                yield element


def _passes_by_precedence(
    group: PassGroup, others: Sequence[PassGroup]
) -> Iterable[KnownPass]:
    for known_group in (group, *others):
        classes = _classes(known_group)
        for pass_ in known_group.passes:
            yield _known_pass(pass_, pass_.options, classes)
    classes = _classes(group)
    for external in group.external_passes:
        yield _known_pass(external, None, classes)


def _classes(group: PassGroup) -> dict[str, str]:
    return {analysis.name: analysis.python for analysis in group.analyses}


def _known_pass(
    pass_: Pass | ExternalPass,
    options: tuple[Option, ...] | None,
    classes: Mapping[str, str],
) -> KnownPass:
    constraints = pass_.constraints

    def known_classes(names: Iterable[Name]) -> frozenset[str]:
        return frozenset(classes[name.name] for name in names if name.name in classes)

    return KnownPass(
        pass_.argument,
        pass_.anchor,
        constraints,
        options,
        required=tuple(
            (analysis, classes[analysis.name])
            for analysis in constraints.required_analyses
            if analysis.name in classes
        ),
        provided=known_classes(constraints.provided_analyses),
        preserved=known_classes(constraints.preserved_analyses),
    )


_ELSEWHERE = Note(
    "a pass of another group is known if its spec is given too, or if "
    "'externalPasses' lists it"
)


def check_constraint_names(
    group: PassGroup, known: KnownPasses
) -> Iterator[Diagnostic]:
    """Yield the unknown passes, tags and analyses in constraints of `group`."""
    analyses = [analysis.name for analysis in group.analyses]
    for pass_ in group.passes:
        of = f"of pass '{pass_.name}'"
        yield from _check_analyses(pass_.constraints, analyses, of)
        for rule in pass_.constraints.ordering:
            for partner in rule.partners:
                what = f"'{rule.kind}' {of}"
                yield from _check_partner(partner, known, what)
    for external in group.external_passes:
        of = f"of external pass '{external.argument}'"
        yield from _check_analyses(external.constraints, analyses, of)


def _check_partner(
    partner: Partner, known: KnownPasses, what: str
) -> Iterator[Diagnostic]:
    if not known.matches(partner):
        if partner.is_tag:
            kind, candidates, note = "tag", list(known.by_tag), _NO_TAG
        else:
            kind, candidates, note = "pass", list(known.by_argument), _ELSEWHERE
        message = f"unknown {kind} '{partner.name}' in {what}"
        yield _unknown(message, partner.location, partner.name, candidates, note)


_NO_TAG = Note(
    "a tag is known if a pass in a given spec or under 'externalPasses' has it"
)


def _check_analyses(
    constraints: Constraints, analyses: Sequence[str], of: str
) -> Iterator[Diagnostic]:
    for kind, names in (
        ("required", constraints.required_analyses),
        ("provided", constraints.provided_analyses),
        ("preserved", constraints.preserved_analyses),
    ):
        for name in names:
            if name.name not in analyses:
                message = f"unknown {kind} analysis '{name.name}' {of}"
                note = Note("analyses are declared under 'analyses'")
                yield _unknown(message, name.location, name.name, analyses, note)
        yield from _check_repeated(names, f"{kind} analysis", of)
    yield from _check_repeated(constraints.tags, "tag", of)


def _check_repeated(names: Iterable[Name], what: str, of: str) -> Iterator[Diagnostic]:
    seen: dict[str, Location] = {}
    for name in names:
        first = seen.setdefault(name.name, name.location)
        if first is not name.location:
            message = f"duplicate {what} '{name.name}' {of}"
            yield Diagnostic(message, name.location, (Note("first named here", first),))


def check_element_names(group: PassGroup, known: KnownPasses) -> Iterator[Diagnostic]:
    """Yield the unknown names in bundles and pipelines of `group`."""
    for bundle in group.bundles:
        of = f"in bundle '{bundle.name}'"
        yield from _check_elements(bundle.elements, of, group, known)
    for pipeline in group.pipelines:
        of = f"in pipeline '{pipeline.name}'"
        yield from _check_elements(pipeline.elements, of, group, known)


def _check_elements(
    elements: tuple[Element, ...], within: str, group: PassGroup, known: KnownPasses
) -> Iterator[Diagnostic]:
    bundles = [bundle.name for bundle in group.bundles]
    pipelines = [pipeline.argument for pipeline in group.pipelines]
    for element in without_blocks(elements):
        if isinstance(element, PassElement):
            name = element.argument
            if name not in known.by_argument:
                message = f"unknown pass '{name}' {within}"
                notes = _other_kind(name, bundles, pipelines) or (_ELSEWHERE,)
                yield _unknown(
                    message, element.location, name, known.by_argument, *notes
                )
        elif isinstance(element, BundleElement):
            if element.name not in bundles:
                message = f"unknown bundle '{element.name}' {within}"
                yield _unknown(message, element.location, element.name, bundles)
        elif element.argument not in pipelines:
            message = f"unknown pipeline '{element.argument}' {within}"
            note = Note("pipelines of the group are named by their arguments")
            yield _unknown(message, element.location, element.argument, pipelines, note)


def _other_kind(
    name: str, bundles: Sequence[str], pipelines: Sequence[str]
) -> tuple[Note, ...]:
    """Return the advice if `name` is that of a bundle or a pipeline, not of a pass."""
    for kind, names in (("bundle", bundles), ("pipeline", pipelines)):
        if name in names:
            return (Note(f"it is a {kind}: write '{{{kind}: {name}}}'"),)
    return ()


def _unknown(
    message: str,
    location: Location,
    name: str,
    candidates: Iterable[str],
    *notes: Note,
) -> Diagnostic:
    return Diagnostic(message, location, (*suggest(name, candidates), *notes))
