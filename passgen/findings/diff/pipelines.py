"""Changes in the pipelines and bundles of a group."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from operator import attrgetter
from typing import Final

from passgen.findings.diff.matching import Kind, compare_parts
from passgen.findings.diff.options import compare_options
from passgen.findings.finding import Finding, Subject
from passgen.model import Bundle, PassGroup, Pipeline
from passgen.source import Location

_PIPELINE: Final = Kind[Pipeline]("pipeline")
_BUNDLE: Final = Kind[Bundle]("bundle", attrgetter("name"))


def compare_pipelines(
    old: PassGroup, new: PassGroup, group: Subject
) -> Iterator[Finding]:
    """Yield the changes in pipelines and bundles."""
    pipelines, bundles = (old.pipelines, new.pipelines), (old.bundles, new.bundles)
    yield from compare_parts(_PIPELINE, *pipelines, group, _compare_pipeline)
    yield from compare_parts(_BUNDLE, *bundles, group, _compare_bundle)


def _compare_pipeline(
    old: Pipeline, new: Pipeline, pipeline: Subject
) -> Iterator[Finding]:
    places = new.location, old.location
    if _anchor(old) != _anchor(new):
        rule = "anchor-changed" if new.anchor else "anchor-widened"
        now, was = _anchor(new), _anchor(old)
        message = f"{pipeline.what} runs on {now} now, and ran on {was}"
        yield pipeline.finding(rule, message, *places)
    if _shape(old.elements) != _shape(new.elements):
        message = f"{pipeline.what} runs other passes, or runs them differently"
        yield pipeline.finding("pipeline-changed", message, *places)
    yield from compare_options(old.options, new.options, pipeline)


def _compare_bundle(old: Bundle, new: Bundle, bundle: Subject) -> Iterator[Finding]:
    if _shape(old.elements) != _shape(new.elements):
        message = f"{bundle.what} contains other passes, or has them in another order"
        yield bundle.finding("bundle-changed", message, new.location, old.location)


def _anchor(pipeline: Pipeline) -> str:
    return f"'{pipeline.anchor.name}'" if pipeline.anchor else "any operation"


def _shape(value: object) -> object:
    """Return `value` without the locations in it."""
    if isinstance(value, Location):
        return None
    if isinstance(value, tuple):
        shapes = [_shape(part) for part in value]
        return tuple(shape for shape in shapes if shape is not None)
    if is_dataclass(value):
        parts = [_shape(getattr(value, field.name)) for field in fields(value)]
        return (type(value).__name__, *parts)
    return value
