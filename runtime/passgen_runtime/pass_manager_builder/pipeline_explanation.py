"""Why each pass of a pipeline is where it is, as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from passgen_runtime.analysis import analysis_key, analysis_name
from passgen_runtime.pass_manager_builder.blocks import PassLine
from passgen_runtime.pass_manager_builder.checks import last_provider, rule_place

_INDENTATION = "     "


def explain_line(line: PassLine, removed: Iterable[str]) -> str:
    """Return a paragraph for each pass of `line`, and what is left out of it."""
    lines = [f"{line.root.name}:"]
    for index, node in enumerate(line.nodes):
        nests = [each.name for each in node.blocks() if each.kind == "nest"][:-1]
        where = f", on {' in '.join(nests)}" if nests else ""
        lines.append(f"{index + 1:>3}. {node.prototype}{where}")
        lines += (f"{_INDENTATION}{reason}" for reason in _reasons(line, index))
    lines += (f"removed: {each}" for each in removed)
    lines += (f"skipped: '{node.title}'" for node in line.skipped)
    return "\n".join(lines)


def _reasons(line: PassLine, index: int) -> Iterator[str]:
    node = line.nodes[index]
    yield from node.history
    for block in node.blocks():
        if block.kind != "nest":
            yield f"of {block}"
    for rule in node.prototype.ordering:
        others = line.partners(rule)
        fitting = [each for each in others if each < index]
        verb = "after"
        if not rule.wants_earlier:
            fitting = [each for each in others if each > index][::-1]
            verb = "cleaned up by" if rule.kind == "cleanup" else "before"
        if fitting:
            other = fitting[-1]
            place = rule_place(node.prototype, "ordering", rule.kind)
            yield f"{verb} {other + 1}. '{line.nodes[other].title}': {place}"
    yield from _analyses(line, index)


def _analyses(line: PassLine, index: int) -> Iterator[str]:
    node = line.nodes[index]
    for needed in node.prototype.required_analyses:
        provider = last_provider(line, index, analysis_key(needed))
        if provider is not None:
            title = line.nodes[provider].title
            place = rule_place(node.prototype, "required_analyses", "requires")
            name = analysis_name(needed)
            yield f"uses '{name}' of {provider + 1}. '{title}': {place}"
