"""`passgen watch`: files, renewed whenever a spec changes or one of them is gone."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from passgen.commands.generate import (
    GenerateArguments,
    generate_outputs,
    parse_to_write,
)
from passgen.commands.outcome import EXIT_FINE, CommandParser, Outcome
from passgen.diagnostics import UserError

_DESCRIPTION: Final = """\
Generate files from specs, and again whenever a spec, another YAML file in its
folder, an included file or a template of --template-dir changes, or a generated
file is gone. Ctrl-C ends it."""

_EPILOG: Final = """\
examples:
  passgen watch specs/*.yaml
  passgen watch --target python -o gen specs/affine.yaml
"""

INTERVAL_S: Final = 0.3
"""The time between two checks of the files."""


def run(argv: Sequence[str], folder: Path | None) -> Outcome:
    """Generate what `argv` asks for, again after each change, until Ctrl-C."""
    parser = CommandParser("passgen watch", _DESCRIPTION, _EPILOG)
    arguments = parse_to_write(argv, parser)
    return Outcome(following=_outcomes(arguments, folder))


def _outcomes(arguments: GenerateArguments, folder: Path | None) -> Iterator[Outcome]:
    """Yield the outcome of a run now, and of one after each change."""
    included: set[Path] = set()
    with contextlib.suppress(KeyboardInterrupt):  # which is how it ends
        while True:
            before = _state({*included, *_files(arguments)})
            outcome = _outcome(arguments, folder)
            yield outcome
            more = {Path(input_) for input_ in outcome.inputs} - before.keys()
            included |= more
            before |= _state(more)
            written = _times_written(arguments, outcome)
            while (
                all(path.exists() for path in written)
                and _state({*included, *_files(arguments)}) == before
            ):
                time.sleep(INTERVAL_S)


def _times_written(arguments: GenerateArguments, outcome: Outcome) -> list[Path]:
    """Return the files that the run with `outcome` wrote, none if a spec is wrong."""
    if outcome.code != EXIT_FINE:
        return []
    names = (*outcome.lines, arguments.depfile, arguments.outputs_file)
    return [Path(name) for name in names if name is not None]


def _outcome(arguments: GenerateArguments, folder: Path | None) -> Outcome:
    try:
        return generate_outputs(arguments, folder)
    except UserError as error:
        return Outcome(messages=(str(error),), code=error.code)


def _files(arguments: GenerateArguments) -> set[Path]:
    """Return the specs, all YAML in their folders, and the user's own templates."""
    files = {Path(spec) for spec in arguments.specs}
    # The includes of a wrong spec are not known, and most likely lie beside it.
    for folder in {spec.parent for spec in files}:
        files |= {*folder.glob("*.yaml"), *folder.glob("*.yml")}
    # The settings of black for generated Python may come and go.
    outputs = (arguments.options(None).layout_folder or Path()).absolute()
    files |= {folder / "pyproject.toml" for folder in (outputs, *outputs.parents)}
    if arguments.root:
        files.update(arguments.root.rglob("*.j2"))
    return files


def _state(files: Iterable[Path]) -> dict[Path, tuple[int, int]]:
    """Return time and size of each of `files`."""
    state = {}
    for path in files:
        with contextlib.suppress(OSError):  # it is gone, perhaps to come back
            status = path.stat()
            state[path] = (status.st_mtime_ns, status.st_size)
    return state
