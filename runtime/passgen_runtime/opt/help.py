"""Help texts and other answers of `passgen-opt`: flags, passes, one pass in full."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from passgen_runtime.errors import nearest_note
from passgen_runtime.operation_pass import Pass, description_of
from passgen_runtime.opt.command_line import Flag, UsageError
from passgen_runtime.opt.completion import complete, completion_script
from passgen_runtime.opt.flags import FLAGS
from passgen_runtime.opt.ir_library import IRLibrary
from passgen_runtime.opt.options import DriverOptions
from passgen_runtime.pass_options import OptionInfo, PassOptions
from passgen_runtime.pass_registry import (
    PassClassEntry,
    PassRegistry,
    PipelineEntry,
    RegistryEntry,
    default_registry,
    has_implementation,
)
from passgen_runtime.pass_statistics import statistic
from passgen_runtime.passes import register_all_passes

_WIDTH: Final = 80
_MARGIN: Final = 34
_INDENTATION: Final = "  "

_USAGE = """\
usage: passgen-opt [FLAG]... [INPUT]

Run passes on an .mlir file: those of --pass-pipeline, or those given as flags,
in their order. INPUT is standard input if it is not given or -. Flags take one
dash or two; those that begin with mlir- may be given without it.
"""

_EXAMPLES = """\
examples:
  passgen-opt input.mlir --pass-pipeline='builtin.module(func.func(cse))'
  passgen-opt input.mlir --cse \\
      --affine-loop-unroll='unroll-factor=4 cleanup-unroll'
  passgen-opt input.mlir --mlir-pass-statistics \\
      -p 'builtin.module(func.func(affine-loop-unroll{unroll-factor=4}))'
  passgen-opt --help-pass=affine-loop-unroll
"""

_MORE = """\
xDSL's passes are flags as well: --list-passes lists them, --help-pass describes
one.
"""


def help_text(flags: Iterable[Flag], registry: PassRegistry, *, has_more: bool) -> str:
    """Return the text of `--help`: all flags, and all passes with their options.

    Args:
        flags: those of the driver.
        registry: the passes to describe.
        has_more: whether there are xDSL's passes as well, which take time to import.
    """
    parts = [_USAGE, "flags:\n" + "".join(map(_flag_line, flags))]
    for title, entries in (
        ("passes", registry.passes()),
        ("pass pipelines", registry.pipelines()),
    ):
        lines = [line for entry in entries for line in _entry_lines(entry)]
        if lines:
            parts.append(f"{title}:\n{''.join(lines)}")
    if has_more:
        parts.append(_MORE)
    return "\n".join((*parts, _EXAMPLES))


def passes_text(registry: PassRegistry) -> str:
    """Return the text of `--list-passes`: a line for each pass and pass pipeline."""
    entries: list[RegistryEntry | PipelineEntry]
    entries = [*registry.passes(), *registry.pipelines()]
    width = max((len(entry.argument) for entry in entries), default=0)
    lines = (f"{each.argument:<{width}}  {_summary(each)}".rstrip() for each in entries)
    return "".join(f"{line}\n" for line in lines)


def pass_text(name: str, registry: PassRegistry) -> str:
    """Return the text of `--help-pass`: everything about a pass or pipeline.

    Raises:
        UsageError: nothing of this name is registered.
    """
    entry = registry.lookup(name)
    if entry is None:
        message = f"'{name}' does not refer to a registered pass or pass pipeline"
        notes = registry.explanations(name) or nearest_note(name, registry.arguments())
        raise UsageError("\n".join((message, *notes)))
    parts = [f"{entry.argument}: {entry.summary}".rstrip(": ")]
    if isinstance(entry, PipelineEntry):
        parts.append(f"a pass pipeline of {entry.origin}")
    else:
        parts.append("\n".join(_facts(entry)))
        parts.append(description_of(entry.pass_class))
    options = "\n".join(_options_in_full(entry.options_class))
    parts.append(options and f"options:\n{options}")
    if not isinstance(entry, PipelineEntry):
        parts.append("\n".join(_statistics(entry.pass_class)))
    return "\n\n".join(part for part in parts if part) + "\n"


def type_text(info: OptionInfo) -> str:
    """Return the type of an option as help texts show it."""
    choices = "|".join(info.type.choices)
    name = choices if choices and info.type.name == "enum" else info.type.name
    return f"{name},..." if info.is_list else name


def default_text(info: OptionInfo) -> str:
    """Return the default of an option as a pipeline spells it, or nothing."""
    if info.cpp_default:
        return f"default in C++: {info.cpp_default}"
    if info.default is None or (info.is_list and not info.default):
        return ""
    return f"default: {info.print(info.default) or _EMPTY}"


_EMPTY = "''"


def _flag_line(flag: Flag) -> str:
    if not flag.help:
        return ""
    default = flag.default
    shown = str(default).lower() if isinstance(default, bool) else default
    suffix = "" if default is None else f" (default: {shown})"
    return _row(flag.spelling, f"{flag.help}{suffix}", 1)


def _entry_lines(entry: RegistryEntry | PipelineEntry) -> Iterator[str]:
    infos = entry.options_class.described()
    suffix = "[=OPTIONS]" if infos else ""
    yield _row(f"--{entry.argument}{suffix}", _summary(entry), 1)
    for info in infos:
        text = _first_paragraph(info.description)
        default = default_text(info)
        suffix = f" ({default})" if default else ""
        yield _row(f"{info.argument}={type_text(info)}", f"{text}{suffix}".strip(), 3)


def _summary(entry: RegistryEntry | PipelineEntry) -> str:
    """Return the summary, and whether the pass is declared and no more."""
    if isinstance(entry, PassClassEntry) and not has_implementation(entry.pass_class):
        return f"{entry.summary} (not implemented)".lstrip()
    return entry.summary


def _row(left: str, right: str, depth: int) -> str:
    """Return `left` and `right` in two columns; a long `left` has a line of its own."""
    left = f"{_INDENTATION * depth}{left}"
    lines = textwrap.wrap(
        right,
        _WIDTH - _MARGIN,
        break_long_words=False,
        break_on_hyphens=False,
    )
    rows = [f"{' ' * _MARGIN}{line}\n" for line in lines]
    if not rows or len(left) >= _MARGIN - 1:
        return "".join((f"{left}\n", *rows))
    return "".join((left, rows[0][len(left) :], *rows[1:]))


def _first_paragraph(description: str) -> str:
    paragraph = " ".join(description.partition("\n\n")[0].split())
    return paragraph.removesuffix(".")


def _facts(entry: RegistryEntry) -> Iterator[str]:
    pass_class = entry.pass_class
    if pass_class.deprecated:
        yield f"deprecated: {pass_class.deprecated}"
    interface = getattr(pass_class, "interface", None)
    if pass_class.anchor is not None:
        yield f"runs on: {pass_class.anchor}"
    elif interface is not None:
        yield f"runs on: operations with {interface}"
    elif pass_class.unknown_anchor:
        yield f"runs on: operations that only C++ names: {pass_class.unknown_anchor}"
    elif pass_class.can_schedule_on is not Pass.can_schedule_on:
        yield "runs on: operations of its choice"
    else:
        yield "runs on: any operation"
    if pass_class.dependent_dialects:
        yield f"dependent dialects: {', '.join(pass_class.dependent_dialects)}"
    yield f"defined by: {entry.origin}"


def _options_in_full(options_class: type[PassOptions]) -> Iterator[str]:
    for info in options_class.described():
        default = default_text(info)
        suffix = f" ({default})" if default else ""
        yield f"{_INDENTATION}{info.argument}={type_text(info)}{suffix}"
        for line in info.description.strip().splitlines():
            yield f"{_INDENTATION * 3}{line}".rstrip()
        if info.deprecated:
            yield f"{_INDENTATION * 3}deprecated: {info.deprecated}"


def _statistics(pass_class: type[Pass]) -> Iterator[str]:
    declared = [
        member
        for cls in reversed(pass_class.__mro__)
        for member in vars(cls).values()
        if isinstance(member, statistic)
    ]
    if declared:
        yield "statistics:"
    for each in sorted(declared, key=lambda each: each.display_name):
        yield f"{_INDENTATION}{each.display_name} - {each.description}"


class Answer(NamedTuple):
    """The text to print, and whether nothing wrong was found."""

    text: str
    is_fine: bool = True


def answer(
    options: DriverOptions,
    registry: PassRegistry | None,
    passes: Callable[[], PassRegistry],
    library: IRLibrary,
) -> Answer:
    """Return the answer to `options`.

    Args:
        options: hold a question.
        registry: the passes of the driver, if it has its own.
        passes: returns those that are offered.
        library: brings the passes that the driver does not have.

    Raises:
        UsageError: it is about something that does not exist.
    """
    if options.list_plugins:
        from passgen_runtime.plugins import plugins_text

        return Answer(*plugins_text(registry or library.scratch_registry()))
    if options.help:
        return Answer(_help(options, registry, passes, library))
    return Answer(_text(options, passes))


def _help(
    options: DriverOptions,
    registry: PassRegistry | None,
    passes: Callable[[], PassRegistry],
    library: IRLibrary,
) -> str:
    if registry is not None or not library.has_slow_passes:
        return help_text(FLAGS, passes(), has_more=False)
    if options.plugins:
        passes()
    register_all_passes(default_registry)
    return help_text(FLAGS, default_registry, has_more=True)


def _text(options: DriverOptions, passes: Callable[[], PassRegistry]) -> str:
    if options.version:
        from importlib.metadata import version

        return f"passgen-opt {version('mlir-passgen-runtime')}\n"
    if options.help_pass is not None:
        return pass_text(options.help_pass, passes())
    if options.completion is not None:
        return completion_script(options.completion)
    if options.complete is not None:
        return str(complete(options.complete, FLAGS, passes()))
    return passes_text(passes())
