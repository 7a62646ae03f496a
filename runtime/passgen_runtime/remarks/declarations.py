"""The remarks that a pass declares, each with a method that emits it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Final, ParamSpec, cast

from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_manager import RunState
from passgen_runtime.remarks.emission import RemarkEmitter
from passgen_runtime.remarks.emitted_remark import RemarkKind

P = ParamSpec("P")

_DECLARATION: Final = "declared_remark"
"""The attribute of a method that contains the declaration of its remark."""


@dataclass(frozen=True, slots=True)
class DeclaredRemark:
    """The declaration of a remark."""

    name: str
    kind: RemarkKind
    message: str
    advice: str = ""
    """What a user can do about it."""

    locations: tuple[str, ...] = ()
    """The fields whose value is the location of the operation that is passed."""


def remark(
    name: str,
    kind: RemarkKind,
    message: str,
    *,
    advice: str = "",
    locations: tuple[str, ...] = (),
) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Make a method of a pass emit a remark; its keyword arguments are the fields.

        @remark("unrolled", "passed", "unrolled by {factor}")
        def remark_unrolled(
            self, operation: Operation = None, /, *, factor: int
        ) -> None:
            '''Say that a loop was unrolled.'''

    Args:
        name: the name, which identifies the remark among those of the pass.
        kind: the kind of the remark.
        message: the text, with the names of fields in braces: `{factor}`.
        advice: what a user can do about it.
        locations: the fields whose value is the location of the operation passed.
    """
    declared = DeclaredRemark(name, kind, message, advice, locations)

    def decorate(method: Callable[P, None]) -> Callable[P, None]:
        # The method does nothing, but a call raises TypeError for other fields.
        check_fields = cast("Callable[..., None]", method)

        @wraps(method)
        def emit(self: Pass, operation: object = None, /, **fields: object) -> None:
            if not RunState.of(self).instrumentor.instrumentations:
                return  # mostly nothing listens: avoid making an emitter
            check_fields(self, operation, **fields)
            emitter = RemarkEmitter(self, name, "", advice)
            text = message if fields else message.format()  # undoubles braces
            emitter.emit(kind, text, operation, fields, locations)

        setattr(emit, _DECLARATION, declared)
        return cast("Callable[P, None]", emit)

    return decorate


def declared_remarks(pass_class: type[Pass]) -> tuple[DeclaredRemark, ...]:
    """Return the remarks that a class of passes declares, those of bases first."""
    found: dict[str, Any] = {}
    for cls in reversed(pass_class.__mro__):
        for name, member in vars(cls).items():
            if (declared := getattr(member, _DECLARATION, None)) is not None:
                found[name] = declared
    return tuple(found.values())
