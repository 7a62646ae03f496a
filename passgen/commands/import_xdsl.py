"""`passgen import --xdsl`: xDSL's passes to a spec, and the passes that apply them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from passgen import naming
from passgen.commands.new_driver import driver_module, driver_values
from passgen.commands.new_project import find_project
from passgen.commands.outcome import EXIT_FINE, EXIT_WRONG, Outcome
from passgen.diagnostics import Diagnostic, SpecError, UserError
from passgen.generation import read_group
from passgen.model import Option, PassGroup
from passgen.module_passes import import_module_passes
from passgen.output import OutputFile, write
from passgen.render import laid_out, render
from passgen.source import SourceFile


@dataclass(frozen=True)
class _File:
    """The file of all implementations."""

    generated_module: str
    modules: tuple[str, ...]
    base_classes: tuple[str, ...]
    classes: Mapping[str, str]
    has_enums: bool


def import_passes(
    origin: str, sources: list[str], name: str | None, spec: Path | None
) -> Outcome:
    """Write the `spec` of the passes of `origin`, and what runs them beside it.

    That is a file of their implementations, and a driver, which stays if it is there.

    Args:
        origin: a module or an object of it.
        sources: folders where modules are looked for.
        name: the group's name; see `import_module_passes`.
        spec: the file to write; `None` prints the spec.
    """
    stem = naming.snake_case(naming.group_name(spec.name)) if spec else "passes"
    own = Path(spec.parent if spec else "", f"{stem}_implementations.py")
    if spec and own.exists():  # its author may have changed it
        raise UserError(f"{own}: error: the file exists, and is not overwritten")
    package = find_project(own.parent).package
    imported = import_module_passes(
        origin, [*map(Path, sources)], name, f"{package}{own.stem}" if spec else ""
    )
    if not imported.classes:  # a spec of no passes is of no use
        return Outcome(messages=imported.diagnostics, code=EXIT_WRONG)
    messages: list[Diagnostic | UserError | str] = []
    outputs = [OutputFile(spec, imported.text)] if spec else []
    is_right = all(found.severity != "error" for found in imported.diagnostics)
    try:
        group = read_group(SourceFile(str(spec or f"{stem}.yaml"), imported.text))
    except SpecError as error:  # the file is written nevertheless, to be corrected
        messages, is_right = [*error.diagnostics], False
    else:
        messages.append("\n".join(_table(group, imported.classes)))
        text = _implementations(group, imported.classes, package)
        if spec:
            driver = own.with_name(f"{driver_module(group.title)}.py")
            values = driver_values(group.title, package, name=group.name)
            texts = {own: text, driver: render("new/driver.py.j2", values)}
            outputs += [
                OutputFile(path, laid_out(path.name, text, path.parent))
                for path, text in texts.items()
                if path == own or not path.exists()
            ]
    write(outputs)
    return Outcome(
        text="" if spec else imported.text,
        lines=tuple(str(output.path) for output in outputs),
        messages=(*messages, *imported.diagnostics),
        code=EXIT_FINE if is_right else EXIT_WRONG,
    )


def _table(group: PassGroup, classes: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each pass: its argument, its class and its options."""
    rows = [
        (pass_.argument, classes[pass_.name], pass_.options) for pass_ in group.passes
    ]
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    for argument, class_name, options in rows:
        cells = argument.ljust(widths[0]), class_name.ljust(widths[1])
        yield "  ".join((*cells, ", ".join(map(_described, options)))).rstrip()


def _described(option: Option) -> str:
    words = [option.presence, "list of" * option.is_list, option.type.name]
    return f"{option.argument}: {' '.join(filter(None, words))}"


def _implementations(group: PassGroup, classes: Mapping[str, str], package: str) -> str:
    file = _File(
        generated_module=f"{package}{naming.snake_case(group.title)}_passes",
        modules=tuple(sorted({name.partition(":")[0] for name in classes.values()})),
        base_classes=tuple(sorted(map(naming.base_class, classes))),
        classes=classes,
        has_enums=any(option.type.enum_name for option in group.options),
    )
    return render("import/implementations.py.j2", {"group": group, "file": file})
