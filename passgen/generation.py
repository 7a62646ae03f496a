"""The phases of a spec: read, checked, and rendered to the files of its targets.

    generated = generate(["specs/affine.yaml"], Options(targets=("python",)))
    write(generated.files)

The command line, the build hook, the site and the tests all call these functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final, TypeAlias

from passgen.checks import check, check_shared_arguments, needed_groups
from passgen.diagnostics import Diagnostic, RenderError, SpecError, UserError
from passgen.model import PassGroup
from passgen.output import OutputFile
from passgen.render import laid_out, render
from passgen.source import STDOUT, SourceFile, read_regular_file
from passgen.spec import Reader, UnreadableError, mistakes, read, read_source
from passgen.targets import Origin, Target, chosen_targets, origin_of


@dataclass(frozen=True)
class Options:
    """The arguments of the command line for the generation of files."""

    targets: tuple[str, ...] = ()
    """Names of targets; without any, Python and Markdown."""

    output: str | None = None
    """The folder of the files, or `-`; by default the current one."""

    name: str | None = None
    """The group's name; by default that of the spec or its file."""

    prefix: str | None = None
    """The start of the names of C functions; by default that of the spec."""

    template_dir: str | None = None
    """A folder of templates that override those of passgen."""

    folder: Path | None = None
    """The current folder: absolute paths below it are shown relative to it."""

    project: Path | None = None
    """A folder of the project whose settings of black apply; by default `output`."""

    @property
    def template_root(self) -> Path | None:
        """The folder of templates, if there is one."""
        return Path(self.template_dir) if self.template_dir else None

    @property
    def layout_folder(self) -> Path | None:
        """The folder whose project's settings of black apply, if any."""
        if self.project is not None or self.output == STDOUT:
            return self.project
        return Path(self.output or "")


_DEFAULTS: Final = Options()


def _no_step(_: str) -> None:
    pass


Spec: TypeAlias = str | SourceFile
"""A path, `-` for standard input, or a source file that has been read."""

Mistake: TypeAlias = SpecError | UnreadableError


@dataclass(frozen=True)
class Groups:
    """The groups that specs declare, by the names of the specs, and the warnings."""

    by_spec: Mapping[str, PassGroup]
    warnings: tuple[Diagnostic, ...]


@dataclass(frozen=True)
class Generated:
    """The outputs of specs."""

    groups: tuple[PassGroup, ...]
    files: tuple[OutputFile, ...]
    """One for each spec and target, in the order of the specs, then of the targets."""

    warnings: tuple[Diagnostic, ...]

    @property
    def inputs(self) -> tuple[str, ...]:
        """The files that were read: each spec, and then the files that it includes."""
        names = ((group.location.source.name, *group.included) for group in self.groups)
        return tuple(name for name in chain(*names) if name != "<stdin>")


class SpecsError(SpecError):
    """The messages about all specs that are wrong or unreadable, in their order."""

    def __init__(self, messages: Sequence[Diagnostic | UnreadableError]) -> None:
        """Keep `messages`, which may include warnings."""
        super().__init__(
            message for message in messages if isinstance(message, Diagnostic)
        )
        self.messages = tuple(messages)

    def __str__(self) -> str:
        """Return the messages, each on lines of its own."""
        return "\n".join(map(str, self.messages))


class TemplateError(UserError):
    """A user's template is wrong; the text says which and why."""

    def __init__(self, root: Path, error: RenderError) -> None:
        """Report `error` in a template, which may be one of `root`."""
        own = root / error.template
        place = str(own) if own.is_file() else error.template
        if error.line is not None:
            place += f":{error.line}"
        super().__init__(
            f"{place}: error: {error.reason}\n"
            f"note: templates in {root} override those of passgen"
        )


class ClashError(UserError):
    """Two outputs have the same path."""

    code = 2


def generate(
    specs: Iterable[Spec],
    options: Options = _DEFAULTS,
    step: Callable[[str], None] = _no_step,
) -> Generated:
    """Return the outputs of `specs`; nothing is written.

    Args:
        specs: the specs; they may name the passes of one another.
        options: the targets and the other arguments.
        step: called with the name of each spec before it is read, and again before it
            is checked.

    Raises:
        SpecsError: specs are wrong or cannot be read.
        UserError: a target, a template or the path of an output cannot be used.
    """
    targets = chosen_targets(options.targets, options.template_root)
    groups = read_groups(specs, options, step)
    files: list[OutputFile] = []
    warnings = [*groups.warnings]
    for spec, group in groups.by_spec.items():
        place = _origin(spec, groups.by_spec, options)
        others = [other for other in groups.by_spec.values() if other is not group]
        files += [_file(target, group, place, options, others) for target in targets]
        warnings += chain.from_iterable(target.warnings(group) for target in targets)
    _refuse_clashes(files)
    # Two targets may warn of the same.
    warned = tuple(dict.fromkeys(warnings))
    return Generated(tuple(groups.by_spec.values()), tuple(files), warned)


def read_groups(
    specs: Iterable[Spec],
    options: Options = _DEFAULTS,
    step: Callable[[str], None] = _no_step,
    *,
    are_all: bool = True,
) -> Groups:
    """Return the groups that `specs` declare, checked.

    Files that declare nothing and are included by others of `specs` are left out.

    Args:
        specs: as for `generate`.
        options: as for `generate`; only `name` and `prefix` matter here.
        step: as for `generate`.
        are_all: whether `specs` declare all passes that they name; if not, pipelines
            and ordering rules are not checked.

    Raises:
        SpecsError: specs are wrong or cannot be read.
    """
    given = {_name(spec): spec for spec in specs}
    groups: dict[str, PassGroup] = {}
    found: dict[str, Mistake] = {}
    for name, spec in given.items():
        step(name)
        try:
            groups[name] = read(_source(spec), options.name, options.prefix)
        except (SpecError, UnreadableError) as error:
            found[name] = error
    found = mistakes(found, groups.values())
    clashes = _shared_arguments(groups)
    # An unread spec may declare any pass, and of two passes either may be meant.
    are_known = are_all and not found and not clashes
    warnings: dict[str, tuple[Diagnostic, ...]] = {}
    for name, group in groups.items():
        step(name)
        others = [group for other, group in groups.items() if other != name]
        errors = clashes.get(name, [])
        try:
            warnings[name] = check(group, others if are_known else None)
        except SpecError as error:
            errors += error.diagnostics
        if errors:
            found[name] = SpecError(errors)
    if found:
        raise SpecsError([*_messages(given, found, warnings)])
    return Groups(groups, tuple(chain(*warnings.values())))


def read_group(spec: Spec, reader: Reader = read_regular_file) -> PassGroup:
    """Return the group that `spec` declares, checked except for its pipelines.

    Pipelines may name passes of other specs.

    Args:
        spec: the spec.
        reader: reads the files that it includes.

    Raises:
        SpecError: the spec is wrong; all errors of the first phase that failed.
        UnreadableError: it cannot be read.
    """
    group = read(_source(spec), reader=reader)
    check(group, others=None)
    return group


_NOT_A_SPEC: Final = """\
expected a spec in YAML, found TableGen
note: passgen import {spec} -o passes.yaml makes a spec of it"""


def _shared_arguments(
    groups: Mapping[str, PassGroup],
) -> dict[str, list[Diagnostic]]:
    """Return the arguments that an earlier spec declares, by the name of the spec."""
    earlier: list[PassGroup] = []
    found: dict[str, list[Diagnostic]] = {}
    for name, group in groups.items():
        if clashes := [*check_shared_arguments(group, earlier)]:
            found[name] = clashes
        earlier.append(group)
    return found


def _source(spec: Spec) -> SourceFile:
    if isinstance(spec, SourceFile):
        return spec
    if spec.endswith(".td"):
        raise UnreadableError(spec, _NOT_A_SPEC.format(spec=spec))
    return read_source(spec)


def _name(spec: Spec) -> str:
    return spec.name if isinstance(spec, SourceFile) else spec


def _messages(
    names: Iterable[str],
    found: Mapping[str, Mistake],
    warnings: Mapping[str, Sequence[Diagnostic]],
) -> Iterator[Diagnostic | UnreadableError]:
    for name in names:
        mistake = found.get(name)
        if isinstance(mistake, SpecError):
            yield from mistake.diagnostics
        elif mistake is not None:
            yield mistake
        yield from warnings.get(name, ())


def _origin(spec: str, groups: Mapping[str, PassGroup], options: Options) -> Origin:
    others = {name: group for name, group in groups.items() if name != spec}
    needed = needed_groups(groups[spec], list(others.values()))
    return origin_of(
        spec,
        options.folder,
        name=options.name,
        prefix=options.prefix,
        targets=options.targets,
        output=options.output,
        template_dir=options.template_dir,
        others=[name for name, group in others.items() if group in needed],
    )


def _file(
    target: Target,
    group: PassGroup,
    place: Origin,
    options: Options,
    others: Sequence[PassGroup],
) -> OutputFile:
    name, root = target.file_name(group), options.template_root
    try:
        text = render(target.template, target.values(group, place, others), root)
        text = laid_out(name, text, options.layout_folder)
    except RenderError as error:
        if root is None:
            raise
        raise TemplateError(root, error) from error
    path = Path(options.output or "", name)
    return OutputFile(path, text, place.command, place.spec)


def _refuse_clashes(files: Iterable[OutputFile]) -> None:
    """Raise `ClashError` if two of `files` have the same path."""
    specs: dict[Path, str] = {}
    for file in files:
        if file.path in specs:
            other = specs[file.path]
            clash = (
                f"two of its targets write {file.path}"
                if other == file.spec
                else f"its output {file.path} is also an output of {other}"
            )
            raise ClashError(f"{file.spec}: error: {clash}")
        specs[file.path] = file.spec
