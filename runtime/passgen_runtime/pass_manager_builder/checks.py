"""Checks of a pipeline against the rules of its passes: order, analyses, anchors.

Each check returns all violations by the passes of a pipeline. `explain_sequence` names
the rules that put each pass in its place; `check_order` checks any pass manager.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from passgen_rules.form_judgement import find_breaker
from passgen_rules.forms import Form
from passgen_rules.order_judgement import BrokenRule
from passgen_rules.sequence import NO_OPTIONS
from passgen_runtime.analysis import AllAnalyses, DeclaredAnalysis, analysis_name
from passgen_runtime.context import Context
from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.errors import (
    MAX_SHOWN_ERRORS,
    PIPELINE_SOURCE,
    SchedulingError,
    locate,
    nearest_note,
)
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_manager import OpPassManager, PassManager
from passgen_runtime.pass_manager_builder.blocks import (
    FlatPipeline,
    PassNode,
    PlacedPass,
    block_of,
    nests_around,
)
from passgen_runtime.pass_manager_builder.declared_analyses import (
    analysis_key,
    declares_preserved,
)
from passgen_runtime.pass_manager_builder.violations import (
    ConstraintViolation,
    PipelineConstraintError,
)
from passgen_runtime.textual_pipeline import PipelineElement, parse_pipeline

_INDENTATION = "     "


def check_sequence(
    sequence: FlatPipeline, context: Context | None
) -> list[ConstraintViolation]:
    """Return all violations in the pipeline, in the order of the passes.

    Args:
        sequence: the passes of the pipeline.
        context: if given, passes are checked against the operations that they run on.
    """
    found: list[ConstraintViolation] = []
    required: list[Requirement] = []
    for user in range(len(sequence.nodes)):
        required += requirements(sequence, user)
    for index, node in enumerate(sequence.nodes):
        of_pass = [
            *_anchor_violations(node, context),
            *_order_violations(sequence, index),
            *_lost_analyses(sequence, index, required),
            *_needs_violations(sequence, index),
        ]
        found += (
            replace(violation, text=sequence.text, span=sequence.span(node))
            for violation in of_pass
        )
    return found


def check_order(
    manager: PassManager, *, strict: bool = False, written: str | None = None
) -> None:
    """Check the order of the passes in `manager` against the rules that they declare.

    Args:
        manager: a complete pipeline; its context gets the warnings.
        strict: whether broken rules are errors, not warnings.
        written: the text that `manager` was parsed from. Messages quote it if it names
            each pass, and `str(manager)` if it names pipelines of passes.

    Raises:
        PipelineConstraintError: rules are broken, and `strict` is set.
    """
    if not any(
        pass_.ordering or pass_.required_analyses or pass_.forms.needs
        for pass_ in manager.passes()
    ):
        return
    sequence = FlatPipeline(block_of(manager))
    # The manager itself has checked anchors.
    found = [
        violation
        for violation in check_sequence(sequence, None)
        if violation.kind != "anchor"
    ]
    if found and written is not None:
        found = _quote(found, sequence, written)
    if found and strict:
        raise PipelineConstraintError(found)
    for violation in found[:MAX_SHOWN_ERRORS]:
        manager.context.handle(_warning_of(violation))
    if more := found[MAX_SHOWN_ERRORS:]:
        place = _warning_of(more[0]).location
        manager.context.handle(Diagnostic("warning", f"and {len(more)} more", place))


def _warning_of(violation: ConstraintViolation) -> Diagnostic:
    place = PIPELINE_SOURCE, violation.text, violation.span
    shown = locate("warning", violation.message, *place, violation.all_notes)
    location, _, rest = shown.partition(": warning: ")
    return Diagnostic("warning", rest, location)


def _quote(
    found: list[ConstraintViolation], sequence: FlatPipeline, written: str
) -> list[ConstraintViolation]:
    """Return violations with their places in `written`, if that names each pass."""
    names = list(_pass_names(parse_pipeline(written).elements))
    if [name.name for name in names] != [node.title for node in sequence.nodes]:
        return found
    places = {
        sequence.span(node): name.span
        for node, name in zip(sequence.nodes, names, strict=True)
    }
    return [replace(entry, text=written, span=places[entry.span]) for entry in found]


def _pass_names(elements: Iterable[PipelineElement]) -> Iterator[PipelineElement]:
    for element in elements:
        if element.nested is None:
            yield element
        else:
            yield from _pass_names(element.nested)


def rule_place(pass_: Pass, attribute: str, key: str) -> str:
    """Return the place where `pass_` declares a rule: in a spec, or in a class.

    Args:
        pass_: the pass.
        attribute: the attribute of the class that declares the rule.
        key: the name of the attribute in a spec.
    """
    for cls in type(pass_).__mro__:
        if attribute in vars(cls):
            if vars(cls).get("declared_in"):
                return f"{cls.declared_in}: {cls.name}.{key}"  # type: ignore[attr-defined] # of passes
            return f"{cls.__module__}.{cls.__qualname__}.{attribute}"
    return ""


def _anchor_violations(
    node: PassNode, context: Context | None
) -> Iterator[ConstraintViolation]:
    pass_ = node.prototype
    try:
        OpPassManager(node.anchor, context=context).add_pass(pass_)
    except SchedulingError as error:
        nested = f"'{pass_.anchor}({node.title})' nests it"
        is_misplaced = bool(pass_.anchor) and not error.has_own_place
        notes = ((nested,) if is_misplaced else ()) + _origin(node)
        yield ConstraintViolation("anchor", node.title, str(error), "", notes)


def _order_violations(
    sequence: FlatPipeline, index: int
) -> Iterator[ConstraintViolation]:
    node = sequence.nodes[index]
    for rule in node.prototype.ordering:
        broken = sequence.order.broken_rule(index, rule)
        if broken is None:
            continue
        yield ConstraintViolation(
            rule.kind,
            node.title,
            broken.message(node.title),
            rule_place(node.prototype, "ordering", rule.kind),
            (*_missing_notes(sequence, broken), *_origin(node)),
            can_be_fixed_later=not rule.wants_earlier,
            is_conflict=broken.witness is not None,
        )


def _missing_notes(
    sequence: FlatPipeline, broken: BrokenRule[PlacedPass]
) -> Iterator[str]:
    rule = broken.rule
    for node in sequence.skipped:
        if rule.is_about(node.prototype):
            yield f"'{node.title}' is skipped"
    if broken.witness or rule.meaning.is_weak:
        return
    names = {node.title for node in sequence.nodes}
    tags = {tag for node in sequence.nodes for tag in node.prototype.tags}
    for partner in rule.partners:
        known = tags if partner.is_tag else names - {partner.name}
        yield from nearest_note(partner.name, known)


def _lost_analyses(
    sequence: FlatPipeline, index: int, required: list[Requirement]
) -> Iterator[ConstraintViolation]:
    """Yield a violation for each analysis that the pass at `index` loses.

    An analysis survives from its last provider to the pass that requires it if each
    pass between them preserves it, and if its pass manager does not end before that.
    An analysis without a provider is computed when a pass requests it.
    """
    node = sequence.nodes[index]
    seen: set[str] = set()
    for needed in required:
        if needed.key in seen or not needed.provider < index < needed.user:
            continue
        if (problem := _loss(sequence, index, needed)) is not None:
            seen.add(needed.key)
            provider = sequence.nodes[needed.provider]
            yield ConstraintViolation(
                "preserves",
                node.title,
                f"pass '{node.title}' {problem}",
                needed.place,
                (f"'{provider.title}' provides it", *_origin(node)),
            )


def _loss(sequence: FlatPipeline, index: int, needed: Requirement) -> str | None:
    """Describe the loss of an analysis by the pass at `index`; `None` if none."""
    node, user = sequence.nodes[index], sequence.nodes[needed.user].title
    name = analysis_name(needed.analysis)
    own, provider = sequence.scopes[index], sequence.scopes[needed.provider]
    if own[: len(provider)] == provider:
        if declares_preserved(node.prototype, needed.analysis):
            return None
        return f"does not preserve analysis '{name}', which '{user}' requires after it"
    if provider[: len(own)] == own:
        anchor = sequence.nodes[needed.provider].anchor
        return (
            f"ends the '{anchor}' pass manager in which analysis '{name}' lives, and "
            f"'{user}' requires it after that"
        )
    return None  # it runs on other operations


def _needs_violations(
    sequence: FlatPipeline, index: int
) -> Iterator[ConstraintViolation]:
    node = sequence.nodes[index]
    for form, breaker in broken_forms(sequence, index):
        name, place = breaker.title, rule_place(breaker.prototype, "forms", "breaks")
        yield ConstraintViolation(
            "needs",
            node.title,
            f"pass '{node.title}' needs '{form.name}'; '{name}' breaks it before that, "
            "and nothing after it gives it",
            rule_place(node.prototype, "forms", "needs"),
            (f"'{name}' breaks it, says {place}", *_origin(node)),
        )


def broken_forms(sequence: FlatPipeline, index: int) -> Iterator[tuple[Form, PassNode]]:
    """Yield each form that the pass at `index` needs, and the pass that breaks it."""
    step, earlier = sequence.steps[index], sequence.steps[:index]
    for form in step.forms.needs:
        if found := find_breaker(form, step, earlier, NO_OPTIONS):
            breaker, _ = found
            yield form, breaker.node


class Requirement(NamedTuple):
    """An analysis that a pass requires and an earlier one provides."""

    analysis: DeclaredAnalysis
    key: str
    provider: int
    user: int
    place: str
    """The place of the declaration."""


def requirements(sequence: FlatPipeline, user: int) -> Iterator[Requirement]:
    """Yield the analyses that the pass at `user` requires and an earlier one provides.

    The last one counts that runs on the same operation or an ancestor.
    """
    pass_ = sequence.nodes[user].prototype
    for needed in pass_.required_analyses:
        key = analysis_key(needed)
        if (provider := _last_provider(sequence, user, key)) is not None:
            place = rule_place(pass_, "required_analyses", "requires")
            yield Requirement(needed, key, provider, user, place)


def _last_provider(sequence: FlatPipeline, user: int, key: str) -> int | None:
    anchors = [nest.name for nest in nests_around(sequence.nodes[user])]
    for index in reversed(range(user)):
        node = sequence.nodes[index]
        own = [nest.name for nest in nests_around(node)]
        keys = map(analysis_key, node.prototype.provided_analyses)
        if own == anchors[: len(own)] and key in keys:
            return index
    return None


def _origin(node: PassNode) -> tuple[str, ...]:
    """Return a note on the edits and blocks that added the pass, if any."""
    blocks = [str(block) for block in node.blocks() if block.kind != "nest"]
    origins = [*node.history, *(f"in {block}" for block in blocks)]
    return (f"'{node.title}': {', '.join(origins)}",) if origins else ()


def preserves_everything(pass_: Pass) -> bool:
    """Return whether `pass_` declares that it preserves all analyses."""
    return isinstance(pass_.preserved_analyses, AllAnalyses)


def explain_sequence(sequence: FlatPipeline, removed: Iterable[str]) -> str:
    """Return the reasons for the place of each pass, and the passes left out."""
    lines = [f"{sequence.root.name}:"]
    for index, node in enumerate(sequence.nodes):
        nests = [block.name for block in node.blocks() if block.kind == "nest"][:-1]
        where = f", on {' in '.join(nests)}" if nests else ""
        lines.append(f"{index + 1:>3}. {node.prototype}{where}")
        lines += (f"{_INDENTATION}{reason}" for reason in _reasons(sequence, index))
    lines += (f"removed: {name}" for name in removed)
    lines += (f"skipped: '{node.title}'" for node in sequence.skipped)
    return "\n".join(lines)


def _reasons(sequence: FlatPipeline, index: int) -> Iterator[str]:
    node = sequence.nodes[index]
    yield from node.history
    yield from (f"of {block}" for block in node.blocks() if block.kind != "nest")
    for rule in node.prototype.ordering:
        others = sequence.order.partners(rule)
        fitting = [other for other in others if other < index]
        if not rule.wants_earlier:
            fitting = [other for other in others if other > index][::-1]
        if fitting:
            other = fitting[-1]
            place = rule_place(node.prototype, "ordering", rule.kind)
            where = f"{rule.meaning.relation} {other + 1}."
            yield f"{where} '{sequence.nodes[other].title}': {place}"
    for requirement in requirements(sequence, index):
        title = sequence.nodes[requirement.provider].title
        name, number = analysis_name(requirement.analysis), requirement.provider + 1
        yield f"uses '{name}' of {number}. '{title}': {requirement.place}"
