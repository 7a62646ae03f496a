"""Forms of IR, and what passes declare about them: need, give, keep and break.

`form_judgement` decides what becomes of a form in a pipeline.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from .declared_tuples import refuse_text


@dataclass(frozen=True)
class Form:
    """A property of an operation and all that is nested in it, of one of three kinds.

    With a `check`, it says nothing of nested operations themselves.
    """

    name: str
    summary: str = field(default="", compare=False)
    absent: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    """The operations and dialects that may not be there, or that alone may be."""

    check: str = ""
    """`module:function`, which yields or returns what is wrong with an operation."""

    def __post_init__(self) -> None:
        """Refuse a text as names, which would be its letters.

        Raises:
            TypeError: there is one.
        """
        refuse_text(self, "absent", "only")

    @property
    def is_inherited(self) -> bool:
        """Whether the form also holds for the operations inside one that has it.

        A form without `scf.for` is inherited: if a module has no loops, its functions
        have none. A form with a `check` is not: the check of a module may pass while
        that of a function in it fails.
        """
        return bool(self.absent or self.only)

    def allows(self, operation: str) -> bool:
        """Return whether an operation called `operation` may be where it holds."""
        if self.absent:
            return not any(_is_part(operation, name) for name in self.absent)
        return not self.only or any(_is_part(operation, name) for name in self.only)

    def excludes(self, created: str) -> bool:
        """Return whether nothing that `created` names may be where it holds.

        Args:
            created: an operation, or a dialect, of which any operation may be meant.
        """
        if self.absent:
            return any(_is_part(created, name) for name in self.absent)
        return bool(self.only) and not any(
            _overlap(created, each) for each in self.only
        )

    def is_kept_by(self, created: Iterable[str]) -> bool:
        """Return whether it is kept if no more is created than `created` names."""
        return bool(self.absent) and not any(
            _overlap(each, name) for each in created for name in self.absent
        )


def _is_part(name: str, whole: str) -> bool:
    """Return whether `name` is the operation or dialect `whole`, or of that dialect."""
    return whole in {name, name.partition(".")[0]}


def _overlap(first: str, second: str) -> bool:
    return _is_part(first, second) or _is_part(second, first)


Promise: TypeAlias = Literal["gives", "keeps", "breaks", "creates"]
"""The key by which a pass says what becomes of a form."""


@dataclass(frozen=True)
class FormRules:
    """The forms that must hold before a pass, and those that hold after it.

    What it neither gives nor keeps is unknown; what it breaks is not guaranteed.
    """

    needs: tuple[Form, ...] = ()
    gives: tuple[Form, ...] = ()
    keeps: tuple[Form, ...] = ()
    breaks: tuple[Form, ...] = ()
    creates: tuple[str, ...] | None = None
    """All operations and dialects that it may create; `None`: unknown."""

    def __post_init__(self) -> None:
        """Refuse a text as names, which would be its letters.

        Raises:
            TypeError: there is one.
        """
        refuse_text(self, "needs", "gives", "keeps", "breaks", "creates")

    def promise(self, form: Form) -> Promise | None:
        """Return by which key it says what becomes of `form`; `None`: by no key.

        By `creates` it says that the form is kept.
        """
        if form in self.breaks:
            return "breaks"
        if form in self.gives:
            return "gives"
        if form in self.keeps:
            return "keeps"
        is_kept = self.creates is not None and form.is_kept_by(self.creates)
        return "creates" if is_kept else None

    def makes(self, form: Form) -> bool:
        """Return whether it gives `form` to IR that does not have it."""
        return form in self.gives and form not in self.needs


NO_FORMS: Final = FormRules()
