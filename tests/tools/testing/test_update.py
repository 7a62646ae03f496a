"""`--update-checks`: which files it writes, and which it leaves alone."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path

import pytest

from passgen_tools.testing.lit_test import read_test
from passgen_tools.testing.settings import OWN_PROGRAMS, Settings
from passgen_tools.testing.update import update_checks

IR = "func.func @f(%x: i32) -> i32 {\n  func.return %x : i32\n}\n"
RUN = "// RUN: passgen-opt %s | filecheck %s\n\n"
STALE = f"{RUN}// CHECK: func.func @g\n{IR}"
RIGHT = f"""{RUN}// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[X:.*]]: i32) -> i32 {{
// CHECK-NEXT:    func.return %[[X]] : i32
// CHECK-NEXT:  }}
{IR}"""

_numbers = count()

Update = Callable[..., str]


def count_up(_: Sequence[str]) -> int:
    sys.stdout.write(f"{next(_numbers)}\n")
    return 0


def print_file(arguments: Sequence[str]) -> int:
    sys.stdout.write(Path(arguments[0]).read_text(encoding="utf-8"))
    return 0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "case.mlir"


@pytest.fixture
def update(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Update:
    monkeypatch.setitem(sys.modules, __name__, sys.modules[count_up.__module__])
    own = {"count": f"{__name__}:count_up", "print": f"{__name__}:print_file"}
    settings = Settings({**OWN_PROGRAMS, **own})

    def update(text: str, *, is_forced: bool = True, updates_all: bool = False) -> str:
        path.write_bytes(text.encode())
        folder = tmp_path / "new"
        folder.mkdir(exist_ok=True)
        return update_checks(
            read_test(path),
            settings,
            folder,
            updates_all=updates_all,
            is_forced=is_forced,
        )

    return update


def refusal(update: Update, text: str, **flags: bool) -> str:
    with pytest.raises(pytest.fail.Exception) as error:
        update(text, **flags)
    return str(error.value)


def test_lines_that_fail_are_replaced_and_shown(update: Update, path: Path) -> None:
    shown = update(STALE)

    assert path.read_text() == RIGHT
    assert shown.startswith(f"--- {path} (before)\n+++ {path} (after)\n@@ ")
    assert "\n-// CHECK: func.func @g\n+// CHECK-LABEL: func.func @f(\n" in shown


def test_lines_of_diagnostics_are_told_by_their_distance(
    update: Update, path: Path
) -> None:
    run = "// RUN: not passgen-opt %s 2>&1 | filecheck %s\n"
    update(f"{run}func.func @f() {{\n  %0 = nope\n}}\n")

    text = path.read_text()
    found = "case.mlir:[[# @LINE + 7]]:8: error: Operation nope is not registered\n"
    assert f"// CHECK:       {{{{.*}}}}{found}" in text
    path.write_text(f"// Another line.\n{text}")
    assert update(path.read_text()) == ""


def test_lines_are_written_where_there_are_none(update: Update, path: Path) -> None:
    update(RUN + IR, is_forced=False)

    assert path.read_text() == RIGHT


def test_lines_that_succeed_stay_as_a_person_wrote_them(
    update: Update, path: Path
) -> None:
    text = f"{RUN}// CHECK: return\n{IR}"

    assert update(text) == ""
    assert path.read_text() == text


def test_lines_that_succeed_are_replaced_on_request(update: Update, path: Path) -> None:
    update(f"{RUN}// CHECK: return\n{IR}", updates_all=True)

    assert path.read_text() == RIGHT
    assert update(RIGHT, updates_all=True) == ""


def test_only_the_lines_of_the_check_that_fails_are_replaced(
    update: Update, path: Path
) -> None:
    runs = "// RUN: passgen-opt %s | filecheck %s --check-prefix=A\n"
    runs += runs.replace("=A", " B")
    update(f"{runs}\n// A: return\n// B: nothing\n{IR}")

    assert "// A: return\n// B-LABEL: func.func @f(\n" in path.read_text()


def test_lines_of_diagnostics_have_the_numbers_after_the_update(
    update: Update, path: Path
) -> None:
    run = "// RUN: not passgen-opt %s --verify-each --pass-pipeline='any(nix)' 2>&1"
    update(f"{run} | filecheck %s\n{IR.replace('i32 {', 'i64 {')}")

    assert "// CHECK:       pass-pipeline:1:5: error: 'nix'" in path.read_text()
    place = "// RUN: not passgen-opt %s 2>&1 | filecheck %s"
    update(f"{place}\n{IR.replace('i32 {', 'i64 {')}")
    assert "// CHECK:       {{.*}}case.mlir:" in path.read_text()
    assert update(path.read_text()) == ""


def test_lines_of_aliases_match(update: Update, path: Path, tmp_path: Path) -> None:
    output = "#map = a\n#map1 = b\nmodule {\n  func.func @f() {\n    t.a #map #map1\n"
    output += f'  }} loc(#loc)\n}}\n#loc = loc("{path}":4:1)\n'
    (tmp_path / "output").write_text(output)
    text = f"// RUN: print {tmp_path}/output | filecheck %s --enable-var-scope\n{IR}"

    update(text)

    text = path.read_text()
    assert "    t.a #[[$MAP]] #[[$MAP1]]\n" in text
    assert '] = loc("{{.*}}case.mlir":[[# @LINE - 6]]:1)\n' in text
    assert update(text) == ""


def test_line_ends_stay(update: Update, path: Path) -> None:
    update(STALE.replace("\n", "\r\n"))

    assert path.read_bytes().decode() == RIGHT.replace("\n", "\r\n")
    assert update(RIGHT.replace("\n", "\r\n"), updates_all=True) == ""


def test_file_without_a_check_to_renew_says_so(update: Update, path: Path) -> None:
    text = f"// RUN: passgen-opt %s | not filecheck %s\n// CHECK: nix\n{IR}"
    reason = "no check reads anything in this process"

    assert update(text, updates_all=True) == f"{path}: not renewed: {reason}"
    assert update(text) == ""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "// RUN: passgen-opt %s -o %t | filecheck %s\n// CHECK: x\n",
            "the check reads nothing, so that there are no lines to write\n",
        ),
        (
            f'{RUN}// CHECK: x\n"t.a"() {{s = "// CHECK: y"}} : () -> ()\n',
            (
                "filecheck reads a check in line 4, which does not begin a comment: "
                "choose another --check-prefix\n"
            ),
        ),
        (
            (
                "// RUN: passgen-opt %s | filecheck %s --strict-whitespace "
                "--match-full-lines\n// CHECK: x\n"
            ),
            "the flags of the check refuse them\n",
        ),
    ],
)
def test_error_says_why_a_file_stays_as_it_was(
    update: Update, path: Path, text: str, reason: str
) -> None:
    text = text.replace("passgen-opt", "passgen-opt --allow-unregistered-dialect")

    start = "the check fails with new lines too, and the file is left as it was: "
    assert f"{path}:1: error: {start}{reason}" in refusal(update, text + IR)
    assert path.read_text() == text + IR


@pytest.mark.process
def test_error_check_that_needs_bash_is_not_renewed(update: Update) -> None:
    text = STALE.replace("%s |", "%s --remarks-filter=.* |")

    assert refusal(update, text).endswith(
        "\nnote: CHECK lines are not renewed for a RUN line that needs bash: "
        "'*' in '--remarks-filter=.*'"
    )


def test_error_output_that_differs_from_run_to_run(update: Update, path: Path) -> None:
    text = "// RUN: count | filecheck %s\n// CHECK: none\n"

    message = refusal(update, text)

    assert message.startswith(
        f"{path}:1: error: the check fails with new lines too, and the file is left as "
        "it was: its output may differ from run to run\n"
    )
    assert path.read_text() == text


def test_error_program_that_fails_is_no_matter_of_checks(
    update: Update, path: Path
) -> None:
    text = STALE.replace("passgen-opt", "passgen-opt --nix")

    with pytest.raises(
        pytest.fail.Exception, match="Unknown command line argument '--nix'"
    ):
        update(text)
    assert path.read_text() == text


@pytest.mark.parametrize(
    ("command", "message"),
    [("filecheck", "Missing argument: check-file"), ("not filecheck %s", "succeeded")],
)
def test_error_check_that_no_lines_can_mend(
    command: str, message: str, update: Update
) -> None:
    text = f"// RUN: passgen-opt %s | {command}\n// CHECK: func\n{IR}"

    assert message in refusal(update, text)


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        (
            "// RUN: passgen-opt %s | filecheck %s --check-prefixes=A,B\n// A: g\n",
            (
                ":1: error: found 2 prefixes, A and B, expected one: change these lines "
                "by hand"
            ),
        ),
        (
            (
                "// RUN: passgen-opt %s | filecheck %s\n"
                "// RUN: count | filecheck %s\n// CHECK: g\n"
            ),
            (
                ":1: error: found another output than of the RUN line 2, which has the "
                "prefix CHECK too, expected a prefix of its own"
            ),
        ),
        (
            "// RUN: passgen-opt %s > %t && passgen-opt %s | filecheck %t\n",
            (":1: error: found CHECK lines in '/tmp"),
        ),
    ],
)
def test_error_lines_that_belong_to_more_than_one_check(
    runs: str, message: str, update: Update, path: Path
) -> None:
    assert refusal(update, runs + IR).startswith(f"{path}{message}")
    assert path.read_text() == runs + IR


@pytest.fixture
def git(tmp_path: Path) -> Callable[..., None]:
    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=a", "-c", "user.email=a@b")
        command = ("git", *identity, *arguments)
        subprocess.run(command, cwd=tmp_path, check=True)

    return git


@pytest.mark.process
def test_lines_that_git_can_restore_are_replaced(
    update: Update, path: Path, git: Callable[..., None]
) -> None:
    path.write_text(STALE)
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "one")

    update(STALE, is_forced=False)

    assert path.read_text() == RIGHT
    changed = RIGHT.replace("func.return %[[X]]", "nix")
    message = refusal(update, changed, is_forced=False)
    assert message == (
        f"{path}: error: its text is not replaced: the file has changes that are not "
        "committed, so that it could not be restored\n"
        "note: commit the file, or add --force-update"
    )
    assert path.read_text() == changed


@pytest.mark.process
def test_error_lines_that_git_does_not_know(
    update: Update, git: Callable[..., None]
) -> None:
    message = refusal(update, STALE, is_forced=False)
    assert "the file is not in a git repository" in message

    git("init", "-q")
    message = refusal(update, STALE, is_forced=False)
    assert "git does not track the file" in message
