"""`--update-checks` for the examples of specs: new lines of one text in a YAML file.

output: |    # all else stays as it is: comments, indentation, line ends
  func.func @f() {
    return
  }
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import pytest

from passgen_runtime.output_files import replace_file
from passgen_tools.testing.example_run import ExampleRun
from passgen_tools.testing.spec_examples import SpecError, SpecExample, read_examples
from passgen_tools.testing.update import difference

_HEADER: Final = re.compile(
    r"""(?P<before>(?P<lead>\ *(?:-\ +)*)(?P<quote>["']?)(?:output|check)(?P=quote)\ *:
        \ +(?:[&!]\S+\ +)*)
    [|>](?P<digit>[1-9]?)(?P<rest>[-+]?(?P<late>[1-9]?)(?:\ +\#.*)?)(?P<end>\r?)""",
    re.VERBOSE,
)
_STEP: Final = 2


def update_example(spec: Path, run: ExampleRun, refusal: str = "") -> str:
    """Write the result of a run into the spec; return the changes as a diff.

    Args:
        spec: the spec, which may include the file that holds the example.
        run: the run.
        refusal: why the file of the example must not be written, if so.

    Raises:
        Failed: the file must not be written, or it has no lines to replace.
    """
    with _alone(spec.parent):
        return _update(spec, run, refusal)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let other processes, such as workers of xdist, update no spec of a folder."""
    if sys.platform == "win32":
        yield
        return
    import fcntl  # noqa: PLC0415 - other systems do not have it

    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some network drives have no locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _update(spec: Path, run: ExampleRun, refusal: str) -> str:
    examples = _read(spec)
    # Earlier updates have moved its lines.
    example = next(each for each in examples if each.name == run.example.name)
    path = Path(example.file)
    before = path.read_bytes().decode()
    _require_own_text(example, examples)
    try:
        after = with_text(before, example.result_line, run.result)
    except ValueError as error:
        pytest.fail(f"{run.failure}\n{example.place} {error}", pytrace=False)
    if refusal:
        pytest.fail(refusal, pytrace=False)
    replace_file(path, after)
    try:
        found = next(each for each in _read(spec) if each.name == example.name)
        if (found.output or found.check).rstrip("\n") != run.result:
            pytest.fail(
                f"{example.place} YAML does not hold the result as it is, and the file "
                f"is left as it was\n{run.failure}",
                pytrace=False,
            )
    except BaseException:
        replace_file(path, before)
        raise
    return difference(path, before, after)


def with_text(text: str, line: int, new: str) -> str:
    """Return YAML with other content of the block scalar that begins in a line.

    A folded text becomes a literal one: IR has lines.

    Args:
        text: the YAML.
        line: the line with the `|`, from 1.
        new: the lines of the content.

    Raises:
        ValueError: there is no block scalar under `output` or `check` in the line.
    """
    lines = text.split("\n")
    header = _HEADER.fullmatch(lines[line - 1])
    if header is None:
        raise ValueError(
            f"found '{lines[line - 1].strip()}', expected a text with lines of its own "
            "to renew: write 'output: |' or 'check: |'"
        )
    column = len(header["lead"])
    digit = header["digit"] or header["late"]
    indent = column + int(digit) if digit else 0
    last = line
    for number, content in enumerate(lines[line:], line + 1):
        blanks = len(content) - len(content.lstrip(" "))
        if not content.strip():
            continue
        if blanks < (indent or column + 1):
            break
        indent = indent or blanks
        last = number
    margin, end = " " * (indent or column + _STEP), header["end"]
    renewed = [
        f"{margin if content else ''}{content}{end}" for content in new.split("\n")
    ]
    mark = f"{header['before']}|{header['digit']}{header['rest']}{end}"
    return "\n".join([*lines[: line - 1], mark, *renewed, *lines[last:]])


def _read(spec: Path) -> list[SpecExample]:
    try:
        return read_examples(spec)
    except SpecError as error:
        pytest.fail(str(error), pytrace=False)


def _require_own_text(example: SpecExample, examples: list[SpecExample]) -> None:
    """Check that no other example has the text under an alias.

    Raises:
        Failed: another one has.
    """
    for other in examples:
        same_text = (other.file, other.result_line) == (
            example.file,
            example.result_line,
        )
        if same_text and other.line != example.line:
            pytest.fail(
                f"{example.place} the result of {example.name} is also that of "
                f"{other.name}, by an alias: give each its own",
                pytrace=False,
            )
