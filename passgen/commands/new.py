"""`passgen new`: new passes that run, from their spec to their tests."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import indent as indent_text
from typing import Final

from passgen import naming, resources
from passgen.commands.new_arguments import NewPass, parse
from passgen.commands.new_driver import driver_module, driver_program, driver_values
from passgen.commands.new_project import PROJECT, Project, find_project, is_found
from passgen.commands.outcome import Outcome
from passgen.commands.pytest_settings import (
    Settings,
    file_to_edit,
    names_driver,
    with_settings,
)
from passgen.diagnostics import UserError
from passgen.generation import Options, generate, read_groups
from passgen.model import IR_LIBRARIES
from passgen.output import OutputFile, write
from passgen.render import laid_out, render
from passgen.source import SourceFile
from passgen.spec import read_source

_PASSES: Final = re.compile(r"passes:[ \t]*(#.*)?\n")


class NewPassError(UserError):
    """The pass cannot be written; the text says where and why."""


def plan(news: Sequence[NewPass], folder: Path) -> tuple[list[OutputFile], list[str]]:
    """Return the files of passes in `folder`, generated ones among them, and notes.

    If the group has a spec there, the passes become its last ones. A file that is there
    stays as it is, apart from the spec, its generated files and a `pyproject.toml`.

    Args:
        news: the passes, all of one group.
        folder: where their files are to be.

    Raises:
        SpecsError: the group, with the passes, is wrong.
        UserError: a pass cannot be added to its group, files are in the way, or the
            folder cannot be a package.
    """
    project = find_project(folder, news[0].dialect.partition(":")[0])
    spec = _spec_file(news[0], folder)
    is_new = not spec.exists()
    text = _spec(spec, news, project)
    outputs = _generate(spec, text, project)
    edited = [OutputFile(spec, text)]
    settings, added, notes = _settings(news[0], project)
    shared = {**_driver_template(news[0], project, is_new=is_new), **settings}
    lit = project.root / "tests/lit.cfg.py"
    if news[0].has_lit and (is_new or not lit.exists()):
        shared[lit] = "new/lit.cfg.py.j2"
    own = [
        *_own_files(news, project),
        *_render(shared, _values(news[0], project)),
        *_packages(project),
    ]
    if is_new:
        must_be_new = [*outputs, *own]
        if not (agents := project.root / "AGENTS.md").exists():
            must_be_new += _render(
                {agents: "new/AGENTS.md.j2"}, _commands(spec, project)
            )
        if not project.schema.exists():
            schema = resources.schema().read_text("utf-8")
            must_be_new.append(OutputFile(project.schema, schema))
    else:
        old = [file for file in outputs if file.path.exists()]
        if len(old) < len(outputs):
            notes.append(
                f"{spec}: note: run `passgen` on it to write its generated files"
            )
        edited += old
        must_be_new = own
    if there := [str(file.path) for file in must_be_new if file.path.exists()]:
        refusal = ": error: it exists already, and only new files are written"
        raise NewPassError("\n".join(name + refusal for name in there))
    notes += _further_notes(news, project, spec)
    notes.append("\n".join(_next_steps(news, project, spec)))
    return [*edited, *must_be_new, *added], notes


def _spec_file(new: NewPass, folder: Path) -> Path:
    """Return the spec of the group, which may have to be made."""
    stem = naming.snake_case(new.group)
    long = folder / f"{stem}.passes.yaml"
    return long if long.exists() else folder / f"{stem}.yaml"


def _own_files(news: Sequence[NewPass], project: Project) -> list[OutputFile]:
    """Return the implementation and the test of each pass."""
    files: list[OutputFile] = []
    for new in news:
        values = _values(new, project)
        templates = {
            project.folder / f"{_module(new)}.py": "new/implementation.py.j2",
            project.root / f"tests/{new.argument}.mlir": "new/test.mlir.j2",
        }
        files += _render(templates, values)
    return files


def _driver_template(
    new: NewPass, project: Project, *, is_new: bool
) -> dict[Path, str]:
    """Return the driver of a group, if it is to be made, with its template."""
    path = project.folder / f"{driver_module(new.group)}.py"
    # A driver that is there would not register a dialect.
    is_needed = is_new or not path.exists() or new.dialect
    return {path: "new/driver.py.j2"} if is_needed else {}


def _packages(project: Project) -> Iterator[OutputFile]:
    """Yield the `__init__.py` of each package that is to be made."""
    for folder, name in project.new_packages():
        path = {folder / "__init__.py": "new/package.py.j2"}
        yield from _render(path, {"package": name})


def _commands(spec: Path, project: Project) -> dict[str, object]:
    """Return the commands that renew and check `spec`, for `AGENTS.md`."""
    name = project.from_root(spec)
    imports = project.from_root(project.imports)
    source = [] if imports == "." else ["--source", imports]
    checks = (["passgen", "lint", name], ["passgen", "drift", *source, name])
    lines = [project.renewal(spec), *map(shlex.join, checks), "pytest"]
    return {"spec": name, "commands": "\n".join(lines)}


def _settings(
    new: NewPass, project: Project
) -> tuple[dict[Path, str], list[OutputFile], list[str]]:
    """Return how pytest gets the settings of the tests.

    Returns:
        A file of settings to be made with its template, a `pyproject.toml` with further
        settings, and a note on settings that are missing; two of them are empty.
    """
    root, driver = project.root, f"{project.package}{driver_module(new.group)}"
    if names_driver(root, driver):
        return {}, [], []
    settings = {
        "pythonpath": project.search_path,
        "mlir_tests": ["tests/**/*.mlir"],
        "mlir_tools": [f"{driver_program(new.group)} = {driver}:main"],
    }
    if path := file_to_edit(root):
        return {}, [], _lacking(path, settings, new, project)
    path = root / PROJECT
    if not path.is_file():
        if (root / "pytest.ini").exists():  # without any settings
            return {}, [], _lacking(root / "pytest.ini", settings, new, project)
        return {root / "pytest.ini": "new/pytest.ini.j2"}, [], []
    text = with_settings(path, settings)
    if text is None:
        return {}, [], _lacking(path, settings, new, project)
    return {}, [OutputFile(path, text)], []


def _lacking(
    path: Path, settings: Settings, new: NewPass, project: Project
) -> list[str]:
    """Return a note on the `settings` that the file at `path` lacks, as it has them."""
    if path.suffix == ".toml":
        lines = [f"{key} = {json.dumps(values)}" for key, values in settings.items()]
    else:
        _, *lines = render("new/pytest.ini.j2", _values(new, project)).splitlines()
    note = f"{path.resolve()}: note: for the test, pytest needs these settings"
    return ["\n".join((note, *(f"    {line}" for line in lines)))]


def _further_notes(
    news: Sequence[NewPass], project: Project, spec: Path
) -> Iterator[str]:
    """Yield notes on what does not work as a user may expect."""
    for new in news:
        if new.argument in resources.driver_flags():
            yield (
                f"{spec}: note: pass '{new.argument}' has the name of a flag of "
                "drivers: they run it in --pass-pipeline"
            )
    module = news[0].dialect.partition(":")[0]
    if module and not is_found(project, module):
        driver = project.folder / f"{driver_module(news[0].group)}.py"
        missing = f"it imports '{module}', which is not in {project.imports}"
        yield f"{driver}: note: {missing}"


def _next_steps(news: Sequence[NewPass], project: Project, spec: Path) -> Iterator[str]:
    """Yield what to do with the files of `news`, as lines for a terminal."""
    first = news[0]
    test = f"tests/{first.argument}.mlir"
    yield "next:"
    if (root := str(project.root)) != ".":
        yield f"    cd {shlex.quote(root)}"
    yield "    pytest"
    yield f"    {project.program(driver_module(first.group))} {test} {_run_flag(first)}"
    edits = {
        project.from_root(project.folder / f"{_module(new)}.py"): (
            f"implements `{new.argument}`"
        )
        for new in news
    }
    edits |= {f"tests/{new.argument}.mlir": "tests it" for new in news}
    renews = f"`{project.renewal(spec)}` renews what is generated"
    edits[project.from_root(spec)] = f"declares it; {renews}"
    width = max(map(len, edits))
    yield "then edit:"
    for name, purpose in edits.items():
        yield f"    {name:{width}}  {purpose}"


def _spec(spec: Path, news: Sequence[NewPass], project: Project) -> str:
    """Return the text of `spec`, whether it exists or not, with `news` in it.

    Raises:
        SpecsError: it exists and is wrong.
        NewPassError: a pass is in it already, or it has no block for passes.
    """
    text = ""
    has_crlf = False
    if spec.exists():
        text = read_source(str(spec)).text
        has_crlf = "\r\n" in text
        text = text.replace("\r\n", "\n")
        groups = read_groups([str(spec)], are_all=False).by_spec.values()
        known = {pass_.name: pass_ for group in groups for pass_ in group.passes}
        for new in news:
            if there := known.get(new.name):
                message = f"the group has a pass '{new.name}' already"
                raise NewPassError(f"{there.location}: error: {message}")
    for new in news:
        values = _values(new, project)
        if not text:
            text = render("new/spec.yaml.j2", values)
            continue
        with_entry = _with_entry(text, render("new/_pass.yaml.j2", values))
        if with_entry is None:
            message = "found no block `passes:` to add the pass to, expected one"
            raise NewPassError(f"{spec}: error: {message}")
        text = with_entry
    return text.replace("\n", "\r\n") if has_crlf else text


def _generate(spec: Path, text: str, project: Project) -> list[OutputFile]:
    """Return the outputs generated from `text`, the content that `spec` is to have."""
    root = project.root.absolute()
    name = spec.absolute() if spec.exists() else project.from_root(spec)
    options = Options(output=project.output, folder=root, project=spec.parent)
    outputs = generate([SourceFile(str(name), text)], options).files
    return [OutputFile(project.root / file.path, file.text) for file in outputs]


def _run_flag(new: NewPass) -> str:
    """Return the flag of a driver that runs the pass."""
    if new.argument not in resources.driver_flags():
        return f"--{new.argument}"
    outermost = new.anchor in {"any", "builtin.module"}
    nested = new.argument if outermost else f"{new.anchor}({new.argument})"
    return f"--pass-pipeline='builtin.module({nested})'"


_VISITED: Final = {"func.func": "2", "builtin.module": "3", "any": "3"}
"""The number of operations that a pass visits in its test, by anchor."""


def _module(new: NewPass) -> str:
    """Return the module of the implementation, in the folder of the spec."""
    # No letter apart from `_passes`, and no name of another module.
    return f"{naming.snake_case(naming.pass_stem(new.name))}_impl"


def _values(new: NewPass, project: Project) -> dict[str, object]:
    """Return the variables of the templates."""
    package = project.package
    group = naming.snake_case(new.group)
    return {
        "name": new.name,
        "argument": new.argument,
        "run_flag": _run_flag(new),
        "group_summary": f"Passes of the group {new.group}.",
        "summary": new.summary,
        "schema": Path(os.path.relpath(project.schema, project.folder)).as_posix(),
        "ir": IR_LIBRARIES[new.ir],
        "anchor": new.anchor,
        "new": new,
        "visited": _VISITED.get(new.anchor, "0"),
        "constructor": f"{package}{_module(new)}:{new.name}",
        "generated_module": f"{package}{group}_passes",
        "base_class": naming.base_class(new.name),
        "driver_module": f"{package}{driver_module(new.group)}",
        "search_path": project.search_path,
        "project": project,
        **driver_values(new.group, package, new.ir_flag, new.dialect),
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


def run(argv: Sequence[str], _folder: Path | None) -> Outcome:
    """Write the files of the pass in `argv`."""
    news, folder = parse(argv)
    files, notes = plan(news, folder)
    write(files)
    return Outcome(lines=tuple(str(file.path) for file in files), messages=tuple(notes))
