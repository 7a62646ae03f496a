"""`passgen new`: new passes that run, from their spec to their tests."""

from __future__ import annotations

import argparse
import keyword
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent as indent_text
from typing import Final

from passgen import naming
from passgen.commands.outcome import CommandParser, Outcome
from passgen.diagnostics import UserError
from passgen.findings import summary_faults
from passgen.generate import Options, generate, read_groups
from passgen.output import OutputFile, write
from passgen.render import laid_out, render
from passgen.source import SourceFile
from passgen.spec import read_source

_PYTEST_SETTINGS: Final = {
    "pytest.ini": "[pytest]",
    ".pytest.ini": "[pytest]",
    "pytest.toml": "[pytest]",
    "pyproject.toml": "[tool.pytest",
    "tox.ini": "[pytest]",
    "setup.cfg": "[tool:pytest]",
}
"""The files that may have settings of pytest, each with the section of the settings."""

_PASSES: Final = re.compile(r"passes:[ \t]*(#.*)?\n")


@dataclass(frozen=True)
class NewPass:
    """The names and the summary of the pass to write."""

    name: str
    argument: str
    group: str
    summary: str
    ir: str = "xdsl"
    """The IR library that its implementation is written for: `xdsl` or `mlir`."""

    has_lit: bool = False
    """Whether `lit` is to run its test, too."""


class NewPassError(UserError):
    """The pass cannot be written; the text says where and why."""


def default_argument(name: str) -> str:
    """Return the argument of a pass `name` in kebab case, without the word `Pass`."""
    return "-".join(naming.words(_stem(name))).lower()


def default_summary(name: str) -> str:
    """Return the words of a pass `name` as the beginning of a sentence."""
    first, *rest = naming.words(_stem(name))
    later = [word if word.isupper() else word.lower() for word in rest]
    return " ".join([first, *later])


def _stem(name: str) -> str:
    return name.removesuffix("Pass") or name


def plan(news: Sequence[NewPass], folder: Path) -> tuple[list[OutputFile], list[str]]:
    """Return the files of passes in `folder`, generated ones among them, and notes.

    If the group has a spec there, the passes become its last ones.

    Args:
        news: the passes, all of one group.
        folder: where their files are to be.

    Raises:
        SpecsError: the group, with the passes, is wrong.
        NewPassError: a pass cannot be added to its group, or files are in the way.
    """
    values = _values(news[0])
    stem = naming.snake_case(news[0].group)
    spec = folder / f"{stem}.passes.yaml"
    if not spec.exists():
        spec = folder / f"{stem}.yaml"
    is_new = not spec.exists()
    text = _spec(spec, news)
    outputs = _generate(spec, text)
    own: list[OutputFile] = []
    for new in news:
        templates = {
            folder / f"{_values(new)['module']}.py": "new/implementation.py.j2",
            folder / f"tests/{new.argument}.mlir": "new/test.mlir.j2",
        }
        own += _render(templates, _values(new))
    shared = {folder / f"{values['driver_module']}.py": "new/driver.py.j2"}
    notes: list[str] = []
    settings = _pytest_settings(folder)
    if settings is None:
        shared[folder / "pytest.ini"] = "new/pytest.ini.j2"
    elif f"{values['driver_module']}:main" not in settings.read_text(encoding="utf-8"):
        place = os.path.relpath(folder, settings.parent)
        places = {"folder": place, "tests": f"{place}/tests"}
        text_of = render("new/pytest.ini.j2", {**values, **places})
        lines = text_of.splitlines()[1:]
        notes.append(f"{settings}: note: for the test, pytest needs these settings")
        notes += [f"    {line}" for line in lines]
    if news[0].has_lit:
        shared[folder / "tests/lit.cfg.py"] = "new/lit.cfg.py.j2"
    files = [OutputFile(spec, text), *outputs]
    if is_new:
        must_be_new = [*files, *own, *_render(shared, values)]
    else:
        old = [file for file in outputs if file.path.exists()]
        if len(old) < len(outputs):
            notes.append(
                f"{spec}: note: run `passgen` on it to write its generated files"
            )
        missing = {path: text for path, text in shared.items() if not path.exists()}
        files = [files[0], *old]
        must_be_new = [*own, *_render(missing, values)]
    if there := [str(file.path) for file in must_be_new if file.path.exists()]:
        refusal = ": error: it exists already, and only new files are written"
        raise NewPassError("\n".join(name + refusal for name in there))
    return [*files, *(file for file in must_be_new if file not in files)], notes


def _spec(spec: Path, news: Sequence[NewPass]) -> str:
    """Return the text of `spec`, whether it exists or not, with `news` in it.

    Raises:
        SpecsError: it exists and is wrong.
        NewPassError: a pass is in it already, or it has no block for passes.
    """
    text = ""
    if spec.exists():
        text = read_source(str(spec)).text
        groups = read_groups([str(spec)], are_all=False).by_spec.values()
        known = {pass_.name: pass_ for group in groups for pass_ in group.passes}
        for new in news:
            if there := known.get(new.name):
                message = f"the group has a pass '{new.name}' already"
                raise NewPassError(f"{there.location}: error: {message}")
    for new in news:
        if not text:
            text = render("new/spec.yaml.j2", _values(new))
            continue
        with_entry = _with_entry(text, render("new/_pass.yaml.j2", _values(new)))
        if with_entry is None:
            message = "found no block `passes:` to add the pass to, expected one"
            raise NewPassError(f"{spec}: error: {message}")
        text = with_entry
    return text


def _generate(spec: Path, text: str) -> list[OutputFile]:
    """Return the outputs generated from `text`, the content that `spec` is to have."""
    source = SourceFile(str(spec.absolute()) if spec.exists() else spec.name, text)
    options = Options(folder=spec.parent.absolute(), project=spec.parent)
    outputs = generate([source], options).files
    return [OutputFile(spec.parent / file.path, file.text) for file in outputs]


def _values(new: NewPass) -> dict[str, object]:
    """Return the variables of the templates."""
    group = naming.snake_case(new.group)
    module = f"{naming.snake_case(_stem(new.name))}_pass"
    return {
        "name": new.name,
        "argument": new.argument,
        "group": new.group,
        "group_summary": f"Passes of the group {new.group}.",
        "summary": new.summary,
        "folder": ".",
        "tests": "tests",
        "ir": {"name": new.ir, "is_mlir": new.ir == "mlir"},
        "module": module,
        "constructor": f"{module}:{new.name}",
        "generated_module": f"{group}_passes",
        "base_class": naming.base_class(new.name),
        "register_function": naming.register_group_function(new.group),
        "driver_module": f"{group}_opt",
        "program": f"{naming.kebab_case(new.group)}-opt",
    }


def _render(
    templates: Mapping[Path, str], values: Mapping[str, object]
) -> list[OutputFile]:
    return [
        OutputFile(path, laid_out(path.name, render(template, values), path.parent))
        for path, template in templates.items()
    ]


def _with_entry(spec: str, entry: str) -> str | None:
    """Return `spec` with `entry` as the last of its passes, if these are a block."""
    match = re.search(f"^{_PASSES.pattern}", spec, re.MULTILINE)
    if match is None:
        return None
    lines = spec[match.end() :].splitlines(keepends=True)
    margin, last = "  ", 0
    for index, line in enumerate(lines):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        indent = line[: len(line) - len(line.lstrip(" "))]
        if not indent:
            break
        margin = indent if last == 0 else margin
        last = index + 1
    if last and not lines[last - 1].endswith("\n"):
        lines[last - 1] += "\n"
    lines[last:last] = [indent_text(entry, margin)]
    return spec[: match.end()] + "".join(lines)


def _pytest_settings(folder: Path) -> Path | None:
    """Return the file from which pytest takes its settings in `folder`, if any."""
    for parent in (folder, *folder.resolve().parents):
        for name, section in _PYTEST_SETTINGS.items():
            path = parent / name
            if path.is_file() and section in path.read_text("utf-8", "replace"):
                return path
    return None


_DESCRIPTION: Final = """\
Write new passes that run: their spec, the files generated from it, a driver,
and for each an implementation to start from, and a test that `pytest` runs. If
the group has a spec, the passes are added to it, and the files generated from
it are renewed. Other files are not touched."""

_EPILOG: Final = """\
examples:
  passgen new UnrollLoops
  passgen new UnrollLoops --group Loops --summary 'Unroll loops' -o loops
  passgen new FuseLoops TileLoops --group Loops -o loops
  passgen new UnrollLoops --ir=mlir --lit
"""

_ARGUMENT: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class _NewArguments(argparse.Namespace):
    names: list[str]
    group: str | None = None
    argument: str | None = None
    summary: str | None = None
    ir: str = "xdsl"
    lit: bool = False
    output: str = "."


def run(argv: Sequence[str], _folder: Path | None) -> Outcome:
    """Write the files of the pass in `argv`."""
    news, folder = _parse(argv)
    files, notes = plan(news, folder)
    write(files)
    return Outcome(lines=tuple(str(file.path) for file in files), messages=tuple(notes))


def _parse(argv: Sequence[str]) -> tuple[list[NewPass], Path]:
    parser = CommandParser("passgen new", _DESCRIPTION, _EPILOG)
    add = parser.add_argument
    add("names", metavar="NAME", nargs="+", help="a pass, in PascalCase: UnrollLoops")
    add(
        "--group",
        metavar="NAME",
        help="group of the passes, in PascalCase; by default the first NAME",
    )
    add("--argument", help="name in pipelines; by default NAME in kebab case")
    add("--summary", metavar="TEXT", help="effect of the pass, in one line")
    add("--ir", choices=("xdsl", "mlir"), help="IR of the pass; xdsl by default")
    add("--lit", action="store_true", help="write a lit.cfg.py for the test, too")
    add("-o", dest="output", metavar="DIR", help="folder to write into")
    arguments = parser.parse_args(argv, _NewArguments())
    names, group = arguments.names, arguments.group or arguments.names[0]
    _check_names(parser, names, group)
    if len(names) > 1 and (arguments.argument or arguments.summary):
        parser.error("--argument and --summary are for one pass")
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
    if not arguments.output:
        parser.error("-o takes a folder, and its name is empty")
    news: list[NewPass] = []
    for name in names:
        summary = (given or default_summary(name)).strip()
        for _, fault in summary_faults(summary):
            parser.error(f"--summary: found '{summary}', which {fault}")
        of_name = argument or default_argument(name), group, summary
        news.append(NewPass(name, *of_name, arguments.ir, arguments.lit))
    return news, Path(arguments.output)


def _check_names(parser: CommandParser, names: Sequence[str], group: str) -> None:
    """Exit with a message if a name cannot be the name of a class."""
    for flag, name in (*(("NAME", name) for name in names), ("--group", group)):
        if not naming.is_pascal_case(name):
            parser.error(
                f"{flag}: found '{name}', expected a name in PascalCase, such as "
                "'UnrollLoops'"
            )
    for name in names:
        if keyword.iskeyword(name):  # None, True, False
            parser.error(
                f"NAME: found '{name}', a word of Python, expected the name of a "
                "class, such as 'UnrollLoops'"
            )
        if names.count(name) > 1:
            parser.error(f"NAME: found '{name}' twice")
