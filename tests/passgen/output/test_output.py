from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from passgen import output
from passgen.output.files import OutputError, OutputFile


def file(path: Path, text: str = "new\n") -> OutputFile:
    return OutputFile(path, text, "passgen a.yaml")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_writes_what_changed_and_nothing_else(tmp_path: Path) -> None:
    same, changed, missing = map(tmp_path.joinpath, ("same", "changed", "missing"))
    same.write_text("new\n")
    changed.write_text("old\n")
    os.utime(same, (1, 1))

    written = output.write([file(same), file(changed), file(missing)])

    assert written == [changed, missing]
    assert [path.read_text() for path in (same, changed, missing)] == ["new\n"] * 3
    assert same.stat().st_mtime == 1
    assert names(tmp_path) == ["changed", "missing", "same"]


def test_writes_line_ends_and_unicode_as_they_are(tmp_path: Path) -> None:
    output.write([file(tmp_path / "a", "é\r\n\n")])

    assert (tmp_path / "a").read_bytes() == b"\xc3\xa9\r\n\n"


def test_creates_folders(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "c"
    output.write([file(path)])

    assert path.read_text() == "new\n"


def test_keeps_permissions(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old\n")
    path.chmod(0o640)

    output.write([file(path)])

    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_new_files_have_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        output.write([file(tmp_path / "a")])
    finally:
        os.umask(before)

    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640


def test_writes_through_symbolic_links(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "target").write_text("old\n")
    link = tmp_path / "link"
    link.symlink_to("there/target")

    output.write([file(link)])

    assert link.is_symlink()
    assert (tmp_path / "there" / "target").read_text() == "new\n"


def error_of_writing(*paths: Path) -> str:
    with pytest.raises(OutputError) as caught:
        output.write(list(map(file, paths)))
    return str(caught.value)


def test_error_target_is_a_directory(tmp_path: Path) -> None:
    other, folder = tmp_path / "a", tmp_path / "b"
    folder.mkdir()

    assert error_of_writing(other, folder) == f"{folder}: error: is a directory"
    assert names(tmp_path) == ["b"]


def test_error_folder_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old\n")
    path = tmp_path / "a" / "b"

    assert error_of_writing(path) == f"{path}: error: not a directory"


def test_error_full_disk_leaves_all_files_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_text("old\n")
    chmod = Path.chmod
    written: list[Path] = []

    def fail_at_second(path: Path, mode: int) -> None:
        written.append(path)
        if len(written) == 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        chmod(path, mode)

    monkeypatch.setattr(Path, "chmod", fail_at_second)

    message = f"{second}: error: no space left on device"
    assert error_of_writing(first, second) == message
    assert first.read_text() == "old\n"
    assert names(tmp_path) == ["first"]


def test_error_replacing_leaves_no_temporary_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"

    def fail(_self: Path, _target: Path) -> None:
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))

    monkeypatch.setattr(Path, "replace", fail)

    assert error_of_writing(path) == f"{path}: error: device or resource busy"
    assert names(tmp_path) == []


WAITS = """\
import sys, time
from pathlib import Path
from passgen import output

def wait(*_):
    print("x", end="", flush=True)
    time.sleep(100)

Path.replace = wait
output.write([output.OutputFile(Path(each), "text") for each in sys.argv[1:]])
"""


@pytest.mark.process
def test_the_next_call_removes_what_a_killed_one_has_left(tmp_path: Path) -> None:
    killed = subprocess.Popen(
        [sys.executable, "-c", WAITS, tmp_path / "a", tmp_path / "b"],
        stdout=subprocess.PIPE,
    )
    assert killed.stdout is not None
    assert killed.stdout.read(1) == b"x"
    (left_over,) = names(tmp_path)

    output.write([file(tmp_path / "a", "1")])
    assert names(tmp_path) == [left_over, "a"]  # the process lives

    killed.kill()
    killed.communicate()
    output.write([file(tmp_path / "a", "2")])
    assert names(tmp_path) == ["a"]


def test_names_may_be_as_long_as_the_system_allows(tmp_path: Path) -> None:
    path = tmp_path / ("a" * 255)

    output.write([file(path)])

    assert path.read_text() == "new\n"


def test_a_target_that_is_named_twice_gets_the_last_text(tmp_path: Path) -> None:
    output.write([file(tmp_path / "a", "1"), file(tmp_path / "a", "2")])

    assert (tmp_path / "a").read_text() == "2"
    assert names(tmp_path) == ["a"]


def test_compare_tells_stale_from_missing(tmp_path: Path) -> None:
    same, changed, missing = map(tmp_path.joinpath, ("same", "changed", "missing"))
    same.write_text("new\n")
    changed.write_text("kept\nold")

    stale = output.compare(
        [file(same), file(changed, "kept\nnew\n"), file(missing, "new\n")]
    )

    assert [(each.file.path, each.is_missing) for each in stale] == [
        (changed, False),
        (missing, True),
    ]
    assert stale[0].diff == (
        f"--- {changed}\n+++ {changed} (renewed)\n@@ -1,2 +1,2 @@\n kept\n"
        "-old\n\\ No newline at end of file\n+new\n"
    )
    assert stale[1].diff == (
        f"--- {missing}\n+++ {missing} (renewed)\n@@ -0,0 +1 @@\n+new\n"
    )
    assert names(tmp_path) == ["changed", "same"]


def test_compare_sees_line_ends_and_broken_text(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"new\r\n\xff")

    (stale,) = output.compare([file(path)])

    assert stale.diff.endswith("-new\r\n-�\n\\ No newline at end of file\n+new\n")


def test_error_compare_with_a_directory(tmp_path: Path) -> None:
    with pytest.raises(OutputError) as caught:
        output.compare([file(tmp_path)])

    assert str(caught.value) == f"{tmp_path}: error: is a directory"


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)

    assert output.write([OutputFile(pipe, "text", "")]) == [pipe]
    assert os.read(reader, 100) == b"text"
    assert pipe.is_fifo()

    os.close(reader)
