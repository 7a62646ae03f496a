"""`passgen watch`: files, renewed whenever a spec changes or one of them is gone."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from passgen.commands.generate import generate_outputs, options_of
from passgen.commands.generate_arguments import GenerateArguments, parse_to_write
from passgen.commands.outcome import EXIT_FINE, CommandParser, Outcome
from passgen.diagnostics import UserError

_State: TypeAlias = dict[Path, tuple[int, int]]
"""The time and the size of each file."""

INTERVAL_S: Final = 0.3
"""The time between two checks of the files."""


class _WatchArguments(GenerateArguments):
    test: bool = False

    @property
    def test_folders(self) -> list[Path]:
        """The folders of tests beside the specs."""
        folders = dict.fromkeys(Path(spec).parent / "tests" for spec in self.specs)
        return [folder for folder in folders if folder.is_dir()]


def run(argv: Sequence[str], folder: Path | None) -> Outcome:
    """Generate what `argv` asks for, again after each change, until Ctrl-C."""
    parser = CommandParser("passgen watch")
    parser.add_argument(
        "--test",
        action="store_true",
        help="run pytest on the folder 'tests' beside a spec when files were written",
    )
    arguments = parse_to_write(argv, parser, _WatchArguments())
    if arguments.test and not arguments.test_folders:
        parser.error(f"--test: found no folder 'tests' beside {arguments.specs[0]}")
    return Outcome(following=_outcomes(arguments, folder))


def _outcomes(arguments: _WatchArguments, folder: Path | None) -> Iterator[Outcome]:
    """Yield the outcome of a run now, and of one after each change."""
    included: set[Path] = set()
    is_wrong = False
    with contextlib.suppress(KeyboardInterrupt):  # which is how it ends
        while True:
            before = _state({*included, *_files(arguments)})
            outcome = _outcome(arguments, folder)
            yield outcome
            was_wrong, is_wrong = is_wrong, outcome.code != EXIT_FINE
            if arguments.test and not is_wrong:
                is_wrong = not _run_tests(arguments.test_folders)
            if was_wrong and not is_wrong:
                yield _message("ok again")
            more = {Path(input_) for input_ in outcome.inputs} - before.keys()
            included |= more
            before |= _state(more)
            written = _written_files(arguments, outcome)
            while not (
                reasons := [
                    *(f"{path} is gone" for path in written if not path.exists()),
                    *_changes(before, _state({*included, *_files(arguments)})),
                ]
            ):
                time.sleep(INTERVAL_S)
            yield _message(", ".join(reasons))


def _run_tests(folders: Sequence[Path]) -> bool:
    """Return whether pytest, run on `folders`, finds nothing wrong."""
    command = [sys.executable, "-m", "pytest", "-q", *map(str, folders)]
    done = subprocess.run(command, check=False)  # noqa: S603 - the user's own tests
    return done.returncode == 0


def _message(text: str) -> Outcome:
    return Outcome(messages=(f"{time.strftime('%H:%M:%S')}: {text}",))


def _changes(before: _State, now: _State) -> Iterator[str]:
    """Yield an event for each file that has changed."""
    for path in sorted(before.keys() | now.keys()):
        if path not in now:
            yield f"{path} is gone"
        elif path not in before:
            yield f"{path} is new"
        elif before[path] != now[path]:
            yield f"{path} changed"


def _written_files(arguments: GenerateArguments, outcome: Outcome) -> list[Path]:
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
    outputs = (options_of(arguments, None).layout_folder or Path()).absolute()
    files |= {folder / "pyproject.toml" for folder in (outputs, *outputs.parents)}
    if arguments.root:
        files.update(arguments.root.rglob("*.j2"))
    return files


def _state(files: Iterable[Path]) -> _State:
    """Return time and size of each of `files`."""
    state = {}
    for path in files:
        with contextlib.suppress(OSError):  # it is gone, perhaps to come back
            status = path.stat()
            state[path] = (status.st_mtime_ns, status.st_size)
    return state
