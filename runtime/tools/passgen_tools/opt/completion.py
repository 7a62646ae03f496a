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
from typing import Any, NamedTuple

from passgen_runtime.pass_options import PIPELINE, OptionInfo, PassOptions
from passgen_runtime.pass_registry import PassRegistry
from passgen_tools.opt.command_line import Flag
from passgen_tools.opt.options import DriverOptions

_WORD = re.compile(r"""(?:[^\s'"]|'[^']*'?|"[^"]*"?)+""")
_QUOTED = re.compile(r"""'([^']*)'?|"([^"]*)"?""")
"""A part of a word in quotes, of which the last one may be open."""

_NAME_BEFORE = re.compile(r"([^\s,(){}=]+)\s*$")
_AFTER_PART = re.compile(r"[\s,(){}]")
_AFTER_VALUE = re.compile(r"[\s,(){}=]")


class Completion(NamedTuple):
    """The fragment at the end of a line, and the words that may replace it."""

    fragment: str
    candidates: tuple[str, ...]

    def __str__(self) -> str:
        """Return the text for the scripts: a line for the fragment, one a candidate."""
        return "".join(f"{line}\n" for line in (self.fragment, *self.candidates))


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
    previous, word = _last_words(line)
    shown = {flag.name: flag for flag in flags if flag.help}
    by_name = {alias: flag for flag in shown.values() for alias in flag.aliases} | shown
    flag = by_name.get(previous.lstrip("-"))
    if previous.startswith("-") and flag is not None and flag.requires_value:
        return _flag_value(flag, word, registry)
    if not word.startswith("-"):
        return Completion(word, ())
    dashes = "-" if word.startswith("-") and not word.startswith("--") else "--"
    name, equals, value = word.lstrip("-").partition("=")
    if equals:
        if (flag := by_name.get(name)) is not None:
            return _flag_value(flag, value, registry)
        entry = registry.lookup(name)
        return _options(value, entry.options_class, registry) if entry else _NOTHING
    names = [
        # Other spellings of the same flags would only double the list.
        *(
            f"{spelling}=" if flag.requires_value else spelling
            for spelling, flag in shown.items()
        ),
        *registry.arguments(),
    ]
    return _matching(word, (f"{dashes}{candidate}" for candidate in names))


_NOTHING = Completion("", ())


def _last_words(line: str) -> tuple[str, str]:
    """Return the last two words of a shell's `line`; the last one may be unfinished."""
    words = _WORD.findall(line)
    last = words.pop() if words and line.endswith(words[-1]) else ""
    previous = words[-1] if words else ""
    return _QUOTED.sub(r"\1\2", previous), _QUOTED.sub(r"\1\2", last)


def _flag_value(flag: Flag[Any], text: str, registry: PassRegistry) -> Completion:
    if flag.name == "pass-pipeline":
        return _pipeline(text, registry, is_anchored=True)
    if flag.name == DriverOptions.plugins.name:
        from passgen_runtime.plugins import installed_plugins

        names = (plugin.name for plugin in installed_plugins())
        return _matching(text.rpartition(",")[2], names)
    if flag.name == "help-pass" or flag.is_list:  # the other lists are of passes
        return _matching(text.rpartition(",")[2], registry.arguments())
    booleans = ("true", "false") if flag.value == "boolean" else ()
    return _matching(text, (*booleans, *flag.choices))


def _pipeline(text: str, registry: PassRegistry, *, is_anchored: bool) -> Completion:
    """Complete the end of the pipeline `text`, or of the elements of one."""
    opened: list[int] = []
    for position, char in enumerate(text):
        if char in "({":
            opened.append(position)
        elif char in ")}" and opened:
            opened.pop()
    if opened and text[opened[-1]] == "{":
        return _in_braces(text, opened[-1], registry)
    part = _AFTER_PART.split(text)[-1]
    anchors = [f"{anchor}(" for anchor in registry.known_anchors()]
    if is_anchored and not opened:
        return _matching(part, anchors)
    return _matching(part, (*anchors, *registry.arguments()))


def _in_braces(text: str, brace: int, registry: PassRegistry) -> Completion:
    """Complete the text behind the `{` at `brace`: options, or the value of one."""
    before, inner = text[:brace], text[brace + 1 :]
    is_value = before.endswith("=")
    # The options of the pass begin at this brace, or at the one around the value.
    name_end = before.rfind("{") if is_value else brace
    match = _NAME_BEFORE.search(text[: max(name_end, 0)])
    entry = registry.lookup(match[1]) if match else None
    if entry is None:
        return _NOTHING
    if not is_value:
        return _options(inner, entry.options_class, registry)
    key = _NAME_BEFORE.search(before.removesuffix("="))
    infos = {info.argument: info for info in entry.options_class.documented_options()}
    info = infos.get(key[1]) if key else None
    return _value(inner, info, registry) if info else _NOTHING


def _options(
    text: str, options_class: type[PassOptions], registry: PassRegistry
) -> Completion:
    """Complete the last of the options in `text`."""
    infos = {info.argument: info for info in options_class.documented_options()}
    start = max(text.rfind(blank) for blank in " \t\n") + 1
    key, equals, value = text[start:].partition("=")
    if not equals:
        names = (
            f"{name}{'=' * (info.type.bare is None)}" for name, info in infos.items()
        )
        return _matching(key, names)
    return _value(value, infos[key], registry) if key in infos else _NOTHING


def _value(text: str, info: OptionInfo, registry: PassRegistry) -> Completion:
    if info.type is PIPELINE:
        return _pipeline(text, registry, is_anchored=False)
    return _matching(_AFTER_VALUE.split(text)[-1], info.type.choices)


def _matching(fragment: str, candidates: Iterable[str]) -> Completion:
    matching = {candidate for candidate in candidates if candidate.startswith(fragment)}
    return Completion(fragment, tuple(sorted(matching)))
