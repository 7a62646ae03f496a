"""The declarations of a pass class, checked when the class is made."""

from __future__ import annotations

import inspect
from typing import Final

from passgen_runtime.analysis import AllAnalyses
from passgen_runtime.errors import PassOptionError, wrong_argument
from passgen_runtime.pass_options import PassOptions, check_is_dataclass

_TUPLES: Final = (
    "dependent_dialects",
    "tags",
    "ordering",
    "required_analyses",
    "provided_analyses",
    "preserved_analyses",
)


def check_declaration(cls: type) -> None:
    """Check the declarations in the body of `cls`, a pass class.

    Raises:
        TypeError: an attribute is not the tuple that it must be, or calling
            `run_on_operation` would do nothing.
    """
    for name in _TUPLES:
        value = vars(cls).get(name, ())
        # The value of a descriptor is not known yet.
        if not isinstance(value, tuple | AllAnalyses) and not hasattr(value, "__get__"):
            raise wrong_argument(f"{name} of {cls.__qualname__}", value, "a tuple")
    work = vars(cls).get("run_on_operation")
    if inspect.isgeneratorfunction(work) or inspect.iscoroutinefunction(work):
        message = (
            f"run_on_operation of {cls.__qualname__} is a generator or a coroutine: "
            "calling it would do nothing"
        )
        raise TypeError(message)


def check_options_class(cls: type, options: object) -> None:
    """Check the class of the options of `cls`, a pass class.

    Raises:
        PassOptionError: it is no `PassOptions`, or no dataclass.
    """
    if not isinstance(options, type) or not issubclass(options, PassOptions):
        message = (
            f"{cls.__module__}.{cls.__qualname__} has the options {options!r}, which "
            "is no subclass of PassOptions"
        )
        raise PassOptionError(message)
    check_is_dataclass(options)
