"""`--mlir-pass-statistics`: the statistics of all passes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from passgen_runtime.pass_statistics import ReportNode, StatisticsDisplay, merge_nodes
from passgen_tools.opt.command_line import Flag, choice, switch
from passgen_tools.opt.driver_part import DriverPart, DriverRun


class StatisticsPart(DriverPart):
    """Reports the statistics of passes."""

    statistics = switch(
        "mlir-pass-statistics", "print the statistics of all passes to standard error"
    )
    statistics_display: Flag[StatisticsDisplay] = choice(
        "mlir-pass-statistics-display",
        "how statistics are shown",
        choices=("pipeline", "list"),
        default="pipeline",
    )

    @contextmanager
    def around_passes(self, run: DriverRun) -> Iterator[None]:
        """Report the statistics, also if a pass fails."""
        if not self.statistics:
            yield
            return
        try:
            run.manager.counts_optional = True
            yield
        finally:
            run.report(self._text(run))

    def _text(self, run: DriverRun) -> str:
        display = self.statistics_display
        if run.options.report_format == "text":
            from passgen_runtime.patterns import inert_patterns_report

            inert = inert_patterns_report(run.manager.passes())
            return run.manager.statistics_report(display) + inert
        return statistics_json(run.manager.statistics_nodes(), display)


def statistics_json(nodes: Iterable[ReportNode], display: StatisticsDisplay) -> str:
    """Return the statistics in `nodes` as JSON; see `pass_statistics.report`."""
    plain = map(_plain_node, merge_nodes(nodes) if display == "list" else nodes)
    lines = ",\n".join(json.dumps(node, ensure_ascii=False) for node in plain)
    return f"[\n{lines}\n]\n" if lines else "[\n]\n"


def _plain_node(node: ReportNode) -> dict[str, Any]:
    plain: dict[str, Any] = {"name": node.name}
    if node.statistics:
        plain["statistics"] = [
            {
                "name": counter.display_name,
                "value": counter.value,
                "description": counter.description,
            }
            for counter in node.statistics
        ]
    if node.children:
        plain["passes"] = [_plain_node(child) for child in node.children]
    return plain
