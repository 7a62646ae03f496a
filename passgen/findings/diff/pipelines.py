"""What changed of the pipelines and bundles of a group."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from passgen.findings.diff.matching import match, was_here
from passgen.findings.diff.options import Owner, compare_options
from passgen.findings.finding import Finding
from passgen.model import Bundle, Ignore, PassGroup, Pipeline
from passgen.rules import DIFF_RULES
from passgen.source import Location


def compare_pipelines(old: PassGroup, new: PassGroup) -> Iterator[Finding]:
    """Yield what changed of pipelines and bundles."""
    ignores = new.ignores
    pipelines = match(old.pipelines, new.pipelines, _argument, _name)
    for gone in pipelines.removed:
        what = f"pipeline '{gone.argument}'"
        places = new.location, gone.location
        yield _removed("pipeline-removed", what, gone.argument, places, ignores)
    for added in pipelines.added:
        message = f"pipeline '{added.argument}' is new"
        rule = DIFF_RULES["pipeline-added"]
        in_force = (*added.ignores, *ignores)
        yield Finding(rule, message, added.location, in_force, name=added.argument)
    for before, after in pipelines.kept:
        yield from _compare_pipeline(before, after, (*after.ignores, *ignores))
    bundles = match(old.bundles, new.bundles, _bundle_name, _bundle_name)
    for lost in bundles.removed:
        what = f"bundle '{lost.name}'"
        places = new.location, lost.location
        yield _removed("bundle-removed", what, lost.name, places, ignores)
    for made in bundles.added:
        message = f"bundle '{made.name}' is new"
        rule = DIFF_RULES["bundle-added"]
        in_force = (*made.ignores, *ignores)
        yield Finding(rule, message, made.location, in_force, name=made.name)
    for was, now in bundles.kept:
        if _shape(was.elements) != _shape(now.elements):
            message = f"bundle '{now.name}' holds other passes, or in another order"
            rule = DIFF_RULES["bundle-changed"]
            notes, in_force = was_here(was.location), (*now.ignores, *ignores)
            yield Finding(rule, message, now.location, in_force, notes, now.name)


def _compare_pipeline(
    old: Pipeline, new: Pipeline, ignores: tuple[Ignore, ...]
) -> Iterator[Finding]:
    what = f"pipeline '{new.argument}'"

    def found(rule: str, message: str, place: Location, was: Location) -> Finding:
        notes = was_here(was)
        return Finding(DIFF_RULES[rule], message, place, ignores, notes, new.argument)

    if old.argument != new.argument:
        message = f"pipeline '{old.argument}' is '{new.argument}' now"
        places = new.argument_location, old.argument_location
        yield found("pipeline-renamed", message, *places)
    if _anchor(old) != _anchor(new):
        rule = "anchor-changed" if new.anchor else "anchor-widened"
        message = f"{what} runs on {_anchor(new)} now, and ran on {_anchor(old)}"
        yield found(rule, message, new.location, old.location)
    if _shape(old.elements) != _shape(new.elements):
        message = f"{what} runs other passes, or runs them otherwise"
        yield found("pipeline-changed", message, new.location, old.location)
    owner = Owner(what, new.location, ignores)
    yield from compare_options(old.options, new.options, owner)


def _removed(
    rule: str,
    what: str,
    name: str,
    places: tuple[Location, Location],
    ignores: tuple[Ignore, ...],
) -> Finding:
    place, was = places
    message = f"{what} was removed"
    return Finding(DIFF_RULES[rule], message, place, ignores, was_here(was), name)


def _anchor(pipeline: Pipeline) -> str:
    return f"'{pipeline.anchor.name}'" if pipeline.anchor else "any operation"


def _shape(value: object) -> object:
    """Return `value` without the places in it."""
    if isinstance(value, Location):
        return None
    if isinstance(value, tuple):
        shapes = [_shape(each) for each in value]
        return tuple(each for each in shapes if each is not None)
    if is_dataclass(value):
        parts = [_shape(getattr(value, each.name)) for each in fields(value)]
        return (type(value).__name__, *parts)
    return value


def _argument(pipeline: Pipeline) -> str:
    return pipeline.argument


def _name(pipeline: Pipeline) -> str:
    return pipeline.name


def _bundle_name(bundle: Bundle) -> str:
    return bundle.name
