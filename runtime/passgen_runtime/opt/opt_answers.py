"""What `passgen-opt` answers to questions about itself, instead of running passes."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple

from passgen_runtime.opt.completion import complete, completion_script
from passgen_runtime.opt.flags import FLAGS, Request
from passgen_runtime.opt.help import help_text, pass_text, passes_text
from passgen_runtime.opt.ir_library import IRLibrary
from passgen_runtime.pass_registry.pass_registry import PassRegistry, default_registry
from passgen_runtime.opt.shipped_passes import register_own_passes


class Answer(NamedTuple):
    """What is printed."""

    text: str
    is_fine: bool = True
    """Whether nothing wrong was found."""


def answer(
    request: Request,
    registry: PassRegistry | None,
    passes: Callable[[], PassRegistry],
    library: IRLibrary,
) -> Answer:
    """Return the answer to `request`.

    Args:
        request: a question.
        registry: the passes of the driver, if it has its own.
        passes: returns those that are offered.
        library: brings the passes that the driver does not have.

    Raises:
        UsageError: it is about something that does not exist.
    """
    if request.list_plugins:
        plugins = import_module("passgen_runtime.plugins")
        return Answer(*plugins.plugins_text(registry or library.scratch_registry()))
    if request.help:
        return Answer(_help(request, registry, passes, library))
    return Answer(_text(request, passes))


def _help(
    request: Request,
    registry: PassRegistry | None,
    passes: Callable[[], PassRegistry],
    library: IRLibrary,
) -> str:
    if registry is not None or not library.has_slow_passes:
        return help_text(FLAGS, passes(), has_more=False)
    if request.plugins:
        passes()
    register_own_passes(default_registry)
    return help_text(FLAGS, default_registry, has_more=True)


def _text(request: Request, passes: Callable[[], PassRegistry]) -> str:
    if request.version:
        version = import_module("importlib.metadata").version("mlir-passgen-runtime")
        return f"passgen-opt {version}\n"
    if request.help_pass is not None:
        return pass_text(request.help_pass, passes())
    if request.completion is not None:
        return completion_script(request.completion)
    if request.complete is not None:
        return str(complete(request.complete, FLAGS, passes()))
    return passes_text(passes())
