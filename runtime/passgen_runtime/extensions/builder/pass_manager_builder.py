"""The pass manager builder: bundles, order, and passes put before and after others.

Implements the proposal "Pass Manager Builder", which MLIR has not built. The order of a
pipeline is variable until `build`, which makes an ordinary pass manager of it:

    builder = PassManagerBuilder(context)
    with builder.stage("ingress"):
        builder.add("canonicalize")
    builder.add("one-shot-bufferize", {"bufferize-function-boundaries": True})
    builder.insert_before(MyTensorPass, "one-shot-bufferize")
    builder.insert_after("func.func(my-memref-pass)", tag("bufferization"))
    builder.build().run(module)

Passes state what they require of the pipeline around them (see `ordering_rules`). An
edit is refused if it breaks a rule that no later addition could mend; `build` refuses a
pipeline that breaks any rule, and reports all violations.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TypeAlias, TypeVar, overload

from passgen_runtime.context import Context
from passgen_runtime.errors import wrong_argument
from passgen_runtime.extensions.builder.additions import (
    OldPass,
    PipelineHook,
    additions_to,
)
from passgen_runtime.extensions.builder.blocks import Block, BlockFiller
from passgen_runtime.extensions.builder.bundles import (
    NewPass,
    OptionValues,
    PassBundle,
    PassSource,
    PipelineEditError,
)
from passgen_runtime.extensions.builder.checks import explain_sequence
from passgen_runtime.extensions.builder.cleanups import eliminate_redundancy
from passgen_runtime.extensions.builder.edits import Match, VariablePipeline
from passgen_runtime.extensions.builder.sorting import Move, sort_pipeline
from passgen_runtime.extensions.builder.violations import ConstraintViolation
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_manager import (
    OpPassManager,
    PassManager,
    check_anchor_name,
    check_context,
)
from passgen_runtime.pass_options import PassOptions
from passgen_runtime.pass_registry import (
    PassRegistry,
    PipelineEntry,
    default_registry,
)

OptionsT = TypeVar("OptionsT", bound=PassOptions)

Additions: TypeAlias = AbstractContextManager[object]
"""A `with` block whose additions to the builder go to one place."""


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
            registry: where names are looked up; the default registry if not given.
            anchor: the operation that the pipeline runs on, or `any`.
            defers_checks: whether only `check` and `build` check the rules, such as for
                a pipeline that `sort` puts in order.

        Raises:
            TypeError: the context is no context, or the anchor no string.
        """
        if context is not None:
            check_context(context)
        check_anchor_name(anchor)
        source = PassSource(registry or default_registry, context)
        self._pipeline = VariablePipeline(source, anchor, defers_checks=defers_checks)

    @property
    def context(self) -> Context | None:
        """The context of the IR to run on, if it is known."""
        return self._pipeline.source.context

    @property
    def registry(self) -> PassRegistry:
        """The registry in which names are looked up."""
        return self._pipeline.source.registry

    @property
    def anchor(self) -> str:
        """The operation that the pipeline runs on, or `any`."""
        return self._pipeline.root.name

    # Additions.

    def add(self, new: NewPass, options: OptionValues | None = None) -> None:
        """Append a pass, a bundle, or the elements of a textual pipeline.

        Args:
            new: an argument, a text such as `func.func(cse,canonicalize)`, a class of
                passes, a factory or a bundle.
            options: of a single pass or pipeline.

        Raises:
            PipelineConstraintError: it breaks a rule.
            PassError: it is unknown or cannot be made; see `PassSource.fill`.
        """
        self._pipeline.add(new, options)

    def add_bundle(
        self, bundle: PassBundle | Callable[[PassManagerBuilder], None]
    ) -> None:
        """Append a bundle, or let a function add to this builder.

        Raises:
            TypeError: it is neither.
        """
        if isinstance(bundle, PassBundle):
            self.add(bundle)
        elif callable(bundle):
            bundle(self)
        else:
            expected = "a PassBundle or a function of a builder"
            raise wrong_argument("bundle", bundle, expected)

    def bundle(self, name: str, *, declared_in: str = "") -> Additions:
        """Collect the additions of a `with` block in a bundle called `name`."""
        return self._pipeline.block("bundle", name, declared_in)

    def stage(self, name: str, *, declared_in: str = "") -> Additions:
        """Collect the additions of a `with` block in a stage, which edits can name."""
        return self._pipeline.block("stage", name, declared_in)

    def nest(self, anchor: str) -> Additions:
        """Run the additions of a `with` block on operations called `anchor`.

        Raises:
            TypeError: the anchor is no string.
        """
        check_anchor_name(anchor)
        return self._pipeline.block("nest", anchor, "")

    def require_anchor(self, anchor: str, pipeline: str) -> None:
        """Refuse the registered `pipeline` for `anchor` on other operations.

        Raises:
            SchedulingError: additions run on another operation now.
        """
        self._pipeline.require_anchor(anchor, pipeline)

    def __contains__(self, old: OldPass) -> bool:
        """Return whether the pipeline holds a pass or stage that `old` means."""
        return old in self._pipeline

    def __str__(self) -> str:
        """Return the pipeline as text."""
        return self._pipeline.sequence().text

    def __repr__(self) -> str:
        """Return the class, and the pipeline as text."""
        return f"<{type(self).__qualname__} {self}>"

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
        self._pipeline.place(new, options, old, match, "before")

    def insert_after(
        self,
        new: NewPass,
        old: OldPass,
        match: Match = "first",
        *,
        options: OptionValues | None = None,
    ) -> None:
        """Put `new` directly after `old`; see `insert_before`."""
        self._pipeline.place(new, options, old, match, "after")

    def replace(
        self,
        old: OldPass,
        new: NewPass,
        match: Match = "every",
        *,
        options: OptionValues | None = None,
    ) -> None:
        """Put `new` in the place of `old`; see `insert_before`."""
        self._pipeline.place(new, options, old, match, "in the place of")

    def before(self, old: OldPass, match: Match = "first") -> Additions:
        """Put the additions of a `with` block directly before `old`."""
        return self._pipeline.place_block(old, match, "before")

    def after(self, old: OldPass, match: Match = "first") -> Additions:
        """Put the additions of a `with` block directly after `old`."""
        return self._pipeline.place_block(old, match, "after")

    def remove(self, old: OldPass, match: Match = "every") -> None:
        """Remove `old`.

        Raises:
            PipelineEditError: there is no such match.
            PipelineConstraintError: a pass that stays needs it.
        """
        self._pipeline.remove(old, match)

    def skip(self, old: OldPass) -> None:
        """Leave `old` out when building, wherever it is now or is added later.

        Edits still find it, so that passes can be put before and after it. `build`
        refuses a pipeline that does not hold it in the end.
        """
        self._pipeline.skip(old)

    # Contributions of plugins.

    def register_dialect(self, name: str, make: Callable[[], object]) -> None:
        """Register a dialect in the context of the builder, and in those of drivers.

        Args:
            name: of the dialect.
            make: returns the dialect in the form of the IR library in use.

        Raises:
            DialectError: the context has another dialect of this name.
        """
        if self.context is not None:
            self.context.register_dialect(name, make)
        additions_to(self.registry).dialects[name] = make

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
        self.registry.add(PipelineEntry(argument, summary, pipeline, options_class))

    def add_hook(
        self,
        hook: Callable[[PassManagerBuilder], None],
        *,
        pipeline: str | None = None,
        where: OldPass | None = None,
    ) -> None:
        """Let `hook` edit pipelines before they are built: this one, and later ones.

        Args:
            hook: gets the builder of a complete pipeline.
            pipeline: the argument of a registered pipeline; if not given, `hook` gets
                whole pipelines of any name.
            where: if given, `hook` gets only pipelines that hold it.
        """
        additions_to(self.registry).hooks.append(PipelineHook(hook, pipeline, where))

    # The whole pipeline.

    def apply_hooks(self, pipeline: str | None = None) -> None:
        """Call the hooks for whole pipelines, or those for a registered one, once.

        The edits of a hook that fails are undone; the next build calls it again.

        Raises:
            PipelineEditError: a hook has failed.
        """
        for hook in self._pipeline.due_hooks(pipeline):
            with self._pipeline.apply(hook):
                hook.hook(self)

    def check(self) -> list[ConstraintViolation]:
        """Return all violations of rules, in the order of the passes."""
        return self._pipeline.violations()

    def sort(self) -> list[Move]:
        """Put the passes into an order that obeys all rules; return the moves.

        Raises:
            PipelineEditError: there is no such order.
        """
        return sort_pipeline(self._pipeline)

    def economize(self) -> list[str]:
        """Remove redundant clean-ups and analyses, and insert missing clean-ups.

        Returns:
            Each removal and insertion, with its reason.
        """
        return eliminate_redundancy(self._pipeline)

    def explain(self) -> str:
        """Return the reasons for the place of each pass, and what was left out."""
        return explain_sequence(self._pipeline.sequence(), self._pipeline.removed)

    def build(self) -> PassManager:
        """Return a new pass manager that runs the pipeline.

        Raises:
            PipelineEditError: the builder has no context.
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
        self._pipeline.fill(manager)

    def as_block(self, name: str) -> Block:
        """Return the pipeline as a block of a larger one."""
        block = self._pipeline.root.copy()
        block.kind, block.name = "pipeline", name
        return block


@dataclass(frozen=True)
class BuilderPipeline:
    """The function in a registry that builds a pipeline with a builder."""

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
            manager.add_block(builder.as_block(self.argument))
        else:
            builder.build_into(manager)
