"""Which passes of a variable pipeline an edit is about.

By argument, by class, by tag or by stage; the first, the last, every one, or the nth.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from passgen_runtime.errors import nearest_note
from passgen_runtime.operation_pass.operation_pass import Pass
from passgen_runtime.pass_manager_builder.bundles import PipelineEditError
from passgen_runtime.ordering_rules import Stage, Tag
from passgen_runtime.pass_manager_builder.blocks import Block, Element, PassNode

OldPass: TypeAlias = str | type[Pass] | Tag | Stage
"""What stands for passes that are in a pipeline."""

Match: TypeAlias = Literal["first", "last", "every"] | int
"""Which of several; a number counts from 1."""


def is_meant(node: PassNode, old: OldPass) -> bool:
    """Return whether `old` stands for the pass, itself or a stage around it."""
    if isinstance(old, str):
        return node.prototype.argument == old
    if isinstance(old, Tag):
        return old.matches(node.prototype)
    if isinstance(old, Stage):
        return any(_is_stage(block, old) for block in node.blocks())
    return isinstance(node.prototype, old)


def describe(old: OldPass) -> str:
    """Return what messages call `old`."""
    if isinstance(old, str):
        return f"'{old}'"
    return old.__name__ if isinstance(old, type) else str(old)


def find(root: Block, old: OldPass) -> list[Element]:
    """Return what `old` stands for in `root`, in order: passes, or whole stages.

    Raises:
        PipelineEditError: `old` stands for nothing in any pipeline.
    """
    if not isinstance(old, str | type | Tag | Stage):
        message = f"{old!r} stands for no passes of a pipeline"
        advice = "an argument, a class, tag(...) or stage(...) does"
        raise PipelineEditError(message, advice)
    if isinstance(old, Stage):
        return [block for block in root.blocks() if _is_stage(block, old)]
    return [node for node in root.passes() if is_meant(node, old)]


def select(root: Block, old: OldPass, match: Match) -> list[Element]:
    """Return those that `match` picks of what `old` stands for.

    Raises:
        PipelineEditError: there is none.
    """
    found = find(root, old)
    if not found:
        message = f"the pipeline holds nothing that is {describe(old)}"
        raise PipelineEditError(message, *missing_notes(root, old))
    if match == "every":
        return found
    number = {"first": 1, "last": len(found)}.get(str(match), match)
    if not isinstance(number, int) or isinstance(number, bool):
        message = f"{match!r} matches nothing"
        advice = "a match is 'first', 'last', 'every' or a number from 1"
        raise PipelineEditError(message, advice)
    if not 1 <= number <= len(found):
        times = "once" if len(found) == 1 else f"{len(found)} times"
        message = (
            f"the pipeline holds {describe(old)} {times}, so there is no {number}."
        )
        raise PipelineEditError(message, _all_passes(root))
    return [found[number - 1]]


def _is_stage(block: Block, old: Stage) -> bool:
    return block.kind == "stage" and block.name == old.name


def missing_notes(root: Block, old: OldPass) -> tuple[str, ...]:
    """Return what may have been meant by `old`, which is not in `root`."""
    nodes = list(root.passes())
    known: Sequence[str] = []
    if isinstance(old, str):
        known, name = [node.title for node in nodes], old
    elif isinstance(old, Tag):
        known, name = [each for node in nodes for each in node.prototype.tags], old.name
    elif isinstance(old, Stage):
        known = [block.name for block in root.blocks() if block.kind == "stage"]
        name = old.name
    else:
        known, name = [], ""
    return (*nearest_note(name, known), _all_passes(root))


def _all_passes(root: Block) -> str:
    titles = ", ".join(node.title for node in root.passes())
    return f"its passes are {titles}" if titles else "it is empty"
