"""`--update-checks`: writes the CHECK lines that a test's output asks for.

Only the lines of RUN lines whose check fails are written, and only if the test succeeds
with them. A file whose text git cannot restore is left alone, unless forced.
"""

from __future__ import annotations

import difflib
import subprocess
from collections.abc import Collection
from pathlib import Path
from typing import Final

from filecheck.options import Options, parse_argv_options

from passgen_runtime.output_files import replace_file
from passgen_runtime.testing.check_lines import with_checks, without_checks
from passgen_runtime.testing.execution import Check, LitExecution
from passgen_runtime.testing.lit_test import LitTest, read_test
from passgen_runtime.testing.settings import Settings

_MAX_ROUNDS: Final = 3
"""New lines move those below them, whose numbers diagnostics show."""


class UpdateError(Exception):
    """CHECK lines cannot be written; the text says why."""


def update_checks(
    test: LitTest,
    settings: Settings,
    folder: Path,
    *,
    updates_all: bool = False,
    is_forced: bool = False,
) -> str:
    """Write the CHECK lines of `test`; return the difference, or an empty text.

    Args:
        test: the test, whose file is written.
        settings: hold for the test.
        folder: where its commands write.
        updates_all: whether lines are written whose check succeeds.
        is_forced: whether lines are replaced that git cannot restore.

    Raises:
        RunFailure: a command failed that is not `filecheck`.
        UpdateError: the file must not be written, or the lines do not help.
    """
    path, before = test.path, test.text
    checks = _checks(test, settings, folder)
    wanted = {
        _prefix(test, check, checks): None
        for check in checks
        if check.failure or (updates_all and check.text.strip())
    }
    replaces = any(without_checks(before, prefix) != before for prefix in wanted)
    if replaces and not is_forced:
        check_restorable(path)
    is_written = False
    try:
        for _ in range(_MAX_ROUNDS if wanted else 0):
            text = test.text
            done: list[str] = []
            for prefix, (options, output) in _outputs(checks, wanted).items():
                shown = output.replace(str(path), f"{{{{.*}}}}{path.name}")
                shown = shown.replace(f"{folder}/", "{{.*}}")
                text = with_checks(
                    text,
                    prefix,
                    shown,
                    above=done,
                    whole_lines=options.match_full_lines,
                )
                done.append(prefix)
            if text == test.text:
                break
            is_written = True
            replace_file(path, text)
            test = read_test(path)
            checks = _checks(test, settings, folder)
        _require_success(path, checks)
    except BaseException:
        if is_written:
            replace_file(path, before)
        raise
    return shown_difference(path, before, test.text)


def _checks(test: LitTest, settings: Settings, folder: Path) -> list[Check]:
    """Run `test`, and return its checks, also those that fail."""
    given = settings.programs, folder, settings.substitutions
    execution = LitExecution(test, *given, goes_on=True)
    execution.run()
    return execution.checks


def _outputs(
    checks: list[Check], wanted: Collection[str]
) -> dict[str, tuple[Options, str]]:
    """Return the options and the output of the checks with each prefix."""
    found = [(_options(check), check.text) for check in checks]
    return {
        options.check_prefixes[0]: (options, text)
        for options, text in found
        if len(options.check_prefixes) == 1 and options.check_prefixes[0] in wanted
    }


def _options(check: Check) -> Options:
    return parse_argv_options(["filecheck", *check.arguments])


def _prefix(test: LitTest, check: Check, checks: list[Check]) -> str:
    """Return the prefix of the lines that a check reads.

    Raises:
        UpdateError: they are in another file, or not for this check alone.
    """
    place = f"{test.path}:{check.line}: error:"
    options = _options(check)
    if Path(options.match_filename) != test.path:
        raise UpdateError(
            f"{place} found CHECK lines in '{options.match_filename}', expected them "
            "in the test itself"
        )
    prefix, *others = options.check_prefixes
    if others:
        raise UpdateError(
            f"{place} found {1 + len(others)} prefixes, {prefix} and "
            f"{', '.join(others)}, expected one: change these lines by hand"
        )
    for other in checks:
        if prefix in _options(other).check_prefixes and other.text != check.text:
            raise UpdateError(
                f"{place} found another output than of the RUN line {other.line}, "
                f"which has the prefix {prefix} too, expected a prefix of its own"
            )
    return prefix


def _require_success(path: Path, checks: list[Check]) -> None:
    """Check that all checks succeed.

    Raises:
        UpdateError: one of them does not.
    """
    for check in checks:
        if check.failure:
            raise UpdateError(
                f"{path}:{check.line}: error: the check fails with new lines too, and "
                "the file is left as it was: its output may differ from run to run\n"
                f"{check.failure}"
            )


class GoldenFile:
    """A file that holds the text that a test expects."""

    def __init__(self, path: Path) -> None:
        """Read the file, which need not exist."""
        self._path = path
        self._exists = path.exists()
        self.text = path.read_bytes().decode() if self._exists else None

    def difference(self, text: str) -> str:
        """Return the difference to `text`, as a unified diff."""
        found = shown_difference(self._path, self.text or "", text)
        return found or f"{self._path}: the files differ in their line ends only"

    def write(self, text: str, *, is_forced: bool) -> None:
        """Write `text` into the file.

        Raises:
            UpdateError: git could not restore the text that is there.
        """
        if self._exists and not is_forced:
            check_restorable(self._path)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(self._path, text)


def shown_difference(path: Path, before: str, after: str) -> str:
    """Return the changes in the file at `path` as a unified diff."""
    texts = before.splitlines(), after.splitlines()
    names = f"{path} (before)", f"{path} (after)"
    return "\n".join(difflib.unified_diff(*texts, *names, lineterm=""))


def check_restorable(path: Path) -> None:
    """Check that git has the text of the file at `path`.

    Raises:
        UpdateError: it has not.
    """
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
            return
        elif done.stdout[:2] in {"??", "!!"}:
            reason = "git does not track the file"
        else:
            reason = "the file has changes that are not committed"
    raise UpdateError(
        f"{path}: error: its text is not replaced: {reason}, so that it "
        "could not be restored\nnote: commit the file, or add --force-update"
    )
