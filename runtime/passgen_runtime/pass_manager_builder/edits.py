"""A pipeline whose order is variable, and the edits of it that keep its rules.

`PassManagerBuilder` is what users see of it. Each edit happens as a whole or, if it
fails or breaks a rule, not at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Literal, TypeAlias

from passgen_runtime.errors import nearest_note
from passgen_runtime.ordering_rules import (
    PipelineConstraintError,
    Stage,
    Tag,
    Violation,
)
from passgen_runtime.pass_manager import OpPassManager
from passgen_runtime.pass_manager_builder.blocks import (
    Block,
    BlockKind,
    Element,
    PassLine,
    PassNode,
    Snapshot,
    detach,
    nest_of,
    place_beside,
)
from passgen_runtime.pass_manager_builder.bundles import (
    NewPass,
    OptionValues,
    PassSource,
    PipelineEditError,
)
from passgen_runtime.pass_manager_builder.checks import check_line
from passgen_runtime.pass_registry import OldPass

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


Where = Literal["before", "after", "in the place of"]


class VariablePipeline:
    """Passes in blocks, with a place where the next one is added."""

    def __init__(self, source: PassSource, anchor: str, *, defers_checks: bool) -> None:
        """Start empty; see `PassManagerBuilder`."""
        self.root = Block("nest", anchor)
        self.source = source
        self._defers_checks = defers_checks
        self._open = [self.root]
        self._skipped: list[OldPass] = []

    @property
    def anchor(self) -> str:
        """The operation that what is added now runs on, or `any`."""
        return nest_of(self._open[-1]).name

    def add(self, new: NewPass, options: OptionValues | None) -> None:
        """Append `new` to the block that is open.

        Raises:
            PipelineConstraintError: it breaks a rule.
            PassError: see `PassSource.fill`.
        """
        block = self._open[-1]
        with undone(block), self._checked(refuses_conflicts=False):
            self.source.fill(block, new, options)

    @contextmanager
    def block(self, kind: BlockKind, name: str, declared_in: str) -> Iterator[None]:
        """Append a block that is open meanwhile; without it, should that fail."""
        outer = self._open[-1]
        with undone(outer):
            block = Block(kind, name, declared_in)
            outer.append(block)
            self._open.append(block)
            try:
                yield
            finally:
                self._open.pop()

    @contextmanager
    def placed(self, old: OldPass, match: Match, where: Where) -> Iterator[Block]:
        """Put copies of what is added meanwhile beside each match of `old`.

        Yields:
            The block that is open meanwhile.

        Raises:
            PipelineEditError: there is no such match.
            PipelineConstraintError: it breaks a rule.
        """
        # It stands where the first match does while it is filled, so that what is
        # added sees the anchor that it will run on.
        added = Block("bundle", "")
        added.parent = select(self.root, old, match)[0].parent
        self._open.append(added)
        try:
            yield added
        finally:
            self._open.pop()
        for node in added.passes():
            node.history.append(f"inserted {where} {describe(old)}")
        with self._edit():
            for each in select(self.root, old, match):
                place_beside(added.copy().elements, each, is_after=where == "after")
                if where == "in the place of":
                    detach(each)

    def remove(self, old: OldPass, match: Match) -> None:
        """Take `old` out.

        Raises:
            PipelineEditError: there is no such match.
            PipelineConstraintError: a pass that stays needs it.
        """
        with self._edit():
            for each in select(self.root, old, match):
                detach(each)

    def skip(self, old: OldPass) -> None:
        """Leave `old` out of what runs."""
        self._skipped.append(old)

    def line(self) -> PassLine:
        """Return the pipeline as the line of passes that runs now."""
        return PassLine(self.root, self._is_skipped if self._skipped else None)

    def violations(self) -> list[Violation]:
        """Return all violations of rules, in the order of the passes."""
        line = self.line()
        found = check_line(line, self.source.context)
        for old in self._skipped:
            if not find(self.root, old):
                message = f"the pipeline holds nothing that is {describe(old)}, to skip"
                notes = missing_notes(self.root, old)
                violation = Violation("skip", "", message, "", notes, text=line.text)
                found.append(violation)
        return found

    def fill(self, manager: OpPassManager) -> None:
        """Append clones of the passes that run to `manager`."""
        line = self.line()

        def fill(manager: OpPassManager, block: Block) -> None:
            for element in block.elements:
                if isinstance(element, PassNode):
                    if not self._is_skipped(element):
                        manager.add_pass(element.prototype.clone())
                elif element.kind != "nest":
                    fill(manager, element)
                elif not line.leaves_out(element):
                    fill(manager.nest(element.name), element)

        fill(manager, self.root)

    def _is_skipped(self, node: PassNode) -> bool:
        return any(is_meant(node, old) for old in self._skipped)

    @contextmanager
    def _edit(self) -> Iterator[None]:
        """Undo what is done meanwhile if it fails or breaks a rule."""
        with undone(self.root), self._checked(refuses_conflicts=True):
            yield

    @contextmanager
    def _checked(self, *, refuses_conflicts: bool) -> Iterator[None]:
        """Refuse what is done meanwhile if it breaks a rule that was kept before.

        Args:
            refuses_conflicts: whether also where a pass added behind could mend it, if
                a pass that is there now stands on the wrong side.

        Raises:
            PipelineConstraintError: it does.
        """
        if self._defers_checks:
            yield
            return
        known = Counter(check_line(self.line(), self.source.context))
        yield
        new = Counter(check_line(self.line(), self.source.context)) - known
        refused = [
            each
            for each in new.elements()
            if not each.can_be_mended_behind or (refuses_conflicts and each.is_conflict)
        ]
        if refused:
            raise PipelineConstraintError(refused)


@contextmanager
def undone(block: Block) -> Iterator[None]:
    """Bring back what `block` holds now if what is done meanwhile fails."""
    before = Snapshot.of(block)
    try:
        yield
    except BaseException:
        before.restore()
        raise
