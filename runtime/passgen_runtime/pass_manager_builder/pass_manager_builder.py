"""The pass manager builder: bundles, edits, sorting and checks of a pipeline.

Implements the proposal "Pass Manager Builder", which MLIR has not adopted. Edits may
change a pipeline until `build` creates an ordinary pass manager from it:

    builder = PassManagerBuilder(context)
    with builder.stage("ingress"):
        builder.add("canonicalize")
    builder.add("one-shot-bufferize", {"bufferize-function-boundaries": True})
    builder.insert_before(MyTensorPass, "one-shot-bufferize")
    builder.insert_after("func.func(my-memref-pass)", tag("bufferization"))
    builder.build().run(module)

Passes declare `ordering_rules`. An edit is refused if it breaks a rule that no later
addition could satisfy; `build` refuses a pipeline that breaks any rule.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from passgen_runtime.context import Context
from passgen_runtime.errors import SchedulingError, wrong_argument
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_manager import OpPassManager, PassManager, check_context
from passgen_runtime.pass_manager_builder.additions import (
    OldPass,
    PipelineHook,
    additions_to,
)
from passgen_runtime.pass_manager_builder.blocks import Block, BlockFiller
from passgen_runtime.pass_manager_builder.bundles import (
    NewPass,
    OptionValues,
    PassBundle,
    PassSource,
    PipelineEditError,
)
from passgen_runtime.pass_manager_builder.checks import explain_sequence
from passgen_runtime.pass_manager_builder.cleanups import eliminate_redundancy
from passgen_runtime.pass_manager_builder.edits import Match, VariablePipeline
from passgen_runtime.pass_manager_builder.sorting import Move, sort_pipeline
from passgen_runtime.pass_manager_builder.violations import ConstraintViolation
from passgen_runtime.pass_options import PassOptions
from passgen_runtime.pass_registry import PassRegistry, PipelineEntry, default_registry
from passgen_runtime.textual_pipeline import ANY_ANCHOR

OptionsT = TypeVar("OptionsT", bound=PassOptions)

Additions: TypeAlias = AbstractContextManager[object]
"""A context manager that collects the additions of a `with` block."""


class PassManagerBuilder:
    """A pipeline that can be edited until a pass manager is built from it."""

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
            context: the context of the IR to run on; `build` needs it.
            registry: resolves names; the default registry if not given.
            anchor: the operation that the pipeline runs on, or `any`.
            defers_checks: whether only `check` and `build` check rules, as for `sort`.

        Raises:
            TypeError: an argument has the wrong type.
        """
        if context is not None:
            check_context(context)
        source = PassSource(registry or default_registry, context)
        self._pipeline = VariablePipeline(source, anchor, defers_checks=defers_checks)

    @property
    def context(self) -> Context | None:
        """The context of the IR to run on, if it is known."""
        return self._pipeline.source.context

    @property
    def registry(self) -> PassRegistry:
        """The registry that resolves names."""
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
            options: the options of a single pass or pipeline.

        Raises:
            PipelineConstraintError: the addition breaks a rule.
            PassError: a pass is unknown or cannot be created; see `PassSource.fill`.
        """
        self._pipeline.add(new, options)

    def add_bundle(
        self, bundle: PassBundle | Callable[[PassManagerBuilder], None]
    ) -> None:
        """Append a bundle, or call a function with this builder.

        Raises:
            TypeError: `bundle` is neither.
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
            TypeError: `anchor` is not a string.
        """
        return self._pipeline.block("nest", anchor, "")

    def require_anchor(self, anchor: str, pipeline: str) -> None:
        """Check that additions run on `anchor` operations, as `pipeline` requires.

        Raises:
            SchedulingError: additions now run on other operations.
        """
        found = self._pipeline.anchor
        if found not in {anchor, ANY_ANCHOR}:
            raise SchedulingError(
                f"Can't add pipeline '{pipeline}' restricted to '{anchor}' on a "
                f"PassManager intended to run on '{found}', did you intend to nest?"
            )

    def __contains__(self, old: OldPass) -> bool:
        """Return whether the pipeline contains a pass or stage that `old` matches."""
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
            match: the matches of `old` to edit.
            options: the options of a single pass or pipeline.

        Raises:
            PipelineEditError: there is no such match.
            PipelineConstraintError: the edit breaks a rule.
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
            PipelineConstraintError: a remaining pass requires `old`.
        """
        self._pipeline.remove(old, match)

    def skip(self, old: OldPass) -> None:
        """Exclude `old` from the pipeline that is built, also if it is added later.

        Edits still find `old`, so that passes can be put before and after it. `build`
        refuses a pipeline that does not contain it.
        """
        self._pipeline.skipped.append(old)

    # Contributions of plugins.

    def register_dialect(self, name: str, make: Callable[[], object]) -> None:
        """Register a dialect in the context of the builder, and in contexts of drivers.

        Args:
            name: the name of the dialect.
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

    def register_pipeline(
        self,
        argument: str,
        summary: str,
        build: (
            Callable[[PassManagerBuilder], None]
            | Callable[[PassManagerBuilder, OptionsT], None]
        ),
        options_class: type[OptionsT] | None = None,
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
        """Register `hook` to edit pipelines before they are built, this one included.

        Args:
            hook: a function of the builder of a complete pipeline.
            pipeline: the argument of a registered pipeline; if not given, `hook` gets
                whole pipelines of any name.
            where: if given, `hook` gets only pipelines that contain it.
        """
        additions_to(self.registry).hooks.append(PipelineHook(hook, pipeline, where))

    # The whole pipeline.

    def apply_hooks(self, pipeline: str | None = None) -> None:
        """Call the hooks for whole pipelines, or those for a registered one, once.

        The edits of a failed hook are undone; the next build calls it again.

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

    def remove_redundant_passes(self) -> list[str]:
        """Remove redundant passes, insert missing clean-ups; return the changes."""
        return eliminate_redundancy(self._pipeline)

    def explain(self) -> str:
        """Return the reasons for the place of each pass, and the passes left out."""
        return explain_sequence(self._pipeline.sequence(), self._pipeline.removed)

    def build(self) -> PassManager:
        """Return a new pass manager that runs the pipeline.

        Raises:
            PipelineEditError: the builder has no context.
            PipelineConstraintError: rules are broken.
        """
        if self.context is None:
            message = "cannot build a pass manager: the builder has no context"
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
    """A function in a registry that adds a pipeline by means of a builder."""

    argument: str
    build: Callable[..., None]
    registry: PassRegistry

    @property
    def __wrapped__(self) -> Callable[..., None]:
        """The function that error messages name."""
        return self.build

    def __call__(self, manager: OpPassManager, *options: PassOptions) -> None:
        """Add the pipeline to `manager`.

        Raises:
            PipelineConstraintError: the complete pipeline breaks rules.
        """
        builder = PassManagerBuilder(
            registry=self.registry, anchor=manager.anchor, defers_checks=True
        )
        self.build(builder, *options)
        builder.apply_hooks(self.argument)
        if isinstance(manager, BlockFiller):
            manager.block.append(builder.as_block(self.argument))
        else:
            builder.build_into(manager)
