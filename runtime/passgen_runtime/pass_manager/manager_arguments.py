"""What pass managers are made of, checked when it is given.

Users of MLIR's Python bindings write `PassManager("builtin.module", context)`, users of
xDSL give a context, a pass or an operation class of xDSL: each is told what to write.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, get_args

from passgen_runtime.context import Context
from passgen_runtime.operation_pass import Pass, PassSequence
from passgen_runtime.wrong_arguments import wrong_argument

Nesting = Literal["explicit", "implicit"]
_NESTINGS: Final = get_args(Nesting)


def check_context(context: object, meant: str = "") -> None:
    """Check that `context` is a context of ours.

    Args:
        context: what was given.
        meant: what to write if it is a text.

    Raises:
        TypeError: it is another thing, such as the context of an IR library.
    """
    if isinstance(context, Context):
        return
    note = "XDSLContext(...) of passgen_runtime.ir.xdsl wraps a context of xDSL"
    if meant and isinstance(context, str):
        note = f"it comes first: {meant}"
    raise wrong_argument("context", context, "a Context", note)


def check_anchor_name(anchor: object) -> None:
    """Check that `anchor` is a text.

    Raises:
        TypeError: it is not, such as the class of an operation.
    """
    if isinstance(anchor, str):
        return
    # The operations of IR libraries know what they are called.
    name: object = getattr(anchor, "name", None)
    notes = (f"write '{name}'",) if isinstance(name, str) else ()
    raise wrong_argument("anchor", anchor, "an operation's name", *notes)


def check_nesting(nesting: object) -> None:
    """Check that `nesting` is one that there is.

    Raises:
        ValueError: it is none.
    """
    if nesting not in _NESTINGS:
        message = f"nesting must be 'explicit' or 'implicit', and is {nesting!r}"
        raise ValueError(message)


def check_pass(given: object) -> None:
    """Check that what is added to a pass manager is a pass.

    Raises:
        TypeError: it is none.
    """
    if isinstance(given, Pass):
        return
    note = "a pass of an IR library goes in by its name, as in 'builtin.module(cse)'"
    if isinstance(given, str):
        note = "parse_pass_manager(text, context) makes passes of a text"
    elif isinstance(given, type):
        note = f"make one: {given.__name__}()"
    elif isinstance(given, PassSequence):
        note = "nest() adds a manager, and add_pipeline() what one holds"
    elif isinstance(given, Iterable):
        note = "passes are added one by one"
    raise wrong_argument("add_pass()", given, "a pass", note)
