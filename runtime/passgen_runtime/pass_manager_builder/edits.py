"""A pipeline that is being built, and edits that obey its rules.

`PassManagerBuilder` is its public interface. An edit that fails or breaks a rule has no
effect.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Literal, TypeAlias

from passgen_runtime.errors import PassError, nearest_note, text_of
from passgen_runtime.operation_pass import Pass
from passgen_runtime.ordering_rules import Tag
from passgen_runtime.pass_manager import DeclaredPass, OpPassManager
from passgen_runtime.pass_manager_builder.additions import (
    OldPass,
    PipelineHook,
    Stage,
    additions_to,
)
from passgen_runtime.pass_manager_builder.blocks import (
    Block,
    BlockKind,
    BlockSnapshot,
    Element,
    FlatPipeline,
    PassNode,
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
from passgen_runtime.pass_manager_builder.checks import check_sequence
from passgen_runtime.pass_manager_builder.violations import (
    ConstraintViolation,
    PipelineConstraintError,
)
from passgen_runtime.pass_registry import place_of

Match: TypeAlias = Literal["first", "last", "every"] | int
"""The matches to edit; numbers start at 1."""


def _is_meant(node: PassNode, old: OldPass) -> bool:
    """Return whether `old` matches the pass itself or a stage around it."""
    if isinstance(old, str):
        return node.prototype.argument == old
    if isinstance(old, Tag):
        return old.matches(node.prototype)
    if isinstance(old, Stage):
        return any(_is_stage(block, old) for block in node.blocks())
    if issubclass(old, DeclaredPass) and not issubclass(old, Pass):
        return node.prototype.argument == getattr(old, "argument", None)
    return isinstance(node.prototype, old)


def _describe(old: OldPass) -> str:
    if isinstance(old, str):
        return f"'{old}'"
    return old.__name__ if isinstance(old, type) else str(old)


def _find(root: Block, old: OldPass) -> list[Element]:
    """Return the passes or whole stages in `root` that `old` matches, in order.

    Raises:
        PipelineEditError: `old` cannot match passes.
    """
    if not isinstance(old, str | type | Tag | Stage):
        expected = "an argument, a class, tag(...) or stage(...)"
        message = f"found {old!r}, expected a reference to passes"
        raise PipelineEditError(message, f"a reference is {expected}")
    if isinstance(old, Stage):
        return [block for block in root.blocks() if _is_stage(block, old)]
    return [node for node in root.passes() if _is_meant(node, old)]


def _select(root: Block, old: OldPass, match: Match) -> list[Element]:
    """Return the passes or stages that `old` matches and `match` selects.

    Raises:
        PipelineEditError: there is none.
    """
    found = _find(root, old)
    if not found:
        message = f"the pipeline does not contain {_describe(old)}"
        raise PipelineEditError(message, *_missing_notes(root, old))
    if match == "every":
        return found
    number = {"first": 1, "last": len(found)}.get(str(match), match)
    if not isinstance(number, int) or isinstance(number, bool):
        expected = "'first', 'last', 'every' or a number from 1"
        raise PipelineEditError(f"found match {match!r}, expected {expected}")
    if not 1 <= number <= len(found):
        times = "once" if len(found) == 1 else f"{len(found)} times"
        held = f"the pipeline contains {_describe(old)} {times}"
        raise PipelineEditError(f"found match {number}, but {held}", _all_passes(root))
    return [found[number - 1]]


def _is_stage(block: Block, old: Stage) -> bool:
    return block.kind == "stage" and block.name == old.name


def _missing_notes(root: Block, old: OldPass) -> tuple[str, ...]:
    """Return notes on `old`, which is not in `root`: the nearest name, all passes."""
    nodes = list(root.passes())
    known, name = list[str](), ""
    if isinstance(old, str):
        known, name = [node.title for node in nodes], old
    elif isinstance(old, Tag):
        known, name = [tag for node in nodes for tag in node.prototype.tags], old.name
    elif isinstance(old, Stage):
        known = [block.name for block in root.blocks() if block.kind == "stage"]
        name = old.name
    return (*nearest_note(name, known), _all_passes(root))


def _all_passes(root: Block) -> str:
    titles = ", ".join(node.title for node in root.passes())
    return f"its passes are {titles}" if titles else "it is empty"


Where = Literal["before", "after", "in the place of"]


class VariablePipeline:
    """Passes in nested blocks; additions go to the innermost open block."""

    def __init__(self, source: PassSource, anchor: str, *, defers_checks: bool) -> None:
        """Start with no passes; see `PassManagerBuilder`."""
        self.root = Block("nest", anchor)
        self.source = source
        self._defers_checks = defers_checks
        self._open = [self.root]
        self.skipped: list[OldPass] = []
        """References to passes that do not run."""

        self._applied_hooks: list[PipelineHook] = []
        self.removed: list[str] = []
        """A description of each removal."""

    def __contains__(self, old: OldPass) -> bool:
        """Return whether the pipeline contains a pass or stage that `old` matches."""
        return bool(_find(self.root, old))

    @property
    def anchor(self) -> str:
        """The anchor that additions run on now."""
        return nest_of(self._open[-1]).name

    def add(self, new: NewPass, options: OptionValues | None) -> None:
        """Append `new` to the open block.

        Raises:
            PipelineConstraintError: it breaks a rule.
            PassError: see `PassSource.fill`.
        """
        block = self._open[-1]
        with _restored_on_failure(block), self._check_block(refuses_conflicts=False):
            self.source.fill(block, new, options)

    @contextmanager
    def block(self, kind: BlockKind, name: str, declared_in: str) -> Iterator[None]:
        """Append a block for the additions in a `with` block, removed if that fails."""
        outer = self._open[-1]
        with _restored_on_failure(outer):
            block = Block(kind, name, declared_in)
            outer.append(block)
            self._open.append(block)
            try:
                yield
            finally:
                self._open.pop()

    @contextmanager
    def place_block(self, old: OldPass, match: Match, where: Where) -> Iterator[Block]:
        """Put copies of the additions of a `with` block beside each match of `old`.

        Yields:
            The block that holds the additions.

        Raises:
            PipelineEditError: there is no such match.
            PipelineConstraintError: it breaks a rule.
        """
        # For now, its parent is that of the first match, so that additions know the
        # anchor that they will run on.
        added = Block("bundle", "")
        added.parent = _select(self.root, old, match)[0].parent
        self._open.append(added)
        try:
            yield added
        finally:
            self._open.pop()
        for node in added.passes():
            node.history.append(f"inserted {where} {_describe(old)}")
        with self._edit():
            for element in _select(self.root, old, match):
                place_beside(added.copy().elements, element, is_after=where == "after")
                if where == "in the place of":
                    detach(element)

    def place(
        self,
        new: NewPass,
        options: OptionValues | None,
        old: OldPass,
        match: Match,
        where: Where,
    ) -> None:
        """Put `new` beside each match of `old`; see `place_block`."""
        with self.place_block(old, match, where) as block:
            self.source.fill(block, new, options)

    def remove(self, old: OldPass, match: Match) -> None:
        """Remove `old`.

        Raises:
            PipelineEditError: there is no such match.
            PipelineConstraintError: a pass that stays needs it.
        """
        with self._edit():
            for element in _select(self.root, old, match):
                detach(element)
        self.removed.append(f"{_describe(old)}, by remove()")

    def sequence(self) -> FlatPipeline:
        """Return the passes that run now."""
        return FlatPipeline(self.root, self._is_skipped if self.skipped else None)

    def violations(self) -> list[ConstraintViolation]:
        """Return all violations of rules, in the order of the passes."""
        sequence = self.sequence()
        found = check_sequence(sequence, self.source.context)
        for old in self.skipped:
            if old not in self:
                missing = f"the pipeline does not contain {_describe(old)}"
                message = f"{missing}, which skip() names"
                more = message, "", _missing_notes(self.root, old)
                found.append(ConstraintViolation("skip", "", *more, text=sequence.text))
        return found

    def fill(self, manager: OpPassManager) -> None:
        """Append clones of the passes that run to `manager`.

        Raises:
            PipelineConstraintError: rules are broken.
        """
        if violations := self.violations():
            raise PipelineConstraintError(violations)
        sequence = self.sequence()

        def fill(manager: OpPassManager, nest: Block) -> None:
            for element in sequence.elements_of(nest):
                if isinstance(element, PassNode):
                    manager.add_pass(element.prototype.clone())
                else:
                    fill(manager.nest(element.name), element)

        fill(manager, self.root)

    def _is_skipped(self, node: PassNode) -> bool:
        return any(_is_meant(node, old) for old in self.skipped)

    def due_hooks(self, pipeline: str | None) -> Iterator[PipelineHook]:
        """Yield the hooks for `pipeline` that apply to it and were not applied yet."""
        for hook in additions_to(self.source.registry).hooks:
            is_due = hook not in self._applied_hooks and hook.pipeline == pipeline
            if is_due and (hook.where is None or hook.where in self):
                yield hook

    @contextmanager
    def apply(self, hook: PipelineHook) -> Iterator[None]:
        """Mark `hook` as applied in a `with` block; if that fails, undo its edits.

        Raises:
            PipelineEditError: the hook fails.
        """
        self._applied_hooks.append(hook)
        try:
            with self.restored_on_failure():
                yield
        except (Exception, SystemExit) as error:  # of the user's own code: chained
            self._applied_hooks.remove(hook)
            raised = str(error)
            if not isinstance(error, PassError):
                raised = f"it raised {type(error).__name__}: {text_of(error)}"
            message = f"the hook {place_of(hook.hook)} failed: {raised}"
            raise PipelineEditError(message) from error

    def restored_on_failure(self) -> AbstractContextManager[None]:
        """Restore the pipeline if a `with` block fails."""
        return _restored_on_failure(self.root)

    @contextmanager
    def _edit(self) -> Iterator[None]:
        """Undo the edits of a `with` block that fails or breaks a rule."""
        with self.restored_on_failure(), self._check_block(refuses_conflicts=True):
            yield

    @contextmanager
    def _check_block(self, *, refuses_conflicts: bool) -> Iterator[None]:
        """Check that a `with` block breaks no rule that was obeyed before.

        Args:
            refuses_conflicts: whether a pass on the wrong side breaks a rule even if a
                later addition could satisfy the rule.

        Raises:
            PipelineConstraintError: it breaks a rule.
        """
        if self._defers_checks:
            yield
            return
        known = Counter(check_sequence(self.sequence(), self.source.context))
        yield
        new = Counter(check_sequence(self.sequence(), self.source.context)) - known
        refused = [
            violation
            for violation in new.elements()
            if not violation.can_be_fixed_later
            or (refuses_conflicts and violation.is_conflict)
        ]
        if refused:
            raise PipelineConstraintError(refused)


@contextmanager
def _restored_on_failure(block: Block) -> Iterator[None]:
    before = BlockSnapshot.of(block)
    try:
        yield
    except BaseException:
        before.restore()
        raise
