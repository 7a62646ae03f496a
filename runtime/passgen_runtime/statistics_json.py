"""Pass statistics as JSON: what MLIR's reports hold, for programs.

[
{"name": "'func.func' Pipeline", "passes": [
  {"name": "CSE", "statistics": [
    {"name": "num-cse'd", "value": 2, "description": "..."}]}]}
]
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from passgen_runtime.pass_statistics import ReportNode, StatisticsDisplay, merged


def json_report(nodes: Iterable[ReportNode], display: StatisticsDisplay) -> str:
    """Return the statistics in `nodes`; see `pass_statistics.report`."""
    shown = merged(nodes) if display == "list" else nodes
    lines = ",\n".join(json.dumps(_plain(node), ensure_ascii=False) for node in shown)
    return f"[\n{lines}\n]\n" if lines else "[\n]\n"


def _plain(node: ReportNode) -> dict[str, Any]:
    plain: dict[str, Any] = {"name": node.name}
    if node.statistics:
        plain["statistics"] = [
            {"name": name, "value": value, "description": description}
            for name, description, value in node.statistics
        ]
    if node.children:
        plain["passes"] = [_plain(child) for child in node.children]
    return plain
