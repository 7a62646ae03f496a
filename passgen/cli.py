"""The command `passgen`: arguments, messages, exit codes; the only module to print.

Exit codes: 0 fine; 1 a spec is wrong, an output stale, or a file or standard output
unusable, which includes that its reader closed it; 2 usage; 70 a bug in passgen; 130
interrupted.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import re
import shlex
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from passgen import loader, naming, output
from passgen.diagnostics import Diagnostic, SpecError
from passgen.generate import Generated, generate
from passgen.output import OutputError, OutputFile
from passgen.render import RenderError
from passgen.source import SourceFile
from passgen.targets import DEFAULT_TARGETS, TARGETS
from passgen.targets.origin import Origin, origin
from passgen.terminal import Progress, colored

EXIT_FINE: Final = 0
EXIT_WRONG: Final = 1
EXIT_USAGE: Final = 2
EXIT_BUG: Final = 70
EXIT_INTERRUPTED: Final = 130

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

_STDIN: Final = "-"
_STDOUT: Final = "-"

_DESCRIPTION: Final = """\
Write the boilerplate of compiler passes from declarative specs: for a spec of the
group Affine, affine_passes.py (base classes, options, registration) and
affine_passes.md (reference). Files that are up to date are not touched."""

_EXAMPLES: Final = """\
examples:
  passgen affine.yaml                   write affine_passes.py and affine_passes.md
  passgen -o gen specs/*.yaml           write into the folder gen, several groups
  passgen --name Affine -               read a spec from standard input
  passgen --target python -o - a.yaml   print the Python module
  passgen --check -o gen specs/*.yaml   fail, with a diff, if an output is stale
  passgen --target cpp -o gen a.yaml    write the C++ that mlir-tblgen would write
  passgen import Passes.td -I include   write the spec of what mlir-tblgen reads
"""


@dataclass(slots=True)
class _Arguments(argparse.Namespace):
    specs: list[str] = field(default_factory=list)
    name: str | None = None
    prefix: str | None = None
    target: list[str] | None = None
    output: str | None = None
    check: bool = False


class _Parser(argparse.ArgumentParser):
    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """Print the help, and unlike argparse do not ignore that this fails."""
        print(self.format_help(), end="", file=file)


class _UnreadableError(Exception):
    """A spec cannot be read; the text says which and why."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run `passgen` with `argv`, by default the process's own; return the exit code."""
    # The trees of a large spec live to the end: to look for garbage among them, again
    # and again, takes a third of the time and finds none.
    is_collecting = gc.isenabled()
    gc.disable()
    try:
        return _guarded(argv)
    finally:
        if is_collecting:
            gc.enable()


def _guarded(argv: Sequence[str] | None) -> int:
    """Run `passgen`, and turn whatever ends it early into a message and a code."""
    try:
        try:
            code = _run(argv)
        except SystemExit as stop:  # argparse has printed help, version or a mistake
            code = stop.code if isinstance(stop.code, int) else EXIT_USAGE
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        _abandon_stdout()
        with contextlib.suppress(BrokenPipeError):  # messages may go there as well
            _complain(
                "passgen: error: standard output was closed before everything was "
                "written"
            )
        return EXIT_WRONG
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except OSError as error:  # standard output is the only file not handled below
        _abandon_stdout()
        _complain(_message("standard output", error.strerror))
        return EXIT_WRONG
    except Exception as error:  # noqa: BLE001 - the user never sees a traceback
        _report_bug(error)
        return EXIT_BUG
    return code


def _run(argv: Sequence[str] | None) -> int:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a file name may be more than it can encode
            stream.reconfigure(errors="backslashreplace")
    words = sys.argv[1:] if argv is None else list(argv)
    if words[:1] == ["import"]:
        return _import(words[1:])
    arguments = _parse(words)
    made, is_wrong = _generate_all(arguments)
    if is_wrong:
        return EXIT_WRONG
    if arguments.output == _STDOUT:
        _print_text(made[0][1].files[0].text)
        return EXIT_FINE
    files = _output_files(made, Path(arguments.output or ""))
    if files is None:
        return EXIT_USAGE
    try:
        return _check(files) if arguments.check else _write(files)
    except OutputError as error:
        _complain(str(error))
        return EXIT_WRONG


class _Version(argparse.Action):
    """Looks the version up only when it is asked for: that takes a while."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,  # noqa: ARG002 - argparse passes it
        values: object,  # noqa: ARG002 - as above
        option_string: str | None = None,  # noqa: ARG002 - as above
    ) -> None:
        import importlib.metadata  # noqa: PLC0415 - see above

        print(f"passgen {importlib.metadata.version('mlir-passgen')}")  # noqa: T201
        parser.exit()


def _parse(argv: Sequence[str]) -> _Arguments:
    parser = _Parser(
        prog="passgen",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("specs", metavar="SPEC", nargs="+", help="a spec; - reads standard input")
    add("--name", metavar="NAME", help="name of the group, rather than the spec's")
    add(
        "--prefix",
        metavar="PREFIX",
        help="what names of C functions begin with, rather than the group's name",
    )
    add(
        "--target",
        choices=list(TARGETS),
        action="append",
        help="what to write, may be repeated; by default python and markdown",
    )
    add(
        "-o",
        dest="output",
        metavar="DIR",
        help="folder to write into, by default the current one; - prints one output",
    )
    add("--check", action="store_true", help="write nothing, fail if a file is stale")
    add("--version", action=_Version, nargs=0, help="print the version and exit")
    arguments = parser.parse_args(argv, _Arguments())
    targets = arguments.target or list(DEFAULT_TARGETS)
    if arguments.name is not None and len(arguments.specs) > 1:
        parser.error("--name takes one spec, as it names one group")
    if arguments.name is not None and not naming.is_pascal_case(arguments.name):
        parser.error(
            f"--name: found '{arguments.name}', expected a name in PascalCase, such as "
            "'MyDialect'"
        )
    if arguments.prefix is not None and not re.fullmatch(
        r"\w*", arguments.prefix, re.ASCII
    ):
        parser.error("--prefix takes letters, digits and underscores")
    if arguments.specs.count(_STDIN) > 1:
        parser.error("standard input can be read once")
    if arguments.output == _STDOUT and arguments.check:
        parser.error("--check compares files, so it cannot be used with '-o -'")
    if arguments.output == _STDOUT and len(arguments.specs) * len(set(targets)) > 1:
        parser.error("'-o -' prints one output: give one spec and one --target")
    if arguments.output == "":
        parser.error("-o takes a folder, and its name is empty")
    return arguments


def _import(argv: Sequence[str]) -> int:
    # Half of passgen's start would go into what only this command needs.
    from passgen import cli_import  # noqa: PLC0415 - see above
    from passgen.tablegen_tool import TablegenError  # noqa: PLC0415 - as above

    arguments = cli_import.parse(argv)
    try:
        imported = cli_import.run(arguments, _current_folder())
    except SpecError as error:
        _print_diagnostics(error.diagnostics)
        return EXIT_WRONG
    except TablegenError as error:
        _complain(str(error))
        return EXIT_WRONG
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL
        reason = error.strerror if isinstance(error, OSError) else str(error)
        _complain(_message(arguments.file, reason))
        return EXIT_WRONG
    _print_diagnostics(imported.warnings)
    if arguments.output == _STDOUT:
        _print_text(imported.text)
        return EXIT_FINE
    command = shlex.join(["passgen", "import", *argv])
    try:
        return _write([OutputFile(Path(arguments.output), imported.text, command)])
    except OutputError as error:
        _complain(str(error))
        return EXIT_WRONG


def _generate_all(arguments: _Arguments) -> tuple[list[tuple[Origin, Generated]], bool]:
    """Return what the specs become, and whether one is wrong; messages are printed."""
    names = dict.fromkeys(arguments.target or DEFAULT_TARGETS)
    targets = [TARGETS[name] for name in names]
    made: list[tuple[Origin, Generated]] = []
    is_wrong = False
    progress = Progress(sys.stderr, len(arguments.specs))
    for spec in arguments.specs:
        progress.step(spec)
        try:
            place = origin(
                spec,
                _current_folder(),
                name=arguments.name,
                prefix=arguments.prefix,
                targets=list(dict.fromkeys(arguments.target or ())),
                output=arguments.output,
            )
            generated = generate(
                _read(spec), targets, place, arguments.name, arguments.prefix
            )
        except SpecError as error:
            is_wrong = True
            progress.clear()
            _print_diagnostics(error.diagnostics)
        except _UnreadableError as error:
            is_wrong = True
            progress.clear()
            _complain(str(error))
        else:
            progress.clear()
            _print_diagnostics(generated.warnings)
            made.append((place, generated))
    return made, is_wrong


def _current_folder() -> Path | None:
    try:
        return Path.cwd()
    except OSError:  # it was removed
        return None


def _read(spec: str) -> SourceFile:
    name = "<stdin>" if spec == _STDIN else spec
    try:
        data = sys.stdin.buffer.read() if spec == _STDIN else Path(spec).read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise _UnreadableError(_message(name, reason)) from error
    except AttributeError as error:  # there is no standard input
        raise _UnreadableError(_message(name, "it is closed")) from error
    return loader.decode(name, data)


def _output_files(
    made: Sequence[tuple[Origin, Generated]], folder: Path
) -> list[OutputFile] | None:
    """Return the files to write; `None`, with a message, if two specs share one."""
    files: dict[Path, OutputFile] = {}
    specs: dict[Path, str] = {}
    for place, generated in made:
        for file in generated.files:
            path = folder / file.name
            if path in files:
                _complain(
                    _message(
                        place.spec, f"its output {path} is that of {specs[path]} too"
                    )
                )
                return None
            specs[path] = place.spec
            files[path] = OutputFile(path, file.text, place.command)
    return list(files.values())


def _write(files: Sequence[OutputFile]) -> int:
    output.write(files)
    for file in files:
        print(file.path)  # noqa: T201 - this is the module that prints
    return EXIT_FINE


def _check(files: Sequence[OutputFile]) -> int:
    stale = output.compare(files)
    for each in stale:
        _print_text(each.diff)
    if sys.stdout is not None:
        sys.stdout.flush()  # the diff comes before what it explains
    for each in stale:
        state = "is missing" if each.is_missing else "is out of date"
        _complain(f"{each.file.path}: error: {state}; to renew it: {each.file.command}")
    return EXIT_WRONG if stale else EXIT_FINE


def _print_text(text: str) -> None:
    """Print `text` in UTF-8, whatever the locale, as a file would hold it."""
    if sys.stdout is None:
        raise OSError(0, "it is closed")
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode())


def _message(subject: str, reason: str | None) -> str:
    reason = reason or "it cannot be read"
    return f"{subject}: error: {reason[:1].lower()}{reason[1:]}"


def _print_diagnostics(diagnostics: Sequence[Diagnostic]) -> None:
    for diagnostic in diagnostics:
        _complain(diagnostic.render())


def _complain(text: str) -> None:
    print(colored(text, sys.stderr), file=sys.stderr)  # noqa: T201 - as above


def _abandon_stdout() -> None:
    """Keep the interpreter from writing what is left when it exits."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (AttributeError, OSError, ValueError):
        return


def _report_bug(error: Exception) -> None:
    what = (
        str(error)
        if isinstance(error, RenderError)
        else f"{type(error).__name__}: {error}"
    )
    frames = traceback.extract_tb(error.__traceback__)
    places = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames]
    _complain(
        f"passgen: error: {what}\n"
        "passgen: note: this is a bug in passgen, whatever the spec says; "
        "please report it with the spec and these lines\n"
        f"passgen: note: at {' > '.join(places)}"
    )


if __name__ == "__main__":
    sys.exit(main())
