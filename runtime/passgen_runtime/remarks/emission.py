"""The base class of passes that emit remarks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

from passgen_runtime.context import Context, Operation
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_manager import RunState
from passgen_runtime.remarks.emitted_remark import (
    FieldValue,
    Remark,
    RemarkKind,
    text_of,
)
from passgen_runtime.remarks.listeners import RemarkListener


class Remarks(Pass):
    """A base class, beside `OperationPass` or `InterfacePass`, that adds remarks."""

    @property
    def remarks(self) -> RemarkEmitter:
        """The emitter of remarks that no spec declares."""
        return RemarkEmitter(self)


@dataclass(slots=True, eq=False)
class RemarkEmitter:
    """Emits remarks about the operation of a pass, or another one.

    The message may name fields: `{count} iterations`. Records keep numbers, booleans
    and texts as such; other values become texts, and an operation becomes its symbol or
    its name.
    """

    _pass: Pass
    _name: str = ""
    _category: str = ""
    _advice: str = ""

    def named(
        self, name: str, *, category: str = "", advice: str = ""
    ) -> RemarkEmitter:
        """Return an emitter of remarks with the given name.

        Args:
            name: identifies the remark, as a key to count by. By default, it is the
                message with the names of fields.
            category: the text that filters match; by default, the argument of the pass.
            advice: what a user can do about it.
        """
        return RemarkEmitter(self._pass, name, category, advice)

    @property
    def is_heard(self) -> bool:
        """Whether anything listens; test it before computing a reason takes time."""
        known = RunState.of(self._pass).instrumentor.instrumentations
        return any(isinstance(listener, RemarkListener) for listener in known)

    def passed(
        self, message: str, operation: Operation | None = None, /, **fields: object
    ) -> None:
        """Report that something was done.

        Args:
            message: the text, with the names of fields in braces: `{count}`.
            operation: the subject, by default the operation of the pass.
            fields: the values in the message, and further ones.
        """
        self.emit("passed", message, operation, fields)

    def missed(
        self, message: str, operation: Operation | None = None, /, **fields: object
    ) -> None:
        """Report why a possible improvement was not made; see `passed`."""
        self.emit("missed", message, operation, fields)

    def failed(
        self, message: str, operation: Operation | None = None, /, **fields: object
    ) -> None:
        """Report an attempt that did not succeed; see `passed`."""
        self.emit("failed", message, operation, fields)

    def analysis(
        self, message: str, operation: Operation | None = None, /, **fields: object
    ) -> None:
        """Report a fact about the operation; see `passed`."""
        self.emit("analysis", message, operation, fields)

    def emit(
        self,
        kind: RemarkKind,
        message: str,
        operation: Operation | None,
        fields: Mapping[str, object],
        locations: Sequence[str] = (),
    ) -> None:
        """Emit a remark, if anything listens; see `passed`.

        Args:
            kind: the kind of the remark.
            message: the text.
            operation: the subject.
            fields: the values in the message, and further ones.
            locations: the fields whose value is the location of the operation passed.

        Raises:
            RuntimeError: no operation is named, and the pass has none yet.
        """
        state = RunState.of(self._pass)
        known = state.instrumentor.instrumentations
        if not known:
            return
        subject = state.operation if operation is None else operation
        if subject is None:
            message = f"pass '{self._pass.name}' is not running: name an operation"
            raise RuntimeError(message)
        category = self._category or self._pass.argument or self._pass.name
        listeners = [
            listener
            for listener in known
            if isinstance(listener, RemarkListener)
            and listener.wants_remark(kind, category)
        ]
        if not listeners:
            return
        context = state.context
        anchor, symbol = _anchor_of(context, subject, state.operation)
        values = {
            key: _value(context, value, is_location=key in locations)
            for key, value in fields.items()
        }
        remark = Remark(
            kind,
            category,
            self._name or message or kind,  # readers expect a name
            _format(message, values),
            context.location(subject),
            symbol,
            values,
            self._advice,
            context.callers(subject),
        )
        for listener in listeners:
            listener.run_on_remark(remark, anchor)


def _anchor_of(
    context: Context, operation: Operation, outermost: Operation
) -> tuple[Operation, str]:
    """Return the closest operation with a symbol, or `outermost`; and the symbol.

    The symbol of a module is left out, since it is not the name of a function.
    """
    key = context.key(outermost)
    for current in context.ancestors(operation):
        if (symbol := context.symbol_name(current)) is not None:
            return current, "" if context.name(current) == "builtin.module" else symbol
        if context.key(current) == key:
            return outermost, ""
    # The pass has removed the operation from `outermost`.
    return outermost, context.symbol_name(outermost) or ""


def _value(context: Context, value: object, *, is_location: bool) -> FieldValue:
    """Return `value` as a value of JSON, which has neither infinity nor NaN."""
    if isinstance(value, float):
        return value if isfinite(value) else str(value)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, list | tuple):
        return [_value(context, element, is_location=is_location) for element in value]
    if not hasattr(value, "regions"):  # a type, an attribute or a value of the IR
        return str(value)
    if is_location:
        return context.location(value)
    symbol = context.symbol_name(value)
    return context.name(value) if symbol is None else f"@{symbol}"


def _format(message: str, values: Mapping[str, FieldValue]) -> str:
    """Return `message` with its fields in LLVM's form, but numbers in Python's."""
    if not values:
        return message
    shown = {
        key: value if type(value) in {int, float} else text_of(value)
        for key, value in values.items()
    }
    return message.format_map(shown)
