"""Help texts and other answers of a driver: flags, passes, one pass in full."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from importlib import resources
from itertools import filterfalse
from string import Template
from typing import Any, Final

from passgen_runtime.analysis import AllAnalyses, analysis_name
from passgen_runtime.context import Context
from passgen_runtime.errors import PassError, nearest_note
from passgen_runtime.forms import FormRules
from passgen_runtime.operation_pass import Pass, description_of, outside_access_of
from passgen_runtime.pass_options import OptionInfo, PassOptions
from passgen_runtime.pass_registry import (
    PassEntry,
    PassRegistry,
    PipelineEntry,
    RegistryEntry,
    default_registry,
    has_implementation,
    parse_pass_pipeline,
)
from passgen_runtime.pass_statistics import statistic
from passgen_runtime.passes import register_all_passes
from passgen_runtime.patterns import (
    Patterns,
    library_of,
    pdl_text,
    read_pattern,
)
from passgen_runtime.remarks import declared_remarks
from passgen_runtime.textual_pipeline import ANY_ANCHOR, parse_pipeline
from passgen_tools.ir_libraries import IRLibrary
from passgen_tools.opt.command_line import Flag, UsageError
from passgen_tools.opt.completion import complete, completion_script
from passgen_tools.opt.options import DriverOptions

_WIDTH: Final = 80
_MARGIN: Final = 34
_INDENTATION: Final = "  "
_DEPRECATED: Final = "deprecated"
_MODULE: Final = "builtin.module"


def help_text(options: DriverOptions, registry: PassRegistry, *, has_more: bool) -> str:
    """Return the text of `--help`: all flags, and all passes with their options.

    Args:
        options: of the driver, with its name and all flags.
        registry: the passes to describe.
        has_more: whether there are xDSL's passes as well, which take time to import.
    """
    program = options.program
    parts = [
        _filled("usage", program=program),
        "flags:\n" + "".join(map(_flag_line, options.line.flags)),
    ]
    for title, entries in (
        ("passes", registry.passes()),
        ("pass pipelines", registry.pipelines()),
    ):
        lines = [line for entry in entries for line in _entry_lines(entry)]
        if lines:
            parts.append(f"{title}:\n{''.join(lines)}")
    if has_more:
        parts.append(_filled("more_passes"))
    return "\n".join((*parts, *_examples(program, registry)))


def _examples(program: str, registry: PassRegistry) -> Iterator[str]:
    """Yield calls of `program` that name passes of `registry`, if it has any."""
    if registry.lookup("cse") and registry.lookup("affine-loop-unroll"):
        yield _filled("examples", program=program)
        return
    for entry in filterfalse(_is_only_declared, registry.passes()):
        argument, anchor = entry.argument, entry.pass_class.anchor
        nested = argument if anchor in {None, _MODULE} else f"{anchor}({argument})"
        values = {"argument": argument, "pipeline": f"{_MODULE}({nested})"}
        yield _filled("own_examples", program=program, **values)
        return


def _filled(name: str, **values: str) -> str:
    """Return one of the texts of help with its values filled in."""
    file = resources.files(__package__).joinpath("help_texts", f"{name}.txt")
    return Template(file.read_text(encoding="utf-8")).substitute(values)


def passes_text(registry: PassRegistry) -> str:
    """Return the text of `--list-passes`: a line for each pass and pass pipeline."""
    entries: list[RegistryEntry | PipelineEntry]
    entries = [*registry.passes(), *registry.pipelines()]
    width = max((len(entry.argument) for entry in entries), default=0)
    lines = (f"{entry.argument:<{width}}  {_summary(entry)}" for entry in entries)
    return "".join(f"{line.rstrip()}\n" for line in lines)


def pass_text(
    name: str,
    registry: PassRegistry,
    make_context: Callable[[], Context] | None = None,
) -> str:
    """Return the text of `--help-pass`: everything about a pass or pipeline.

    Args:
        name: of the pass or pipeline.
        registry: holds it.
        make_context: makes a context of the IR library for which patterns are shown; by
            default they are not.

    Raises:
        UsageError: nothing of this name is registered.
    """
    entry = _found(name, registry)
    parts = [f"{entry.argument}: {entry.summary}".rstrip(": ")]
    if isinstance(entry, PipelineEntry):
        parts.append(f"a pass pipeline of {entry.origin}")
        parts.append(_contents(entry, registry))
    else:
        parts.append("\n".join(_facts(entry)))
        parts.append(description_of(entry.pass_class))
    options = "\n".join(_options_in_full(entry.options_class))
    parts.append(options and f"options:\n{options}")
    if not isinstance(entry, PipelineEntry):
        parts.append("\n".join(_statistics(entry.pass_class)))
        parts.append("".join(_remarks(entry.pass_class)))
        parts.append("\n".join(_patterns(entry.pass_class, make_context)))
    return "\n\n".join(part for part in parts if part) + "\n"


def _found(name: str, registry: PassRegistry) -> RegistryEntry | PipelineEntry:
    """Return the pass or pass pipeline called `name`.

    Raises:
        UsageError: there is none.
    """
    entry = registry.lookup(name)
    if entry is None:
        message = f"'{name}' does not refer to a registered pass or pass pipeline"
        notes = registry.explanations(name) or nearest_note(name, registry.arguments())
        raise UsageError("\n".join((message, *notes)))
    return entry


def _patterns(
    pass_class: type[Pass], make_context: Callable[[], Context] | None
) -> Iterator[str]:
    """Yield the PDL that the IR library of a context makes of patterns."""
    if not issubclass(pass_class, Patterns) or make_context is None:
        return
    context = make_context()  # the library does not keep it
    library = library_of(context)
    assert library is not None
    yield "patterns:"
    for pattern in pass_class.patterns:
        for graph in read_pattern(library, pattern):
            text = f"// {pattern.name}\n{pdl_text(graph)}"
            yield textwrap.indent(text, _INDENTATION)


def _contents(entry: PipelineEntry, registry: PassRegistry) -> str:
    """Return the passes of a pipeline, with the first anchor that it accepts."""
    anchors = sorted(registry.known_anchors() - {_MODULE, ANY_ANCHOR})
    failure = ""
    for anchor in (_MODULE, *anchors, ANY_ANCHOR):
        try:
            manager = parse_pass_pipeline(f"{anchor}({entry.argument})", registry)
        except PassError as error:
            failure = failure or str(error).partition("\n")[0]
            continue
        text = textwrap.indent(parse_pipeline(str(manager)).pretty(), _INDENTATION)
        suffix = " with default options" * bool(entry.options_class.declared_options())
        return f"consists of{suffix}:\n{text}"
    return f"cannot be built with default options: {failure}"


def type_text(info: OptionInfo) -> str:
    """Return the type of an option as help texts show it."""
    choices = "|".join(info.type.choices)
    name = choices if choices and info.type.name == "enum" else info.type.name
    return f"{name},..." if info.is_list else name


def default_text(info: OptionInfo) -> str:
    """Return the default of an option as a pipeline spells it, or nothing."""
    if info.cpp_default:
        return f"default in C++: {info.cpp_default}"
    if info.is_required:
        return "required"
    if info.default is None or (info.is_list and not info.default):
        return ""
    text = info.print(info.default) or "''"
    return f"default: {text}"


def _flag_line(flag: Flag[Any]) -> str:
    if not flag.help:
        return ""
    default = flag.default
    shown = str(default).lower() if isinstance(default, bool) else default
    suffix = "" if default is None else f" (default: {shown})"
    return _row(flag.spelling, f"{flag.help}{suffix}", 1)


def _entry_lines(entry: RegistryEntry | PipelineEntry) -> Iterator[str]:
    infos = entry.options_class.documented_options()
    suffix = "[=OPTIONS]" if infos else ""
    yield _row(f"--{entry.argument}{suffix}", _summary(entry), 1)
    for info in infos:
        text = _first_paragraph(info.description)
        marks = filter(None, (default_text(info), info.deprecated and _DEPRECATED))
        suffix = "".join(f" ({mark})" for mark in marks)
        yield _row(f"{info.argument}={type_text(info)}", f"{text}{suffix}".strip(), 3)


def _summary(entry: RegistryEntry | PipelineEntry) -> str:
    """Return the summary, and whether the pass is deprecated or only declared."""
    marks = []
    if isinstance(entry, PassEntry) and entry.pass_class.deprecated:
        marks.append(_DEPRECATED)
    if _is_only_declared(entry):
        marks.append("not implemented")
    return " ".join((entry.summary, *(f"({mark})" for mark in marks))).lstrip()


def _is_only_declared(entry: RegistryEntry | PipelineEntry) -> bool:
    return isinstance(entry, PassEntry) and not has_implementation(entry.pass_class)


def _row(left: str, right: str, depth: int) -> str:
    """Return `left` and `right` in two columns; a long `left` has a line of its own."""
    left = f"{_INDENTATION * depth}{left}"
    lines = textwrap.wrap(
        right, _WIDTH - _MARGIN, break_long_words=False, break_on_hyphens=False
    )
    rows = [f"{' ' * _MARGIN}{line}\n" for line in lines]
    if not rows or len(left) >= _MARGIN - 1:
        return "".join((f"{left}\n", *rows))
    return "".join((left, rows[0][len(left) :], *rows[1:]))


def _first_paragraph(description: str) -> str:
    return " ".join(description.partition("\n\n")[0].split()).removesuffix(".")


def _facts(entry: RegistryEntry) -> Iterator[str]:
    pass_class = entry.pass_class
    if pass_class.deprecated:
        yield f"deprecated: {pass_class.deprecated}"
    if pass_class.anchor is not None:
        yield f"runs on: {pass_class.anchor}"
    elif pass_class.interface is not None:
        yield f"runs on: operations with {pass_class.interface}"
    elif pass_class.unknown_anchor:
        yield f"runs on: operations that only C++ names: {pass_class.unknown_anchor}"
    elif pass_class.can_schedule_on is not Pass.can_schedule_on:
        yield "runs on: operations of its choice"
    else:
        yield "runs on: any operation"
    if pass_class.dependent_dialects:
        yield f"dependent dialects: {', '.join(pass_class.dependent_dialects)}"
    if pass_class.tags:
        yield f"tags: {', '.join(pass_class.tags)}"
    for rule in pass_class.ordering:
        yield str(rule)
    yield from _analyses(pass_class)
    yield from _forms(pass_class.forms)
    if reason := outside_access_of(pass_class):
        yield f"beyond the IR: {reason}"
    place = entry.implementation if isinstance(entry, PassEntry) else entry.origin
    yield f"defined by: {place}"


def _forms(rules: FormRules) -> Iterator[str]:
    for verb in ("needs", "gives", "keeps", "breaks"):
        if forms := getattr(rules, verb):
            yield f"{verb} forms: {', '.join(form.name for form in forms)}"
    if rules.creates is not None:
        yield f"creates only: {', '.join(rules.creates) or 'nothing'}"


def _analyses(pass_class: type[Pass]) -> Iterator[str]:
    preserved = pass_class.preserved_analyses
    for verb, analyses in (
        ("requires", pass_class.required_analyses),
        ("provides", pass_class.provided_analyses),
        ("preserves", () if isinstance(preserved, AllAnalyses) else preserved),
    ):
        if analyses:
            yield f"{verb} analyses: {', '.join(map(analysis_name, analyses))}"
    if isinstance(preserved, AllAnalyses):
        yield "preserves analyses: all"


def _options_in_full(options_class: type[PassOptions]) -> Iterator[str]:
    for info in options_class.documented_options():
        default = default_text(info)
        suffix = f" ({default})" if default else ""
        yield f"{_INDENTATION}{info.argument}={type_text(info)}{suffix}"
        for line in info.description.strip().splitlines():
            yield f"{_INDENTATION * 3}{line}".rstrip()
        if info.deprecated:
            yield f"{_INDENTATION * 3}deprecated: {info.deprecated}"


def _statistics(pass_class: type[Pass]) -> Iterator[str]:
    declared = [
        f"{_INDENTATION}{member.display_name} - {member.description}"
        for cls in reversed(pass_class.__mro__)
        for member in vars(cls).values()
        if isinstance(member, statistic) and cls is not Pass
    ]
    if declared:
        yield from ("statistics:", *sorted(declared))


def _remarks(pass_class: type[Pass]) -> Iterator[str]:
    """Yield the table of the remarks that a pass declares."""
    declared = declared_remarks(pass_class)
    if declared:
        yield "remarks:\n"
    for remark in declared:
        yield _row(f"{remark.name} ({remark.kind})", remark.message, 1)
        yield _row("", remark.advice, 1) if remark.advice else ""


def answer(
    options: DriverOptions,
    registry: PassRegistry | None,
    passes: Callable[[], PassRegistry],
    library: IRLibrary,
    make_context: Callable[[], Context],
) -> tuple[str, bool]:
    """Return the answer to `options`, and whether no error was found.

    Args:
        options: hold a question.
        registry: the passes of the driver, if it has its own.
        passes: returns those that are offered.
        library: brings the passes that the driver does not have.
        make_context: returns a context that knows the dialects of the driver.

    Raises:
        UsageError: it is about something that does not exist.
    """
    if options.list_plugins:
        from passgen_runtime.plugins import plugins_text

        return plugins_text(registry or library.add_passes(PassRegistry()))
    if options.help and registry is None and library.has_slow_passes:
        if options.plugins:
            passes()
        register_all_passes(default_registry)
        return help_text(options, default_registry, has_more=True), True
    if options.json:
        return _json(options, passes()), True
    return _text(options, passes, make_context), True


def _json(options: DriverOptions, passes: PassRegistry) -> str:
    from passgen_tools.opt.json_answers import entry_json, passes_json

    if options.help_pass is None:
        return passes_json(passes)
    return entry_json(_found(options.help_pass, passes))


def _text(
    options: DriverOptions,
    passes: Callable[[], PassRegistry],
    make_context: Callable[[], Context],
) -> str:
    if options.help:
        return help_text(options, passes(), has_more=False)
    if options.help_pass is not None:
        is_for_library = "ir" in options.line.given
        for_patterns = make_context if is_for_library else None
        return pass_text(options.help_pass, passes(), for_patterns)
    if options.completion is not None:
        return completion_script(options.program, options.completion)
    if options.complete is not None:
        return str(complete(options.complete, options.line.flags, passes()))
    return passes_text(passes())
