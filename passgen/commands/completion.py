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
from passgen.finding_rules import DIFF_RULES, DRIFT_RULES, LINT_RULES
from passgen.targets import TARGETS

_Run: TypeAlias = Callable[[Sequence[str], Path | None], Outcome]


def complete(line: str, function: Callable[[str], _Run]) -> Outcome:
    """Return the fragment at the end of `line`, and the words that may replace it.

    Args:
        line: the command line up to the cursor.
        function: returns the function of the command of a name.
    """
    *earlier, word = _arguments(line)
    if not earlier and not word.startswith("-"):
        return _answer(word, COMMANDS)
    has_command = bool(earlier) and earlier[0] in COMMANDS
    command = earlier[0] if has_command else "generate"
    options = _options(function(command))
    name, equals, value = word.partition("=")
    if equals and name in options:
        return _answer(value, _values(options[name], command))
    previous = options.get(earlier[-1]) if earlier else None
    if previous is not None and previous.nargs != 0:
        return _answer(word, _values(previous, command))
    if word.startswith("-"):
        return _answer(word, options)
    return Outcome(text="\n")


def _arguments(line: str) -> list[str]:
    """Return the words of `line` behind the program; the last one may be unfinished."""
    words = line.split()
    if not words or line[-1].isspace():
        words.append("")
    return words[1:] or [""]


def _answer(fragment: str, words: Iterable[str]) -> Outcome:
    """Return the text for the scripts: a line for the fragment, one for each word."""
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
