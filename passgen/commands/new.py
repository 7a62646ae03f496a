"""`passgen new`: new passes that run, from their spec to their tests."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import indent as indent_text
from typing import Final

from passgen import naming, resources
from passgen.commands.new_arguments import NewPass, parse
from passgen.commands.outcome import Outcome
from passgen.diagnostics import UserError
from passgen.generation import Options, generate, read_groups
from passgen.model import IR_LIBRARIES
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


_SCHEMA: Final = ".passgen/pass-group.schema.json"
"""The copy of the schema in a project."""


class NewPassError(UserError):
    """The pass cannot be written; the text says where and why."""


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
    schema = _find_schema(folder)
    text = _spec(spec, news, os.path.relpath(schema, folder))
    outputs = _generate(spec, text)
    own: list[OutputFile] = []
    for new in news:
        templates = {
            folder / f"{_values(new)['module']}.py": "new/implementation.py.j2",
            folder / f"tests/{new.argument}.mlir": "new/test.mlir.j2",
        }
        own += _render(templates, _values(new))
    driver = folder / f"{values['driver_module']}.py"
    shared = {driver: "new/driver.py.j2"}
    has_settings, notes = _pytest_has_settings(folder, values)
    if not has_settings:
        shared[folder / "pytest.ini"] = "new/pytest.ini.j2"
    if news[0].has_lit:
        shared[folder / "tests/lit.cfg.py"] = "new/lit.cfg.py.j2"
    files = [OutputFile(spec, text), *outputs]
    if is_new:
        must_be_new = [*files, *own, *_render(shared, values)]
        if not schema.exists():
            must_be_new.append(
                OutputFile(schema, resources.schema().read_text("utf-8"))
            )
    else:
        old = [file for file in outputs if file.path.exists()]
        if len(old) < len(outputs):
            notes.append(
                f"{spec}: note: run `passgen` on it to write its generated files"
            )
        missing = {path: text for path, text in shared.items() if not path.exists()}
        if news[0].dialect:  # which a driver that is there would not register
            missing[driver] = shared[driver]
        files = [files[0], *old]
        must_be_new = [*own, *_render(missing, values)]
    if there := [str(file.path) for file in must_be_new if file.path.exists()]:
        refusal = ": error: it exists already, and only new files are written"
        raise NewPassError("\n".join(name + refusal for name in there))
    notes += [
        f"{spec}: note: pass '{new.argument}' has the name of a flag of drivers: they "
        "run it in --pass-pipeline"
        for new in news
        if new.argument in resources.driver_flags()
    ]
    notes += _next_steps(news, folder, spec.name)
    return [*files, *(file for file in must_be_new if file not in files)], notes


def _next_steps(news: Sequence[NewPass], folder: Path, spec: str) -> list[str]:
    """Return what to do with the files of `news`, as lines for a terminal."""
    first = news[0]
    driver = f"{_values(news[0])['driver_module']}.py"
    commands = [
        f"cd {shlex.quote(str(folder))}",
        "pytest",
        f"python {driver} tests/{first.argument}.mlir {_run_flag(first)}",
    ]
    edits = {
        f"{_values(new)['module']}.py": f"implements `{new.argument}`" for new in news
    }
    edits |= {f"tests/{new.argument}.mlir": "tests it" for new in news}
    edits[spec] = f"declares it; `passgen {spec}` renews what is generated"
    width = max(map(len, edits))
    return [
        "next:",
        *(f"    {command}" for command in commands if command != "cd ."),
        "then edit:",
        *(f"    {name:{width}}  {purpose}" for name, purpose in edits.items()),
    ]


def _spec(spec: Path, news: Sequence[NewPass], schema: str) -> str:
    """Return the text of `spec`, whether it exists or not, with `news` in it.

    Args:
        spec: the file.
        news: the passes.
        schema: the path from `spec` to the schema that editors read.

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
        if not text:
            text = render("new/spec.yaml.j2", {**_values(new), "schema": schema})
            continue
        with_entry = _with_entry(text, render("new/_pass.yaml.j2", _values(new)))
        if with_entry is None:
            message = "found no block `passes:` to add the pass to, expected one"
            raise NewPassError(f"{spec}: error: {message}")
        text = with_entry
    return text.replace("\n", "\r\n") if has_crlf else text


def _generate(spec: Path, text: str) -> list[OutputFile]:
    """Return the outputs generated from `text`, the content that `spec` is to have."""
    source = SourceFile(str(spec.absolute()) if spec.exists() else spec.name, text)
    options = Options(folder=spec.parent.absolute(), project=spec.parent)
    outputs = generate([source], options).files
    return [OutputFile(spec.parent / file.path, file.text) for file in outputs]


def _run_flag(new: NewPass) -> str:
    """Return the flag of a driver that runs the pass."""
    if new.argument not in resources.driver_flags():
        return f"--{new.argument}"
    outermost = new.anchor in {"any", "builtin.module"}
    nested = new.argument if outermost else f"{new.anchor}({new.argument})"
    return f"--pass-pipeline='builtin.module({nested})'"


_VISITED: Final = {"func.func": "2", "builtin.module": "3", "any": "3"}
"""The number of operations that a pass visits in its test, by anchor."""


def _values(new: NewPass) -> dict[str, object]:
    """Return the variables of the templates."""
    group = naming.snake_case(new.group)
    # No letter apart from `_passes`, and no name of another module.
    module = f"{naming.snake_case(naming.pass_stem(new.name))}_impl"
    return {
        "name": new.name,
        "argument": new.argument,
        "run_flag": _run_flag(new),
        "group": new.group,
        "group_summary": f"Passes of the group {new.group}.",
        "summary": new.summary,
        "ir": IR_LIBRARIES[new.ir],
        "own_imports": _own_imports(new),
        "dialect": new.dialect.rpartition(":")[2],
        "anchor": new.anchor,
        "new": new,
        "visited": _VISITED.get(new.anchor, "0"),
        "module": module,
        "constructor": f"{module}:{new.name}",
        "generated_module": f"{group}_passes",
        "base_class": naming.base_class(new.name),
        "register_function": naming.register_group_function(new.group),
        "register_pipelines": naming.register_pipelines_function(new.group),
        "driver_module": f"{group}_opt",
        "program": f"{naming.kebab_case(new.group)}-opt",
    }


def _own_imports(new: NewPass) -> list[dict[str, object]]:
    """Return what the driver imports from modules of the project, in order."""
    register = naming.register_group_function(new.group)
    pipelines = naming.register_pipelines_function(new.group)
    names = {f"{naming.snake_case(new.group)}_passes": [register, pipelines]}
    if new.dialect:
        module, _, name = new.dialect.partition(":")
        names[module] = [name]
    return [{"module": module, "names": names[module]} for module in sorted(names)]


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


def _pytest_has_settings(
    folder: Path, values: Mapping[str, object]
) -> tuple[bool, list[str]]:
    """Return whether pytest has settings that stay, and a note on what these lack.

    Settings of a folder above stay out of it, unless they name the driver.
    """
    here = folder.resolve()
    note: list[str] = []
    for parent in (here, *here.parents):
        for name, section in _PYTEST_SETTINGS.items():
            path = parent / name
            text = path.read_text("utf-8", "replace") if path.is_file() else ""
            if section not in text:
                continue
            if f"{values['driver_module']}:main" in text:
                return True, []
            if parent == here and not note:
                note = [f"{path}: note: for the test, pytest needs these settings"]
                lines = render("new/pytest.ini.j2", values).splitlines()[1:]
                note += [f"    {line}" for line in lines]
    return bool(note), note


def run(argv: Sequence[str], _folder: Path | None) -> Outcome:
    """Write the files of the pass in `argv`."""
    news, folder = parse(argv)
    files, notes = plan(news, folder)
    write(files)
    return Outcome(lines=tuple(str(file.path) for file in files), messages=tuple(notes))


def _find_schema(folder: Path) -> Path:
    """Return the copy of the schema for specs in `folder`, which may have to be made.

    It is that of the folder or the nearest one above that has one.
    """
    places = (parent / _SCHEMA for parent in (folder, *folder.resolve().parents))
    return next((place for place in places if place.is_file()), folder / _SCHEMA)
