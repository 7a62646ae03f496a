"""Completion of a driver's command lines: flags, passes, options and pipelines.

A shell's script passes the line up to the cursor; the answer is the fragment at its end
and the words that may replace it. The scripts hold no names of passes, so they need not
be renewed with them.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from importlib import resources
from typing import Any, Final, NamedTuple

from passgen_runtime.pass_options import PIPELINE, OptionInfo, PassOptions
from passgen_runtime.pass_registry import PassRegistry
from passgen_tools.opt.command_line import Flag
from passgen_tools.opt.options import DriverOptions

_WORD: Final = re.compile(r"""(?:[^\s'"]|'[^']*'?|"[^"]*"?)+""")
_QUOTED: Final = re.compile(r"""'([^']*)'?|"([^"]*)"?""")
"""A part of a word in quotes, of which the last one may be open."""

_NAME_AT_END: Final = re.compile(r"([^\s,(){}=]+)\s*$")
_AFTER_PART: Final = re.compile(r"[\s,(){}]")
"""A character after which a new element of a pipeline begins."""

_AFTER_VALUE: Final = re.compile(r"[\s,(){}=]")
"""A character after which a new value of an option begins."""


class Completion(NamedTuple):
    """The fragment at the end of a line, and the words that may replace it."""

    fragment: str
    candidates: tuple[str, ...]

    def __str__(self) -> str:
        """Return the text for the scripts: a line for the fragment, one a candidate."""
        return "".join(f"{line}\n" for line in (self.fragment, *self.candidates))


_NOTHING: Final = Completion("", ())


def completion_script(program: str, shell: str) -> str:
    """Return the completion script of `program` for `shell`, to be sourced by it.

    The names of the program and of a function for it are filled in.
    """
    scripts = resources.files(__package__).joinpath("completion_scripts")
    script = scripts.joinpath(f"script.{shell}").read_text(encoding="utf-8")
    function = re.sub(r"\W", "_", f"_{program}", flags=re.ASCII)
    script = script.replace("_FUNCTION", function)
    return script.replace("PROGRAM", shlex.quote(program))


def complete(
    line: str, flags: Iterable[Flag[Any]], registry: PassRegistry
) -> Completion:
    """Return completions of `line`, which is cut off at the cursor."""
    shown = {flag.name: flag for flag in flags if flag.help}
    by_name: dict[str, Flag[Any]] = {}
    for flag in shown.values():
        by_name |= dict.fromkeys(flag.aliases, flag)
    by_name |= shown
    previous, word = _last_words(line)
    if previous.startswith("-"):
        previous_flag = by_name.get(previous.lstrip("-"))
        if previous_flag is not None and previous_flag.requires_value:
            return _flag_value(previous_flag, word, registry)
    if not word.startswith("-"):
        return Completion(word, ())
    name, equals, value = word.lstrip("-").partition("=")
    if equals and name in by_name:
        return _flag_value(by_name[name], value, registry)
    if equals:
        entry = registry.lookup(name)
        return _options(value, entry.options_class, registry) if entry else _NOTHING
    # Other spellings of the same flags would only double the list.
    names = [
        f"{flag.name}=" if flag.requires_value else flag.name for flag in shown.values()
    ]
    names += registry.arguments()
    dashes = "--" if word.startswith("--") else "-"
    return _matching(word, (f"{dashes}{name}" for name in names))


def _last_words(line: str) -> tuple[str, str]:
    """Return the last two words of a shell's `line`; the last one may be unfinished."""
    words = _WORD.findall(line)
    if not words or not line.endswith(words[-1]):
        words.append("")  # the cursor is behind a blank
    last = words.pop()
    previous = words[-1] if words else ""
    return _unquote(previous), _unquote(last)


def _unquote(word: str) -> str:
    return _QUOTED.sub(r"\1\2", word)


def _flag_value(flag: Flag[Any], text: str, registry: PassRegistry) -> Completion:
    """Complete the value of a flag."""
    if flag.name == "pass-pipeline":
        return _pipeline(text, registry, is_anchored=True)
    if flag.name == DriverOptions.plugins.name:
        from passgen_runtime.plugins import installed_plugins

        names = (plugin.name for plugin in installed_plugins())
        return _matching(_last_element(text), names)
    if flag.name == "help-pass" or flag.is_list:  # the other lists are of passes
        return _matching(_last_element(text), registry.arguments())
    booleans = ("true", "false") if flag.value == "boolean" else ()
    return _matching(text, (*booleans, *flag.choices))


def _last_element(text: str) -> str:
    """Return the last element of a list with commas."""
    _, _, element = text.rpartition(",")
    return element


def _pipeline(text: str, registry: PassRegistry, *, is_anchored: bool) -> Completion:
    """Complete the end of the pipeline `text`, or of the elements of one."""
    bracket = _open_bracket(text)
    if bracket is not None and text[bracket] == "{":
        return _in_braces(text, bracket, registry)
    *_, part = _AFTER_PART.split(text)
    anchors = [f"{anchor}(" for anchor in registry.known_anchors()]
    if is_anchored and bracket is None:
        return _matching(part, anchors)
    return _matching(part, (*anchors, *registry.arguments()))


def _open_bracket(text: str) -> int | None:
    """Return the position of the innermost `(` or `{` that is not closed."""
    opened: list[int] = []
    for position, char in enumerate(text):
        if char in "({":
            opened.append(position)
        elif char in ")}" and opened:
            opened.pop()
    return opened[-1] if opened else None


def _in_braces(text: str, brace: int, registry: PassRegistry) -> Completion:
    """Complete the text behind the `{` at `brace`: options, or the value of one."""
    before, inner = text[:brace], text[brace + 1 :]
    is_value = before.endswith("=")
    # The options of the pass begin at this brace, or at the one around the value.
    before_options = before.rpartition("{")[0] if is_value else before
    pass_name = _name_at_end(before_options)
    entry = registry.lookup(pass_name) if pass_name else None
    if entry is None:
        return _NOTHING
    if not is_value:
        return _options(inner, entry.options_class, registry)
    infos = _options_by_name(entry.options_class)
    info = infos.get(_name_at_end(before.removesuffix("=")))
    return _value(inner, info, registry) if info else _NOTHING


def _name_at_end(text: str) -> str:
    """Return the name of a pass or an option at the end of `text`, or nothing."""
    match = _NAME_AT_END.search(text)
    return match[1] if match else ""


def _options(
    text: str, options_class: type[PassOptions], registry: PassRegistry
) -> Completion:
    """Complete the last of the options in `text`."""
    infos = _options_by_name(options_class)
    *_, option = re.split(r"[ \t\n]", text)
    name, equals, value = option.partition("=")
    if equals:
        return _value(value, infos[name], registry) if name in infos else _NOTHING
    names = []
    for known_name, info in infos.items():
        may_be_bare = info.type.bare is not None
        names.append(known_name if may_be_bare else f"{known_name}=")
    return _matching(name, names)


def _options_by_name(options_class: type[PassOptions]) -> dict[str, OptionInfo]:
    return {info.argument: info for info in options_class.documented_options()}


def _value(text: str, info: OptionInfo, registry: PassRegistry) -> Completion:
    """Complete the value of an option, or the last one of several."""
    if info.type is PIPELINE:
        return _pipeline(text, registry, is_anchored=False)
    *_, value = _AFTER_VALUE.split(text)
    return _matching(value, info.type.choices)


def _matching(fragment: str, candidates: Iterable[str]) -> Completion:
    """Return the candidates that begin with `fragment`, in order of the alphabet."""
    matching = {candidate for candidate in candidates if candidate.startswith(fragment)}
    return Completion(fragment, tuple(sorted(matching)))
