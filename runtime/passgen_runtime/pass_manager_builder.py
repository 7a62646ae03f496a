"""The pass manager builder: bundles, order, and passes put before and after others.

What the proposal "Pass Manager Builder" asks for and MLIR has not built. The order of a
pipeline is variable until `build`, which makes an ordinary pass manager of it:

    builder = PassManagerBuilder(context)
    with builder.stage("ingress"):
        builder.add("canonicalize")
    builder.add("one-shot-bufferize", {"bufferize-function-boundaries": True})
    builder.insert_before(MyTensorPass, "one-shot-bufferize")
    builder.insert_after("func.func(my-memref-pass)", tag("bufferization"))
    builder.build().run(module)

Passes state what they ask of the pipeline around them (see `pass_ordering`). An edit is
refused if it breaks a rule that nothing added behind could mend; `build` refuses a
pipeline that breaks any rule, and says all that is wrong with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, TypeVar, cast, overload

from passgen_runtime.builder_pipelines import (
    BuilderPipeline,
    register_pipeline_builder,
)
from passgen_runtime.cleanup_economy import insert_missing, remove_repeated
from passgen_runtime.context import Context
from passgen_runtime.errors import PassError
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_bundle import (
    NewPass,
    OptionValues,
    PassBundle,
    PassSource,
    PipelineEditError,
)
from passgen_runtime.pass_line import PassLine
from passgen_runtime.pass_manager import OpPassManager, PassManager
from passgen_runtime.pass_options import PassOptions
from passgen_runtime.pass_registry import PassRegistry, default_registry
from passgen_runtime.pipeline_blocks import (
    Block,
    BlockFiller,
    BlockKind,
    PassNode,
    Snapshot,
    detach,
    place_beside,
)
from passgen_runtime.pipeline_constraints import check_line
from passgen_runtime.pipeline_explanation import explain_line
from passgen_runtime.pipeline_matching import (
    Match,
    OldPass,
    describe,
    find,
    is_meant,
    missing_notes,
    select,
)
from passgen_runtime.pipeline_sorting import Move, sort_line
from passgen_runtime.pipeline_violations import PipelineConstraintError, Violation
from passgen_runtime.registry_entries import place_of
from passgen_runtime.registry_extensions import Hook, PipelineHook

OptionsT = TypeVar("OptionsT", bound=PassOptions)

_Where = Literal["before", "after", "in the place of"]


class PassManagerBuilder:
    """A pipeline whose order can still be changed."""

    def __init__(
        self,
        context: Context | None = None,
        *,
        registry: PassRegistry | None = None,
        anchor: str = "builtin.module",
        defers_checks: bool = False,
    ) -> None:
        """Start with an empty pipeline.

        Args:
            context: of the IR to run on; `build` needs it.
            registry: where names are looked up; the default registry where not given.
            anchor: the operation that the pipeline runs on, or `any`.
            defers_checks: whether rules are checked by `check` and `build` only, such
                as for a pipeline that `sort` puts in order.
        """
        self.context = context
        self.registry = default_registry if registry is None else registry
        self.anchor = anchor
        self._defers_checks = defers_checks
        self._root = Block("nest", anchor)
        self._open = [self._root]
        self._skipped: list[OldPass] = []
        self._removed: list[str] = []
        self._applied_hooks: list[PipelineHook] = []

    # What is in the pipeline.

    def add(self, new: NewPass, options: OptionValues | None = None) -> None:
        """Append a pass, or whatever a piece of textual pipeline spells.

        Args:
            new: an argument, a text such as `func.func(cse,canonicalize)`, a class of
                passes, a factory or a bundle.
            options: of a single pass or pipeline.

        Raises:
            PipelineConstraintError: it breaks a rule.
            PassError: it is not known or not made; see `PassSource.fill`.
        """
        block = self._open[-1]
        with _undone(block), self._checked(refuses_conflicts=False):
            self._source.fill(block, new, options)

    def add_bundle(
        self, bundle: PassBundle | Callable[[PassManagerBuilder], None]
    ) -> None:
        """Append a bundle, or what a function adds to a builder."""
        if isinstance(bundle, PassBundle):
            self.add(bundle)
        else:
            bundle(self)

    @contextmanager
    def bundle(self, name: str, *, declared_in: str = "") -> Iterator[None]:
        """Let what is added in the block be a bundle called `name`."""
        with self._block("bundle", name, declared_in):
            yield

    @contextmanager
    def stage(self, name: str, *, declared_in: str = "") -> Iterator[None]:
        """Let what is added in the block be a stage, which edits can name."""
        with self._block("stage", name, declared_in):
            yield

    @contextmanager
    def nest(self, anchor: str) -> Iterator[None]:
        """Let what is added in the block run on operations called `anchor`."""
        with self._block("nest", anchor, ""):
            yield

    def __contains__(self, old: OldPass) -> bool:
        """Return whether the pipeline holds what `old` stands for."""
        return bool(find(self._root, old))

    def __str__(self) -> str:
        """Return the pipeline as text."""
        return self._line().text

    # Edits.

    def insert_before(
        self,
        new: NewPass,
        old: OldPass,
        match: Match = "first",
        *,
        options: OptionValues | None = None,
    ) -> None:
        """Put `new` directly before `old`.

        Args:
            new: see `add`.
            old: an argument, a class, `tag(...)` or `stage(...)`.
            match: which of several.
            options: of a single pass or pipeline.

        Raises:
            PipelineEditError: there is no such match.
            PipelineConstraintError: it breaks a rule.
            PassError: see `add`.
        """
        with self.before(old, match):
            self._source.fill(self._open[-1], new, options)

    def insert_after(
        self,
        new: NewPass,
        old: OldPass,
        match: Match = "first",
        *,
        options: OptionValues | None = None,
    ) -> None:
        """Put `new` directly after `old`; see `insert_before`."""
        with self.after(old, match):
            self._source.fill(self._open[-1], new, options)

    @contextmanager
    def before(self, old: OldPass, match: Match = "first") -> Iterator[None]:
        """Put what is added in the block directly before `old`."""
        with self._placed(old, match, "before"):
            yield

    @contextmanager
    def after(self, old: OldPass, match: Match = "first") -> Iterator[None]:
        """Put what is added in the block directly after `old`."""
        with self._placed(old, match, "after"):
            yield

    def replace(
        self,
        old: OldPass,
        new: NewPass,
        match: Match = "every",
        *,
        options: OptionValues | None = None,
    ) -> None:
        """Put `new` in the place of `old`; see `insert_before`."""
        with self._placed(old, match, "in the place of"):
            self._source.fill(self._open[-1], new, options)

    def remove(self, old: OldPass, match: Match = "every") -> None:
        """Take `old` out.

        Raises:
            PipelineEditError: there is no such match.
            PipelineConstraintError: a pass that stays needs it.
        """
        with self._edit():
            for each in select(self._root, old, match):
                detach(each)
        self._removed.append(f"{describe(old)}, by remove()")

    def skip(self, old: OldPass) -> None:
        """Leave `old` out of what is built, now and where it is added later.

        Edits still find it, so that passes can be put before and after it. That there
        is such a pass in the end is checked by `build`.
        """
        self._skipped.append(old)

    # What plugins bring.

    def register_dialect(self, name: str, make: Callable[[], object]) -> None:
        """Let contexts know a dialect: that of the builder, and those of a driver.

        Args:
            name: of the dialect.
            make: returns the dialect, as the IR library in use wants it.

        Raises:
            DialectError: the context has another dialect of this name.
        """
        if self.context is not None:
            self.context.register_dialect(name, make)
        self.registry.extensions.dialects[name] = make

    def register_pass(self, pass_: type[Pass] | Callable[[], Pass]) -> None:
        """Register a pass class or factory; see `PassRegistry.register_pass`."""
        self.registry.register_pass(pass_)

    @overload
    def register_pipeline(
        self, argument: str, summary: str, build: Callable[[PassManagerBuilder], None]
    ) -> None: ...
    @overload
    def register_pipeline(
        self,
        argument: str,
        summary: str,
        build: Callable[[PassManagerBuilder, OptionsT], None],
        options_class: type[OptionsT],
    ) -> None: ...
    def register_pipeline(
        self,
        argument: str,
        summary: str,
        build: Callable[..., None],
        options_class: type[PassOptions] | None = None,
    ) -> None:
        """Register a pipeline; see `register_pipeline_builder`."""
        register = cast("Callable[..., None]", register_pipeline_builder)
        given: tuple[Any, ...] = () if options_class is None else (options_class,)
        register(argument, summary, build, *given, registry=self.registry)

    def add_hook(
        self,
        hook: Hook,
        *,
        pipeline: str | None = None,
        where: OldPass | None = None,
    ) -> None:
        """Let `hook` edit pipelines before they are built: this one, and later ones.

        Args:
            hook: gets the builder of a pipeline that is complete.
            pipeline: the argument of a registered pipeline; if not given, `hook` gets
                whole pipelines of any name.
            where: if given, `hook` gets only pipelines that hold it.
        """
        hooks = self.registry.extensions.hooks
        hooks.append(PipelineHook(hook, pipeline, where))

    def apply_hooks(self, pipeline: str | None = None) -> None:
        """Call the hooks for whole pipelines, or those for a registered one, once.

        Raises:
            PipelineEditError: a hook has failed.
        """
        for each in self.registry.extensions.hooks:
            if each in self._applied_hooks or each.pipeline != pipeline:
                continue
            if each.where is None or each.where in self:
                self._applied_hooks.append(each)
                _apply(each, self)

    # The whole.

    def check(self) -> list[Violation]:
        """Return all violations of rules, in the order of the passes."""
        line = self._line()
        found = check_line(line, self.context)
        for old in self._skipped:
            if old not in self:
                message = f"the pipeline holds nothing that is {describe(old)}, to skip"
                notes = missing_notes(self._root, old)
                violation = Violation("skip", "", message, "", notes, text=line.text)
                found.append(violation)
        return found

    def sort(self) -> list[Move]:
        """Put the passes into an order that obeys all rules; return what moved.

        Raises:
            PipelineEditError: there is no such order.
        """
        with _undone(self._root):
            return sort_line(self._line())

    def economize(self) -> list[str]:
        """Take out what repeats clean-ups and analyses, and add clean-ups that lack.

        Returns:
            What was taken out and added, with the reason; see `cleanup_economy`.
        """
        with _undone(self._root):
            repeated = list(remove_repeated(self._line, self.context))
            missing = insert_missing(self._line, self._source, self.context)
            inserted = list(missing)
        self._removed += (f"{each}: by economize()" for each in repeated)
        return [
            *(f"removed {each}" for each in repeated),
            *(f"inserted {each}" for each in inserted),
        ]

    def explain(self) -> str:
        """Return why each pass is where it is, and what was left out."""
        return explain_line(self._line(), self._removed)

    def build(self) -> PassManager:
        """Return a pass manager that runs the pipeline; each call makes a new one.

        Raises:
            PipelineConstraintError: rules are broken.
        """
        if self.context is None:
            message = "a builder without a context has no pass manager to build"
            raise PipelineEditError(message)
        manager = PassManager(self.context, self.anchor)
        self.build_into(manager)
        return manager

    def build_into(self, manager: OpPassManager) -> None:
        """Append the passes of the pipeline to `manager`.

        Raises:
            PipelineConstraintError: rules are broken.
        """
        self.apply_hooks()
        violations = self.check()
        if violations:
            raise PipelineConstraintError(violations)
        self._fill(manager, self._root, self._line())

    def as_block(self, kind: BlockKind, name: str) -> Block:
        """Return the pipeline as a part of a larger one."""
        block = Block(kind, name)
        for element in self._root.copy().elements:
            block.append(element)
        return block

    # Inside.

    @property
    def _source(self) -> PassSource:
        return PassSource(self.registry, self.context)

    def _line(self) -> PassLine:
        return PassLine(self._root, self._is_skipped if self._skipped else None)

    def _is_skipped(self, node: PassNode) -> bool:
        return any(is_meant(node, old) for old in self._skipped)

    def _fill(self, manager: OpPassManager, block: Block, line: PassLine) -> None:
        for element in block.elements:
            if isinstance(element, PassNode):
                if not self._is_skipped(element):
                    manager.add_pass(element.prototype.clone())
            elif element.kind != "nest":
                self._fill(manager, element, line)
            elif not line.leaves_out(element):
                self._fill(manager.nest(element.name), element, line)

    @contextmanager
    def _block(self, kind: BlockKind, name: str, declared_in: str) -> Iterator[None]:
        """Append a block that is open meanwhile; without it, should that fail."""
        outer = self._open[-1]
        with _undone(outer):
            block = Block(kind, name, declared_in)
            outer.append(block)
            self._open.append(block)
            try:
                yield
            finally:
                self._open.pop()

    @contextmanager
    def _placed(self, old: OldPass, match: Match, where: _Where) -> Iterator[None]:
        """Put copies of what is added meanwhile beside each match of `old`."""
        # It stands where the first match does while it is filled, so that what is
        # added sees the anchor that it will run on.
        added = Block("bundle", "")
        added.parent = select(self._root, old, match)[0].parent
        self._open.append(added)
        try:
            yield
        finally:
            self._open.pop()
        for node in added.passes():
            node.history.append(f"inserted {where} {describe(old)}")
        with self._edit():
            for each in select(self._root, old, match):
                place_beside(added.copy().elements, each, is_after=where == "after")
                if where == "in the place of":
                    detach(each)

    @contextmanager
    def _edit(self) -> Iterator[None]:
        """Undo what is done meanwhile if it fails or breaks a rule."""
        with _undone(self._root), self._checked(refuses_conflicts=True):
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
        known = Counter(check_line(self._line(), self.context))
        yield
        new = Counter(check_line(self._line(), self.context)) - known
        refused = [
            each
            for each in new.elements()
            if not each.can_be_mended_behind or (refuses_conflicts and each.is_conflict)
        ]
        if refused:
            raise PipelineConstraintError(refused)


def add_built_pipeline(
    pipeline: BuilderPipeline, manager: OpPassManager, options: Sequence[PassOptions]
) -> None:
    """Add what `pipeline` builds with `options` to `manager`.

    Raises:
        PipelineConstraintError: it breaks rules, and is no part of a larger pipeline.
    """
    builder = PassManagerBuilder(
        registry=pipeline.registry, anchor=manager.anchor, defers_checks=True
    )
    pipeline.build(builder, *options)
    builder.apply_hooks(pipeline.argument)
    if isinstance(manager, BlockFiller):
        manager.add_block(builder.as_block("pipeline", pipeline.argument))
    else:
        builder.build_into(manager)


def _apply(each: PipelineHook, builder: PassManagerBuilder) -> None:
    try:
        each.hook(builder)
    except Exception as error:  # of the user's own code: chained
        raised = str(error)
        if not isinstance(error, PassError):
            raised = f"it raised {type(error).__name__}: {error}"
        message = f"the hook {place_of(each.hook)} failed: {raised}"
        raise PipelineEditError(message) from error


@contextmanager
def _undone(block: Block) -> Iterator[None]:
    """Bring back what `block` holds now if what is done meanwhile fails."""
    before = Snapshot.of(block)
    try:
        yield
    except BaseException:
        before.restore()
        raise
