"""The questions of the command without a name, which need no spec."""

from __future__ import annotations

from passgen import resources
from passgen.commands.generate_arguments import GenerateArguments
from passgen.commands.outcome import Outcome
from passgen.version import __version__


def answer(arguments: GenerateArguments) -> Outcome:
    """Return the answer to the question in `arguments`."""
    if arguments.completion is not None:
        script = resources.completion_script(arguments.completion)
        return Outcome(text=script.read_text(encoding="utf-8"))
    if arguments.version:
        return Outcome(lines=(f"passgen {__version__}",))
    if arguments.cmake_dir:
        return Outcome(lines=(str(resources.cmake()),))
    return Outcome(lines=(str(resources.schema()),))
