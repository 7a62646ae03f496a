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

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar, cast, overload

from passgen_runtime.context import Context
from passgen_runtime.errors import PassError, SchedulingError, wrong_argument
from passgen_runtime.operation_pass import Pass
from passgen_runtime.ordering_rules import PipelineConstraintError, Violation
from passgen_runtime.pass_manager import (
    OpPassManager,
    PassManager,
    check_anchor_name,
    check_context,
)
from passgen_runtime.pass_manager_builder.blocks import (
    Block,
    BlockFiller,
    BlockKind,
)
from passgen_runtime.pass_manager_builder.bundles import (
    NewPass,
    OptionValues,
    PassBundle,
    PassSource,
    PipelineEditError,
)
from passgen_runtime.pass_manager_builder.checks import explain_line
from passgen_runtime.pass_manager_builder.cleanups import (
    insert_missing,
    remove_repeated,
)
from passgen_runtime.pass_manager_builder.edits import (
    Match,
    VariablePipeline,
    describe,
    find,
    undone,
)
from passgen_runtime.pass_manager_builder.sorting import Move, sort_line
from passgen_runtime.pass_options import PassOptions
from passgen_runtime.pass_registry import (
    OldPass,
    PassRegistry,
    PipelineHook,
    default_registry,
    place_of,
)
from passgen_runtime.textual_pipeline import ANY_ANCHOR

OptionsT = TypeVar("OptionsT", bound=PassOptions)


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

        Raises:
            TypeError: the context is not a context, or the anchor not a text.
        """
        if context is not None:
            check_context(context)
        check_anchor_name(anchor)
        registry = default_registry if registry is None else registry
        self._pipeline = VariablePipeline(
            PassSource(registry, context), anchor, defers_checks=defers_checks
        )
        self._removed: list[str] = []
        self._applied_hooks: list[PipelineHook] = []

    @property
    def context(self) -> Context | None:
        """The context of the IR to run on, if it is known."""
        return self._pipeline.source.context

    @property
    def registry(self) -> PassRegistry:
        """Where names are looked up."""
        return self._pipeline.source.registry

    @property
    def anchor(self) -> str:
        """The operation that the pipeline runs on, or `any`."""
        return self._pipeline.root.name

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
        self._pipeline.add(new, options)

    def add_bundle(
        self, bundle: PassBundle | Callable[[PassManagerBuilder], None]
    ) -> None:
        """Append a bundle, or what a function adds to a builder.

        Raises:
            TypeError: it is neither.
        """
        if isinstance(bundle, PassBundle):
            self.add(bundle)
        elif callable(bundle):
            bundle(self)
        else:
            kind = "a PassBundle or a function of a builder"
            raise wrong_argument("bundle", bundle, kind)

    @contextmanager
    def bundle(self, name: str, *, declared_in: str = "") -> Iterator[None]:
        """Let what is added in the block be a bundle called `name`."""
        with self._pipeline.block("bundle", name, declared_in):
            yield

    @contextmanager
    def stage(self, name: str, *, declared_in: str = "") -> Iterator[None]:
        """Let what is added in the block be a stage, which edits can name."""
        with self._pipeline.block("stage", name, declared_in):
            yield

    @contextmanager
    def nest(self, anchor: str) -> Iterator[None]:
        """Let what is added in the block run on operations called `anchor`.

        Raises:
            TypeError: it is no text.
        """
        check_anchor_name(anchor)
        with self._pipeline.block("nest", anchor, ""):
            yield

    def require_anchor(self, anchor: str, pipeline: str) -> None:
        """Refuse to add a pipeline that runs on `anchor` where other operations are.

        Args:
            anchor: the operation.
            pipeline: the argument of the pipeline.

        Raises:
            SchedulingError: what is added now runs on another operation.
        """
        found = self._pipeline.anchor
        if found not in {anchor, ANY_ANCHOR}:
            message = (
                f"Can't add pipeline '{pipeline}' restricted to '{anchor}' on a "
                f"PassManager intended to run on '{found}', did you intend to nest?"
            )
            raise SchedulingError(message)

    def __contains__(self, old: OldPass) -> bool:
        """Return whether the pipeline holds what `old` stands for."""
        return bool(find(self._pipeline.root, old))

    def __str__(self) -> str:
        """Return the pipeline as text."""
        return self._pipeline.line().text

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
        with self._pipeline.placed(old, match, "before") as block:
            self._pipeline.source.fill(block, new, options)

    def insert_after(
        self,
        new: NewPass,
        old: OldPass,
        match: Match = "first",
        *,
        options: OptionValues | None = None,
    ) -> None:
        """Put `new` directly after `old`; see `insert_before`."""
        with self._pipeline.placed(old, match, "after") as block:
            self._pipeline.source.fill(block, new, options)

    @contextmanager
    def before(self, old: OldPass, match: Match = "first") -> Iterator[None]:
        """Put what is added in the block directly before `old`."""
        with self._pipeline.placed(old, match, "before"):
            yield

    @contextmanager
    def after(self, old: OldPass, match: Match = "first") -> Iterator[None]:
        """Put what is added in the block directly after `old`."""
        with self._pipeline.placed(old, match, "after"):
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
        with self._pipeline.placed(old, match, "in the place of") as block:
            self._pipeline.source.fill(block, new, options)

    def remove(self, old: OldPass, match: Match = "every") -> None:
        """Take `old` out.

        Raises:
            PipelineEditError: there is no such match.
            PipelineConstraintError: a pass that stays needs it.
        """
        self._pipeline.remove(old, match)
        self._removed.append(f"{describe(old)}, by remove()")

    def skip(self, old: OldPass) -> None:
        """Leave `old` out of what is built, now and where it is added later.

        Edits still find it, so that passes can be put before and after it. That there
        is such a pass in the end is checked by `build`.
        """
        self._pipeline.skip(old)

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
        pipeline = BuilderPipeline(argument, build, self.registry)
        # One implementation of two overloads calls one of two overloads.
        register = cast("Callable[..., None]", self.registry.register_pipeline)
        given: tuple[Any, ...] = () if options_class is None else (options_class,)
        register(argument, summary, pipeline, *given)

    def add_hook(
        self,
        hook: Callable[[PassManagerBuilder], None],
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

    # The whole.

    def apply_hooks(self, pipeline: str | None = None) -> None:
        """Call the hooks for whole pipelines, or those for a registered one, once.

        What a hook did that fails is undone, and it is called again the next time.

        Raises:
            PipelineEditError: a hook has failed.
        """
        for each in self.registry.extensions.hooks:
            if each in self._applied_hooks or each.pipeline != pipeline:
                continue
            if each.where is None or each.where in self:
                self._applied_hooks.append(each)
                try:
                    with undone(self._pipeline.root):
                        _apply(each, self)
                except PipelineEditError:
                    self._applied_hooks.remove(each)
                    raise

    def check(self) -> list[Violation]:
        """Return all violations of rules, in the order of the passes."""
        return self._pipeline.violations()

    def sort(self) -> list[Move]:
        """Put the passes into an order that obeys all rules; return what moved.

        Raises:
            PipelineEditError: there is no such order.
        """
        with undone(self._pipeline.root):
            return sort_line(self._pipeline.line())

    def economize(self) -> list[str]:
        """Take out what repeats clean-ups and analyses, and add clean-ups that lack.

        Returns:
            What was taken out and added, with the reason; see `cleanup_economy`.
        """
        pipeline = self._pipeline
        with undone(pipeline.root):
            repeated = list(remove_repeated(pipeline.line, self.context))
            missing = insert_missing(pipeline.line, pipeline.source)
            inserted = list(missing)
        self._removed += (f"{each}: by economize()" for each in repeated)
        return [
            *(f"removed {each}" for each in repeated),
            *(f"inserted {each}" for each in inserted),
        ]

    def explain(self) -> str:
        """Return why each pass is where it is, and what was left out."""
        return explain_line(self._pipeline.line(), self._removed)

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
        self._pipeline.fill(manager)

    def as_block(self, kind: BlockKind, name: str) -> Block:
        """Return the pipeline as a part of a larger one."""
        block = Block(kind, name)
        for element in self._pipeline.root.copy().elements:
            block.append(element)
        return block


@dataclass(frozen=True)
class BuilderPipeline:
    """What a registry calls to build a pipeline: two of one function are equal."""

    argument: str
    build: Callable[..., None]
    registry: PassRegistry

    @property
    def __wrapped__(self) -> Callable[..., None]:
        """The function that errors name."""
        return self.build

    def __call__(self, manager: OpPassManager, *options: PassOptions) -> None:
        """Add the pipeline to `manager`.

        Raises:
            PipelineConstraintError: it is complete, and breaks rules.
        """
        builder = PassManagerBuilder(
            registry=self.registry, anchor=manager.anchor, defers_checks=True
        )
        self.build(builder, *options)
        builder.apply_hooks(self.argument)
        if isinstance(manager, BlockFiller):
            manager.add_block(builder.as_block("pipeline", self.argument))
        else:
            builder.build_into(manager)


def _apply(each: PipelineHook, builder: PassManagerBuilder) -> None:
    try:
        each.hook(builder)
    except (Exception, SystemExit) as error:  # of the user's own code: chained
        raised = str(error)
        if not isinstance(error, PassError):
            raised = f"it raised {type(error).__name__}: {error}"
        message = f"the hook {place_of(each.hook)} failed: {raised}"
        raise PipelineEditError(message) from error
