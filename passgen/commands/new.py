"""`passgen new`: a new pass that runs, from its spec to its test."""

from __future__ import annotations

import argparse
import keyword
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from passgen import naming
from passgen.commands.outcome import EXIT_WRONG, CommandParser, Outcome
from passgen.findings import summary_faults
from passgen.generate import Options, generate
from passgen.output import OutputFile, write
from passgen.render import laid_out, render
from passgen.source import SourceFile


@dataclass(frozen=True)
class NewPass:
    """The names and the summary of the pass to write."""

    name: str
    argument: str
    group: str
    summary: str


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


def new_pass(new: NewPass, folder: Path) -> Iterator[OutputFile]:
    """Yield the files of the pass in `folder`, generated ones among them."""
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
    yield OutputFile(folder / spec, text)
    for file in generate([SourceFile(spec, text)], Options(project=folder)).files:
        yield OutputFile(folder / file.path, file.text)
    templates = {
        f"{module}.py": "new/implementation.py.j2",
        driver: "new/driver.py.j2",
        f"tests/{new.argument}.mlir": "new/test.mlir.j2",
    }
    for path, template in templates.items():
        text = laid_out(path, render(template, values), folder)
        yield OutputFile(folder / path, text)


_DESCRIPTION: Final = """\
Write a new pass that runs: its spec, the files generated from it, an
implementation to go on from, a driver, and a FileCheck test. Existing files are
not touched."""

_EPILOG: Final = """\
examples:
  passgen new UnrollLoops
  passgen new UnrollLoops --group Loops --summary 'Unroll loops' -o loops
"""

_ARGUMENT: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(slots=True)
class _Arguments(argparse.Namespace):
    name: str = ""
    group: str | None = None
    argument: str | None = None
    summary: str | None = None
    output: str = "."


def run(argv: Sequence[str], _folder: Path | None) -> Outcome:
    """Write the files of the pass in `argv`."""
    new, folder = _parse(argv)
    files = list(new_pass(new, folder))
    taken = [
        f"{file.path}: error: it exists, and only new files are written"
        for file in files
        if file.path.exists()
    ]
    if files[0].path.exists():
        taken.append("note: a further pass of a group is a further entry of its spec")
    if taken:
        return Outcome(messages=tuple(taken), code=EXIT_WRONG)
    write(files)
    return Outcome(lines=tuple(str(file.path) for file in files))


def _parse(argv: Sequence[str]) -> tuple[NewPass, Path]:
    parser = CommandParser("passgen new", _DESCRIPTION, _EPILOG)
    add = parser.add_argument
    add("name", metavar="NAME", help="the pass, in PascalCase: UnrollLoops")
    add("--group", metavar="NAME", help="its group, in PascalCase; by default NAME")
    add("--argument", help="its name in pipelines; by default NAME in kebab case")
    add("--summary", metavar="TEXT", help="what it does, in one line")
    add("-o", dest="output", metavar="DIR", help="folder to write into")
    arguments = parser.parse_args(argv, _Arguments())
    for flag, name in (("NAME", arguments.name), ("--group", arguments.group)):
        if name is not None and not naming.is_pascal_case(name):
            parser.error(
                f"{flag}: found '{name}', expected a name in PascalCase, such as "
                "'UnrollLoops'"
            )
    if keyword.iskeyword(arguments.name):  # None, True, False
        parser.error(
            f"NAME: found '{arguments.name}', a word of Python, expected the name of a "
            "class, such as 'UnrollLoops'"
        )
    argument = arguments.argument
    if argument is not None and not _ARGUMENT.fullmatch(argument):
        parser.error(
            f"--argument: found '{argument}', expected a name in kebab case, such as "
            "'unroll-loops'"
        )
    given = arguments.summary
    if given is not None and not given.isprintable():
        parser.error("--summary takes one line of text")
    if given is not None and not given.strip():
        parser.error("--summary takes one line of text, and it is empty")
    summary = (given or default_summary(arguments.name)).strip()
    for _, fault in summary_faults(summary):
        parser.error(f"--summary: found '{summary}', which {fault}")
    if not arguments.output:
        parser.error("-o takes a folder, and its name is empty")
    new = NewPass(
        arguments.name,
        argument or default_argument(arguments.name),
        arguments.group or arguments.name,
        summary,
    )
    return new, Path(arguments.output)
