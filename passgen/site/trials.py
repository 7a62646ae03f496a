"""Trials: links that run an example in a playground."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from passgen.model import IR_LIBRARIES, PassGroup
from passgen.targets import markdown
from passgen.targets.markdown import ExampleEntry, PassEntry

_IR: Final = "```mlir"
_RESULT: Final = "^After `({}(?:{{[^`]*}})?)`:$"
"""How a description introduces the IR after the pass."""


@dataclass(frozen=True)
class Trial:
    """A link to a playground, which runs IR of the page."""

    playground: str
    """The folder of the playground in the site."""

    pipeline: str
    """What runs; if it is empty, the link only opens the playground."""

    is_of_pass: bool = False
    """Whether it runs the first IR of the page; else the IR above the link."""

    ir: str = ""
    """What it runs instead, if it is not empty."""

    @property
    def document(self) -> str:
        """The page of the playground."""
        return f"{self.playground}/index"


def trials_of(entry: PassEntry, playground: str) -> tuple[Trial, ...]:
    """Return the trial of the first IR in the description of a pass, if there is one.

    There is none without a playground, without IR, or without a Python class that
    implements the pass; nor if the pass has examples, which have trials themselves. The
    options are those from which the description says its result comes, if it does.
    """
    declared = entry.declared
    if entry.examples:
        return ()
    if not playground or _IR not in declared.details or not declared.constructor:
        return ()
    argument = re.escape(declared.argument)
    pipeline = entry.example
    found = re.search(_RESULT.format(argument), declared.details, re.MULTILINE)
    if found is not None:
        options = rf"{argument}(\{{.*\}})?"
        pipeline = re.sub(options, lambda _: found[1], pipeline, count=1)
    return (Trial(playground, pipeline, is_of_pass=True),)


@dataclass(frozen=True)
class RunnableExample:
    """An example of a pass, and the links that run it: one at most."""

    entry: ExampleEntry
    trials: tuple[Trial, ...]


def runnable_examples(
    entry: PassEntry, group: PassGroup, playground: str
) -> tuple[RunnableExample, ...]:
    """Return the examples of a pass with links to the playground, if there is one.

    A playground runs passes that Python implements, on IR of a library in Python.
    """
    declared = entry.declared
    is_python = bool(declared.constructor or declared.patterns)
    found = []
    for example in entry.examples:
        library = IR_LIBRARIES.get(example.declared.ir, group.library)
        runs = playground and is_python and (library is None or library.is_python)
        trial = Trial(playground, example.pipeline, ir=example.declared.input)
        trials = (trial,) if runs else ()
        found.append(RunnableExample(example, trials))
    return tuple(found)


_EMPTY: Final = "func.func @main() {\n  func.return\n}\n"


def empty_example(groups: Iterable[PassGroup]) -> dict[str, str]:
    """Return `ir` and `pipeline` to open a playground with that runs no example.

    The pipeline is one that a Python class runs, of the first group that has any.
    """
    pages = [markdown.page_of(group) for group in groups]
    pipelines = [
        entry.example
        for page in pages
        for entry in page.passes
        if entry.declared.constructor and entry.example
    ]
    return {"ir": _EMPTY, "pipeline": next(iter(pipelines), "builtin.module()")}


def first_example(groups: Iterable[PassGroup]) -> dict[str, str] | None:
    """Return `ir` and `pipeline` of the first example that a playground runs."""
    for group in groups:
        for entry in markdown.page_of(group).passes:
            for example in runnable_examples(entry, group, "playground"):
                for trial in example.trials:
                    return {"ir": f"{trial.ir}\n", "pipeline": trial.pipeline}
            for trial in trials_of(entry, "playground"):
                _, _, rest = entry.declared.details.partition(f"{_IR}\n")
                ir = rest.partition("```")[0]
                return {"ir": ir, "pipeline": trial.pipeline}
    return None
