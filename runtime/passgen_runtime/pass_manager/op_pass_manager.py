"""Pipelines as written: passes and nested pass managers, in order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, Protocol, Self, runtime_checkable

from passgen_runtime.context import Context
from passgen_runtime.errors import PassOptionError, SchedulingError, wrong_argument
from passgen_runtime.operation_pass import Pass, PassSequence
from passgen_runtime.textual_pipeline import ANY_ANCHOR

Nesting = Literal["explicit", "implicit"]


@runtime_checkable
class DeclaredPass(Protocol):
    """The name and the options of a pass, such as one of MLIR's, as a value."""

    def as_pass(self) -> Pass:
        """Return a new pass with these options."""


class OpPassManager(PassSequence[Pass]):
    """Passes and nested pass managers that run on operations of one kind, in order.

    Op-specific if anchored on an operation type, op-agnostic if anchored on `any`.
    """

    def __init__(
        self,
        anchor: str = ANY_ANCHOR,
        *,
        nesting: Nesting = "explicit",
        context: Context | None = None,
    ) -> None:
        """Make an empty pass manager.

        Args:
            anchor: an operation's name, or `any`.
            nesting: whether a pass with another anchor is refused, or put into a nested
                manager of its anchor.
            context: if given, passes are checked against the anchor when added, else
                before the pipeline runs.

        Raises:
            TypeError: the context is not a `Context`.
        """
        if context is not None:
            check_context(context)
        self.anchor = anchor
        self.nesting = nesting
        self.elements: list[Pass | OpPassManager] = []
        self._context = context

    @property
    def is_op_agnostic(self) -> bool:
        """Whether the manager is anchored on `any`."""
        return self.anchor == ANY_ANCHOR

    def add_pass(self, pass_: Pass | DeclaredPass) -> None:
        """Append `pass_`.

        Raises:
            SchedulingError: the pass cannot run on this manager's anchor.
            MissingImplementationError: the pass is only declared.
            TypeError: it is not a pass.
        """
        pass_ = to_pass(pass_)
        if self._context is not None:
            pass_ = pass_.in_context(self._context)
        restricted = pass_.anchor is not None and pass_.anchor != self.anchor
        if restricted and not self.is_op_agnostic:
            if self.nesting == "implicit":
                self.nest(str(pass_.anchor)).add_pass(pass_)
                return
            raise SchedulingError(
                f"Can't add pass '{pass_.name}' restricted to '{pass_.anchor}' on a "
                f"PassManager intended to run on '{self.anchor}', did you intend to "
                "nest?"
            )
        if self._context is not None:
            check_anchor(pass_, self.anchor, self._context)
        self.elements.append(pass_)

    def nest(self, anchor: str) -> OpPassManager:
        """Append and return a manager for operations `anchor` inside this one's."""
        nested = OpPassManager(anchor, nesting=self.nesting, context=self._context)
        self.elements.append(nested)
        return nested

    def nest_any(self) -> OpPassManager:
        """Append and return an op-agnostic manager for operations inside this one's."""
        return self.nest(ANY_ANCHOR)

    def clear(self) -> None:
        """Remove all passes and managers; everything else stays, as in MLIR."""
        self.elements.clear()

    def passes(self) -> Iterator[Pass]:
        """Yield all passes, those of nested managers included, in order."""
        for element in self.elements:
            if isinstance(element, OpPassManager):
                yield from element.passes()
            else:
                yield element

    def copy(self) -> Self:
        """Return a pipeline of clones of all passes."""
        duplicate = self._empty_copy()
        duplicate.elements = [
            element.copy() if isinstance(element, OpPassManager) else element.clone()
            for element in self.elements
        ]
        return duplicate

    def _empty_copy(self) -> Self:
        # A subclass may be constructed from other arguments.
        duplicate = type(self).__new__(type(self))
        vars(duplicate).update(vars(self))
        return duplicate

    def __copy__(self) -> Self:
        """Return `copy()`: no two managers share a list of passes."""
        return self.copy()

    def __deepcopy__(self, _: object) -> Self:
        """Return `copy()`: contexts and instrumentations stay shared."""
        return self.copy()

    def __iter__(self) -> Iterator[Pass | OpPassManager]:
        """Yield the passes and managers directly in this one."""
        return iter(self.elements)

    def __len__(self) -> int:
        """Return the number of passes and managers directly in this one."""
        return len(self.elements)

    def __bool__(self) -> bool:
        """Return true: an empty manager is still a manager."""
        return True

    def __eq__(self, other: object) -> bool:
        """Return whether `other` runs the same passes with the same options."""
        if not isinstance(other, OpPassManager):
            return NotImplemented
        return self.anchor == other.anchor and _keys(self) == _keys(other)

    __hash__ = None  # type: ignore[assignment] # mutable, and equal by content

    def __str__(self) -> str:
        """Return the textual pipeline as it was built, before any merging."""
        return f"{self.anchor}({','.join(map(str, self.elements))})"

    def __repr__(self) -> str:
        """Return the class, and the textual pipeline."""
        try:
            shown = str(self)
        except PassOptionError:
            shown = f"{self.anchor}({', '.join(map(repr, self.elements))})"
        return f"<{type(self).__qualname__} {shown}>"


def _keys(manager: OpPassManager) -> list[object]:
    return [
        (
            element
            if isinstance(element, OpPassManager)
            else (element.argument or type(element), element.options)
        )
        for element in manager.elements
    ]


def check_anchor(pass_: Pass, anchor: str, context: Context) -> None:
    """Check that `pass_` can run in `context` on operations called `anchor`.

    Raises:
        PassError: it cannot; see also `Pass.check_context`.
    """
    pass_.check_context(context)
    info = None if anchor == ANY_ANCHOR else context.lookup(anchor)
    if info is not None and not pass_.can_schedule_on(info):
        raise SchedulingError(
            f"unable to schedule pass '{pass_.name}' on a PassManager intended to run "
            f"on '{anchor}'!"
        )


def manager_for(
    pass_: Pass, manager: OpPassManager, context: Context | None
) -> OpPassManager:
    """Return `manager`, or the op-agnostic one that ends it if it cannot run `pass_`.

    The op-agnostic manager is added if there is none. A pass with an anchor is not
    looked at: `add_pass` nests it or refuses it.
    """
    info = None if context is None else context.lookup(manager.anchor)
    if pass_.anchor is not None or info is None or pass_.can_schedule_on(info):
        return manager
    last = manager.elements[-1] if manager.elements else None
    if isinstance(last, OpPassManager) and last.is_op_agnostic:
        return last
    return manager.nest_any()


def check_context(context: object) -> None:
    """Check that `context` is a `Context`, not the context of an IR library.

    Raises:
        TypeError: it is not one.
    """
    if not isinstance(context, Context):
        note = (
            "write XDSLContext(...), of passgen_runtime.ir.xdsl; managers take it first"
        )
        raise wrong_argument("context", context, "a Context", note)


def to_pass(given: object) -> Pass:
    """Return an element of a pass manager as a pass.

    Raises:
        TypeError: it is none.
    """
    if isinstance(given, Pass):
        return given
    # A protocol that is asked about a class gives its metaclass annotations, and those
    # of each class without any are its base's from then on: xDSL reads them.
    if not isinstance(given, type) and isinstance(given, DeclaredPass):
        return given.as_pass()
    note = "parse_pass_manager('builtin.module(cse)', context) makes passes of a text"
    if isinstance(given, type):
        note = f"write {given.__name__}()"
    raise wrong_argument("add_pass()", given, "a pass", note)
