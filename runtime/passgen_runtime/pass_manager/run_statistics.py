"""Statistics of one run: the counts of all copies of a pass, summed in the original.

Threads count in copies of the passes, and a dynamic pipeline counts for the pass that
runs it. The sums do not depend on which copy worked on which operation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy

from passgen_runtime.operation_pass import Pass, PassSequence
from passgen_runtime.pass_statistics import (
    ReportNode,
    declared_statistics,
    statistics_of,
)


def adopt_dynamic_statistics(
    pass_: Pass, text: str, manager: PassSequence[Pass]
) -> None:
    """Move the counts of a dynamic pipeline to the pass that ran it.

    One pipeline is kept for each text, because a pass may build a new pipeline for each
    operation.
    """
    kept = pass_.dynamic_pipelines.get(text)
    if kept is None:
        kept = pass_.dynamic_pipelines[text] = manager.copy()
    take_statistics(kept.passes(), manager.passes())


def take_statistics(passes: Iterable[Pass], copies: Iterable[Pass]) -> None:
    """Move the statistics of `copies` to `passes`."""
    for into, from_ in zip(passes, copies, strict=True):
        _move_statistics(into, from_)


def _move_statistics(into: Pass, from_: Pass) -> None:
    for name, counter in statistics_of(from_).items():
        getattr(into, name).merge(counter.take())
    for text, manager in from_.dynamic_pipelines.items():
        kept = into.dynamic_pipelines.setdefault(text, manager)
        if kept is not manager:
            take_statistics(kept.passes(), manager.passes())
    from_.dynamic_pipelines.clear()


def report_nodes(manager: PassSequence[Pass]) -> Iterator[ReportNode]:
    """Yield the nodes of a report on the passes of `manager`."""
    for element in manager.elements:
        if not isinstance(element, Pass):
            yield _pipeline_node(element)
            continue
        # Sorted by text: threads may have run them in any order.
        dynamic = tuple(
            _pipeline_node(pipeline)
            for _, pipeline in sorted(element.dynamic_pipelines.items())
        )
        counters = tuple(map(copy, declared_statistics(element)))
        yield ReportNode(element.name, counters, dynamic)


def _pipeline_node(manager: PassSequence[Pass]) -> ReportNode:
    return ReportNode(f"'{manager.anchor}' Pipeline", (), tuple(report_nodes(manager)))
