"""A new pass: its spec, an implementation to go on from, a test, and its documentation.

files = new_pass(NewPass("UnrollLoops", "unroll-loops", "UnrollLoops", "Unroll loops"))
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from passgen import naming
from passgen.generate import generate
from passgen.render import render
from passgen.source import SourceFile
from passgen.targets import DEFAULT_TARGETS, TARGETS
from passgen.targets.origin import origin


@dataclass(frozen=True)
class NewPass:
    """What is to be made."""

    name: str
    argument: str
    group: str
    summary: str


@dataclass(frozen=True)
class NewFile:
    """A file to write, below the folder of the pass."""

    path: PurePosixPath
    text: str


def default_argument(name: str) -> str:
    """Return the argument of a pass `name` in kebab case, without the word `Pass`."""
    return "-".join(naming.words(_stem(name))).lower()


def default_summary(name: str) -> str:
    """Return the words of a pass `name` as the beginning of a sentence."""
    first, *rest = naming.words(_stem(name))
    later = [each if each.isupper() else each.lower() for each in rest]
    return " ".join([first, *later])


def _stem(name: str) -> str:
    return name.removesuffix("Pass") or name


def new_pass(new: NewPass) -> Iterator[NewFile]:
    """Yield the files of the pass, what `passgen` generates of its spec among them."""
    group = naming.snake_case(new.group)
    module = f"{naming.snake_case(_stem(new.name))}_pass"
    driver = f"{group}_opt.py"
    values = {
        "name": new.name,
        "argument": new.argument,
        "group": new.group,
        "group_summary": f"{new.summary}.",
        "summary": new.summary,
        "constructor": f"{module}:{new.name}",
        "generated_module": f"{group}_passes",
        "base_class": naming.base_class(new.name),
        "register_function": naming.register_group_function(new.group),
        "driver": driver,
    }
    spec = f"{group}.yaml"
    text = render("new/spec.yaml.j2", values)
    yield NewFile(PurePosixPath(spec), text)
    targets = [TARGETS[name] for name in DEFAULT_TARGETS]
    generated = generate(SourceFile(spec, text), targets, origin(spec, None))
    for file in generated.files:
        yield NewFile(PurePosixPath(file.name), file.text)
    templates = {
        f"{module}.py": "new/implementation.py.j2",
        driver: "new/driver.py.j2",
        f"tests/{new.argument}.mlir": "new/test.mlir.j2",
    }
    for path, template in templates.items():
        yield NewFile(PurePosixPath(path), render(template, values))
