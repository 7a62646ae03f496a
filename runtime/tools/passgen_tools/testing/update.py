"""`--update-checks`: writes CHECK lines for the output of a test.

It writes only the lines of failing checks, and only if the test passes with them. It
leaves a file alone whose text git cannot restore, unless forced.
"""

from __future__ import annotations

import difflib
import re
import subprocess
from collections.abc import Collection
from pathlib import Path
from typing import Final

import pytest

from passgen_runtime.output_files import replace_file
from passgen_tools.testing.check_lines import with_checks, without_checks
from passgen_tools.testing.execution import Check, run_test
from passgen_tools.testing.lit_test import LitTest, read_test
from passgen_tools.testing.settings import Settings

_MAX_ROUNDS: Final = 3
"""New lines move those below them, whose numbers diagnostics show."""


def update_checks(
    test: LitTest,
    settings: Settings,
    folder: Path,
    *,
    updates_all: bool = False,
    is_forced: bool = False,
) -> str:
    """Write the CHECK lines of `test`; return what is to be shown of it.

    Args:
        test: the test, whose file is written.
        settings: hold for the test.
        folder: where its commands write.
        updates_all: whether lines are written whose check succeeds.
        is_forced: whether lines are replaced that git cannot restore.

    Raises:
        Failed: a command failed that is not `filecheck`, the file must not be written,
            or the lines do not help.
    """
    path, before = test.path, test.text
    checks = run_test(test, settings, folder, goes_on=True)
    wanted = {
        _prefix(check, checks)
        for check in checks
        if check.failure or (updates_all and check.text.strip())
    }
    if not wanted:
        reason = "no check reads anything in this process"
        return f"{path}: not renewed: {reason}" if updates_all else ""
    replaces = any(without_checks(before, prefix) != before for prefix in wanted)
    if replaces and not is_forced:
        require_restorable(path)
    try:
        for _ in range(_MAX_ROUNDS):
            text = _renew(test, checks, wanted, folder)
            if text == test.text:
                break
            replace_file(path, text)
            test = read_test(path)
            checks = run_test(test, settings, folder, goes_on=True)
        for check in checks:
            if check.failure:
                reason = _reason(check, before)
                if _renew(test, checks, wanted, folder) != test.text:
                    reason = "its output may differ from run to run"
                pytest.fail(
                    f"{check.run.place} the check fails with new lines too, and the "
                    f"file is left as it was: {reason}\n{check.failure}",
                    pytrace=False,
                )
    except BaseException:
        replace_file(path, before)
        raise
    return difference(path, before, test.text)


def _reason(check: Check, text: str) -> str:
    """Return why a check fails with lines of its own output in `text`."""
    if not check.text.strip():
        return "the check reads nothing, so that there are no lines to write"
    parser, prefix = check.matcher.operations, check.matcher.opts.check_prefixes[0]
    for number, line in enumerate(text.splitlines(), 1):
        is_check = parser.check_line_regexp.search(line)
        is_comment = parser.comment_line_regexp.search(line)
        if is_check and not is_comment and without_checks(line, prefix) == line:
            return (
                f"filecheck reads a check in line {number}, which does not begin a "
                "comment: choose another --check-prefix"
            )
    return "the flags of the check refuse them"


def _prefix(check: Check, checks: list[Check]) -> str:
    """Return the prefix of the lines that a check reads.

    Raises:
        Failed: they are in another file, or not for this check alone.
    """
    place, options = check.run.place, check.matcher.opts
    if Path(options.match_filename) != check.run.path:
        pytest.fail(
            f"{place} found CHECK lines in '{options.match_filename}', expected them "
            "in the test itself",
            pytrace=False,
        )
    prefix, *others = options.check_prefixes
    if others:
        pytest.fail(
            f"{place} found {1 + len(others)} prefixes, {prefix} and "
            f"{', '.join(others)}, expected one: change these lines by hand",
            pytrace=False,
        )
    for other in checks:
        if prefix in other.matcher.opts.check_prefixes and other.text != check.text:
            pytest.fail(
                f"{place} found another output than of the RUN line {other.run.line}, "
                f"which has the prefix {prefix} too, expected a prefix of its own",
                pytrace=False,
            )
    return prefix


def _renew(
    test: LitTest, checks: list[Check], wanted: Collection[str], folder: Path
) -> str:
    """Return the text of `test` with lines of the `wanted` prefixes for its output."""
    ends = "\r\n" if "\r\n" in test.text else "\n"
    text = test.text.replace("\r\n", "\n")
    renewed: list[str] = []
    for check in checks:
        options = check.matcher.opts
        prefix, *others = options.check_prefixes
        if others or prefix not in wanted or prefix in renewed:
            continue
        output = check.text.replace(str(test.path), f"{{{{.*}}}}{test.path.name}")
        output = output.replace(f"{folder}/", "{{.*}}")
        whole_lines = options.match_full_lines
        text = with_checks(text, prefix, output, above=renewed, whole_lines=whole_lines)
        renewed.append(prefix)
    return _with_relative_lines(text, test.path.name).replace("\n", ends)


def _with_relative_lines(text: str, name: str) -> str:
    """Return `text`, where CHECK lines name lines of its file by their distance.

    They stay right when lines above are added or removed.
    """
    place = re.compile(rf"(\{{\{{\.\*\}}\}}{re.escape(name)}\"?:)(\d+)(?=:)")
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines, 1):

        def relative(match: re.Match[str], number: int = number) -> str:
            distance = int(match[2]) - number
            sign = "-" if distance < 0 else "+"
            return f"{match[1]}[[# @LINE {sign} {abs(distance)}]]"

        lines[number - 1] = place.sub(relative, line)
    return "".join(lines)


def difference(path: Path, before: str, after: str) -> str:
    """Return the changes in the file at `path` as a unified diff."""
    texts = before.splitlines(), after.splitlines()
    names = f"{path} (before)", f"{path} (after)"
    return "\n".join(difflib.unified_diff(*texts, *names, lineterm=""))


def require_restorable(path: Path) -> None:
    """Check that git can restore the text of the file at `path`.

    Raises:
        Failed: git cannot.
    """
    if refusal := why_not_restorable(path):
        pytest.fail(refusal, pytrace=False)


def why_not_restorable(path: Path) -> str:
    """Return why git cannot restore the text of a file; empty if it can."""
    command = ("git", "status", "--porcelain", "--ignored", "--", path.name)
    try:
        done = subprocess.run(  # noqa: S603 - the arguments are words
            command, cwd=path.parent, capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        reason = "git is not installed"
    else:
        if done.returncode:
            reason = "the file is not in a git repository"
        elif not done.stdout:
            return ""
        elif done.stdout[:2] in {"??", "!!"}:
            reason = "git does not track the file"
        else:
            reason = "the file has changes that are not committed"
    return (
        f"{path}: error: its text is not replaced: {reason}, so that it "
        "could not be restored\nnote: commit the file, or add --force-update"
    )
