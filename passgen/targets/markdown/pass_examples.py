"""The examples of passes with the pipelines that run them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from passgen.model import Example, OptionReference, Pass, SetOption
from passgen.render import fenced_block
from passgen.targets.markdown.examples import example_nesting, spell_value


@dataclass(frozen=True)
class ExampleEntry:
    """An example of a pass on a page."""

    declared: Example
    shown: str
    """What runs, as readers look for it: the pass with its options, or the pipeline."""

    pipeline: str
    """The whole textual pipeline."""

    @property
    def result(self) -> str:
        """The IR after the pass, or CHECK lines."""
        return self.declared.output or self.declared.check


def examples_of(pass_: Pass) -> tuple[ExampleEntry, ...]:
    """Return the examples of a pass, which `checks` has accepted."""
    return tuple(_entry(pass_, example) for example in pass_.examples)


def documented(pass_: Pass) -> str:
    """Return the Markdown for the docstring of a pass: an example, then the details."""
    parts: list[str] = []
    for entry in examples_of(pass_)[:1]:
        title = f"After `{entry.shown}`:"
        result = fenced_block(entry.declared.output, "mlir")
        if entry.declared.check:
            title = f"Checks of what `{entry.shown}` prints:"
            result = fenced_block(entry.declared.check, "text")
        parts += [fenced_block(entry.declared.input, "mlir"), title, result]
    return "\n\n".join([*parts, pass_.details] if pass_.details else parts)


def _entry(pass_: Pass, example: Example) -> ExampleEntry:
    if example.pipeline:
        return ExampleEntry(example, example.pipeline, example.pipeline)
    options = " ".join(_settings(pass_, example.options))
    shown = f"{pass_.argument}{{{options}}}" if options else pass_.argument
    pipeline = shown
    for operation in reversed(example_nesting(pass_)):
        pipeline = f"{operation}({pipeline})"
    return ExampleEntry(example, shown, pipeline)


def _settings(pass_: Pass, settings: tuple[SetOption, ...]) -> Iterator[str]:
    declared = {option.argument: option for option in pass_.options}
    for setting in settings:
        assert not isinstance(setting.value, OptionReference)
        value = spell_value(declared[setting.argument], setting.value)
        yield f"{setting.argument}={value}"
