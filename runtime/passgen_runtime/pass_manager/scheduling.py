"""Which pass managers run together: merging of adjacent ones, and what they accept.

Implements the part of MLIR's scheduling that is done before anything runs
(`OpToOpPassAdaptor::tryMergeInto` and `OpPassManagerImpl::finalizePassList` in
mlir/lib/Pass/Pass.cpp). The pass managers themselves stay as they were written.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby, zip_longest
from typing import TypeAlias

from passgen_runtime.context import Context, OperationInfo
from passgen_runtime.errors import (
    PassError,
    PassFailure,
    SchedulingError,
    wrong_argument,
)
from passgen_runtime.operation_pass import InterfacePass, Pass, PassSequence, kept_by
from passgen_runtime.pass_manager.op_pass_manager import (
    OpPassManager,
    accepts,
    check_anchor,
)
from passgen_runtime.textual_pipeline import ANY_ANCHOR, MAX_DEPTH

NOT_REGISTERED = "trying to schedule a pass on an unregistered operation"
NOT_ISOLATED = (
    "trying to schedule a pass on an operation not marked as 'IsolatedFromAbove'"
)


@dataclass(slots=True)
class ScheduledPipeline:
    """What runs on operations of one anchor: passes, and groups of nested pipelines.

    The pipelines of a group share one walk over the operations directly inside; op-
    specific ones come first, by anchor, and at most one of them is op-agnostic.
    """

    anchor: str
    elements: list[Pass | list[ScheduledPipeline]] = field(default_factory=list)
    was_matched: bool = False
    """Whether the run has met an operation that the pipeline runs on."""

    @property
    def is_op_agnostic(self) -> bool:
        """Whether the pipeline is anchored on `any`."""
        return self.anchor == ANY_ANCHOR

    def refusal(self, info: OperationInfo | None) -> str | None:
        """Return why operations of a type cannot anchor the pipeline, if they cannot.

        A pass that refuses a type refuses it for the whole pipeline.

        Raises:
            SchedulingError: a pass cannot say whether it does.
        """
        if info is None:
            return NOT_REGISTERED
        if not info.is_isolated_from_above:
            return NOT_ISOLATED
        for each in self.written():
            if isinstance(each, Pass) and not accepts(each, info):
                return (
                    f"trying to schedule pass '{each.name}' on an unsupported operation"
                )
        return None

    def passes(self) -> Iterator[Pass]:
        """Yield all passes, those of nested pipelines included."""
        for element in self.elements:
            if isinstance(element, Pass):
                yield element
            else:
                for nested in element:
                    yield from nested.passes()

    def clone(self) -> ScheduledPipeline:
        """Return a copy with clones of all passes, for another thread.

        Raises:
            PassFailure: one of them cannot be copied.
        """
        return ScheduledPipeline(
            self.anchor,
            [
                (
                    _clone(each)
                    if isinstance(each, Pass)
                    else [pipeline.clone() for pipeline in each]
                )
                for each in self.elements
            ],
        )

    def unmatched(self) -> Iterator[ScheduledPipeline]:
        """Yield the outermost nested pipelines for which no operation was met."""
        for element in self.written():
            for nested in element if isinstance(element, list) else ():
                if nested.was_matched:
                    yield from nested.unmatched()
                else:
                    yield nested

    def written(self) -> Iterator[Pass | list[ScheduledPipeline]]:
        """Yield the elements, those that are fused one by one."""
        for element in self.elements:
            if isinstance(element, FusedPass):
                yield from element.elements
            else:
                yield element

    def __str__(self) -> str:
        """Return the textual pipeline, with adjacent nested ones merged."""
        return f"{self.anchor}({','.join(map(_text, self.written()))})"


def _clone(pass_: Pass) -> Pass:
    try:
        return _checked_clone(pass_)
    except Exception as error:
        raise PassFailure(
            pass_name=pass_.name,
            argument=pass_.argument,
            operation="its copying for a thread",
        ) from error


def _checked_clone(pass_: Pass) -> Pass:
    duplicate = pass_.clone()
    if duplicate is pass_ or type(duplicate) is not type(pass_):
        kind = f"a new {type(pass_).__qualname__}"
        raise wrong_argument("result of clone()", duplicate, kind)
    return duplicate


_Group: TypeAlias = list[ScheduledPipeline]

Element: TypeAlias = Pass | _Group
"""What stands in a scheduled pipeline."""


class FusedPass(Pass):
    """Elements of a pipeline that an IR library runs as one; see `Pass.fused_by`."""

    def __init__(self, elements: Iterable[Element], *, verify_each: bool) -> None:
        """Stand for `elements`, in order.

        Args:
            elements: passes that this class fuses, and groups of pipelines of these.
            verify_each: whether to verify the IR after each pass.
        """
        self.elements = tuple(elements)
        self.verify_each = verify_each
        self._nested = [
            nested
            for element in self.elements
            if isinstance(element, list)
            for nested in element
        ]

    def __str__(self) -> str:
        """Return the elements as in a textual pipeline."""
        return ",".join(map(_text, self.elements))

    def passes(self) -> Iterator[Pass]:
        """Yield all passes, those of nested pipelines included."""
        yield from ScheduledPipeline(ANY_ANCHOR, [*self.elements]).passes()

    def mark_matched(self, names: Iterable[str]) -> None:
        """Note which nested pipelines meet an operation directly inside.

        Args:
            names: of the operations there; taken only as far as they are needed.
        """
        waiting = self._nested
        for nested in waiting:
            nested.was_matched = False
        for name in names if waiting else ():
            for nested in waiting:
                if nested.anchor in (ANY_ANCHOR, name):
                    _mark_all_matched(nested)
            waiting = [nested for nested in waiting if not nested.was_matched]
            if not waiting:
                return


def _mark_all_matched(pipeline: ScheduledPipeline) -> None:
    pipeline.was_matched = True
    for element in pipeline.elements:
        for nested in element if isinstance(element, list) else ():
            _mark_all_matched(nested)


def _text(element: Element) -> str:
    return str(element) if isinstance(element, Pass) else ",".join(map(str, element))


def fuse(pipeline: ScheduledPipeline, *, verify_each: bool) -> ScheduledPipeline:
    """Return `pipeline` with consecutive elements as one where one class fuses them."""
    elements: list[Element] = []
    for fused_by, group in groupby(pipeline.elements, fused_class):
        consecutive = list(group)
        if fused_by is not None:
            elements.append(fused_by(consecutive, verify_each=verify_each))
            continue
        for element in consecutive:
            if isinstance(element, list):
                nested = [fuse(each, verify_each=verify_each) for each in element]
                elements.append(nested)
            else:
                elements.append(element)
    return ScheduledPipeline(pipeline.anchor, elements)


def fused_class(element: Element) -> type[FusedPass] | None:
    """Return the class that fuses all passes of `element`, if there is one."""
    if isinstance(element, Pass):
        return element.fused_by
    passes = (pass_ for nested in element for pass_ in nested.passes())
    classes = {pass_.fused_by for pass_ in passes}
    return classes.pop() if len(classes) == 1 else None


def schedule(manager: OpPassManager, context: Context) -> ScheduledPipeline:
    """Return what `manager` runs, with adjacent nested managers merged.

    Raises:
        SchedulingError: a pass refuses the anchor of its manager.
    """
    scheduled = _unmerged(manager)
    _merge_adjacent(scheduled, context)
    _check_anchors(scheduled, context)
    return scheduled


def structure_key(manager: OpPassManager, depth: int = 0) -> Hashable:
    """Return what is equal for as long as `manager` holds the same passes.

    It tells only managers apart whose passes have been kept alive meanwhile.

    Raises:
        SchedulingError: managers nest without an end, or too deeply.
    """
    if depth > MAX_DEPTH:
        message = f"pipelines nest at most {MAX_DEPTH} deep, and none holds itself"
        raise SchedulingError(message)
    return (
        manager.anchor,
        *map(id, manager.elements),
        *[
            structure_key(each, depth + 1)
            for each in manager.elements
            if isinstance(each, PassSequence)
        ],
    )


def dialects_of(manager: OpPassManager) -> dict[str, None]:
    """Return the dialects that the passes of `manager` depend on, each once.

    Raises:
        PassFailure: a pass cannot say which.
    """
    dialects: dict[str, None] = {}
    for pass_ in manager.passes():
        try:
            dialects.update(dict.fromkeys(_dialects_of(pass_)))
        except PassError:
            raise
        except Exception as error:
            raise PassFailure(
                pass_name=pass_.name,
                argument=pass_.argument,
                operation="its dependent dialects",
                pipeline=str(manager),
            ) from error
    return dialects


def _dialects_of(pass_: Pass) -> Iterable[str]:
    found = pass_.get_dependent_dialects()
    if isinstance(found, str) or not isinstance(found, Iterable):
        what = "result of get_dependent_dialects()"
        raise wrong_argument(what, found, "the names of dialects")
    return found


def is_repeatable(passes: Iterable[Pass]) -> bool:
    """Return whether `passes` say the same about themselves in each run.

    What a pass itself decides may depend on anything, such as an option.
    """
    schedules = (Pass.can_schedule_on, InterfacePass.can_schedule_on)
    return all(
        type(each).can_schedule_on in schedules
        and type(each).get_dependent_dialects is Pass.get_dependent_dialects
        and not any(kept_by(each))
        for each in passes
    )


def check_passes_apart(scheduled: ScheduledPipeline) -> None:
    """Check that no pass is in two pipelines: it would see the operations of one.

    Raises:
        SchedulingError: one is.
    """
    pipelines: dict[int, ScheduledPipeline] = {}

    def visit(pipeline: ScheduledPipeline) -> None:
        for element in pipeline.elements:
            if isinstance(element, list):
                for nested in element:
                    visit(nested)
            elif pipelines.setdefault(id(element), pipeline) is not pipeline:
                message = (
                    f"pass '{element.argument or element.name}' is in two pass "
                    "managers at once: give one of them a clone() of it"
                )
                raise SchedulingError(message)

    visit(scheduled)


def _unmerged(manager: OpPassManager) -> ScheduledPipeline:
    elements: list[Pass | _Group] = [
        element if isinstance(element, Pass) else [_unmerged(element)]
        for element in manager.elements
    ]
    return ScheduledPipeline(manager.anchor, elements)


def _check_anchors(pipeline: ScheduledPipeline, context: Context) -> None:
    for element in pipeline.elements:
        if isinstance(element, Pass):
            check_anchor(element, pipeline.anchor, context)
        else:
            for nested in element:
                _check_anchors(nested, context)


def _merge_adjacent(pipeline: ScheduledPipeline, context: Context) -> None:
    """Merge adjacent groups, and inside the last one of those next to one another.

    As in MLIR, a group that its next sibling did not merge into stays unmerged inside.
    """
    merged: list[Pass | _Group] = []
    for element in pipeline.elements:
        last = merged[-1] if merged else None
        if (
            isinstance(element, list)
            and isinstance(last, list)
            and not _may_conflict(last, element, context)
            and not _may_conflict(element, last, context)
        ):
            _merge_into(last, element)
        else:
            merged.append(element)
    for element, following in zip_longest(merged, merged[1:]):
        if isinstance(element, list):
            element.sort(key=lambda each: (each.is_op_agnostic, each.anchor))
            for nested in () if isinstance(following, list) else element:
                _merge_adjacent(nested, context)
    pipeline.elements = merged


def _may_conflict(group: _Group, other: _Group, context: Context) -> bool:
    """Return whether an op-agnostic one of `group` may run on what `other` runs on."""
    agnostic = next((each for each in group if each.is_op_agnostic), None)
    return agnostic is not None and any(
        each.is_op_agnostic or agnostic.refusal(context.lookup(each.anchor)) is None
        for each in other
    )


def _merge_into(group: _Group, following: _Group) -> None:
    by_anchor = {each.anchor: each for each in group}
    for each in following:
        if each.anchor in by_anchor:
            by_anchor[each.anchor].elements += each.elements
        else:
            group.append(each)
