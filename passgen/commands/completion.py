"""Completion of `passgen` command lines: commands, flags and their values.

A shell's script passes the line up to the cursor; the answer is the fragment at its end
and the words that may replace it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from passgen.commands.outcome import OPTIONS_WANTED, OptionsWantedError, Outcome
from passgen.commands.table import COMMANDS
from passgen.render import render
from passgen.rules import DIFF_RULES, DRIFT_RULES, LINT_RULES
from passgen.targets import TARGETS

_Run: TypeAlias = Callable[[Sequence[str], Path | None], Outcome]


def script(shell: str) -> Outcome:
    """Return the completion script for `shell`, to be sourced by it."""
    return Outcome(text=render(f"completion/{shell}.j2", {}))


def complete(line: str, function: Callable[[str], _Run]) -> Outcome:
    """Return the fragment at the end of `line`, and the words that may replace it.

    Args:
        line: the command line up to the cursor.
        function: returns the function of the command of a name.
    """
    words = line.split()
    if not words or line[-1].isspace():
        words.append("")
    words = words[1:] or [""]
    word, previous = words[-1], words[-2] if len(words) > 1 else ""
    is_first = len(words) == 1
    if is_first and not word.startswith("-"):
        return _answer(word, COMMANDS)
    has_command = not is_first and words[0] in COMMANDS
    options = _options(function(words[0] if has_command else "generate"))
    name, equals, value = word.partition("=")
    if equals and name in options:
        return _answer(value, _values(options[name], words[0]))
    if previous in options and options[previous].nargs != 0:
        return _answer(word, _values(options[previous], words[0]))
    return _answer(word, options) if word.startswith("-") else Outcome(text="\n")


def _answer(fragment: str, words: Iterable[str]) -> Outcome:
    found = sorted(word for word in words if word.startswith(fragment))
    return Outcome(text="".join(f"{line}\n" for line in (fragment, *found)))


def _options(run: _Run) -> dict[str, argparse.Action]:
    """Return the options of the command that `run` runs, by name."""
    try:
        run(OPTIONS_WANTED, None)
    except OptionsWantedError as wanted:
        return {
            name: action
            for action in wanted.options
            for name in action.option_strings
            if action.help != argparse.SUPPRESS
        }
    raise AssertionError(run)


def _values(option: argparse.Action, command: str) -> Sequence[str]:
    """Return the values of `option` of `command`, as far as they are known."""
    if option.choices is not None:
        return [str(choice) for choice in option.choices]
    if "--target" in option.option_strings:
        return list(TARGETS)
    if "--explain" in option.option_strings:
        return list(_RULES[command])
    return []


_RULES: Final = {"diff": DIFF_RULES, "drift": DRIFT_RULES, "lint": LINT_RULES}
