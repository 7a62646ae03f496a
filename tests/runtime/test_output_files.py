"""Files appear complete or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from passgen_runtime.output_files import check_writable, replace_file


def test_new_file_has_the_usual_mode_and_nothing_beside_it(tmp_path: Path) -> None:
    usual = tmp_path / "usual"
    usual.write_text("")
    replace_file(tmp_path / "new", "text\n")

    assert (tmp_path / "new").read_text() == "text\n"
    assert (tmp_path / "new").stat().st_mode == usual.stat().st_mode
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "usual"]


def test_mode_and_link_stay(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    replace_file(link, "new")

    assert link.is_symlink()
    assert (target.read_text(), target.stat().st_mode & 0o777) == ("new", 0o640)


def test_failure_keeps_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")

    def parts() -> Iterator[bytes]:
        yield b"n"
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        replace_file(path, parts())

    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


@pytest.mark.process
@pytest.mark.start
@pytest.mark.parametrize(
    "following", [replace_file, lambda path, _: check_writable(path)]
)
def test_the_next_process_removes_what_a_killed_one_has_left(
    following: Callable[[Path, str], None], tmp_path: Path
) -> None:
    killed = subprocess.Popen(
        [sys.executable, "-c", WAITS, tmp_path / "file"], stdout=subprocess.PIPE
    )
    assert killed.stdout is not None
    assert killed.stdout.read(1) == b"x"
    (left_over,) = tmp_path.iterdir()

    following(tmp_path / "other", "new")
    assert left_over.exists()  # the process lives

    killed.kill()
    killed.communicate()
    following(tmp_path / "other", "new")
    assert not left_over.exists()
    assert {path.name for path in tmp_path.iterdir()} <= {"other"}


WAITS = """\
import sys, time
from pathlib import Path
from passgen_runtime.output_files import replace_file

def wait(*_):
    print("x", end="", flush=True)
    time.sleep(100)

Path.replace = wait
replace_file(Path(sys.argv[1]), "text")
"""


def test_check_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "file"
    check_writable(path)
    check_writable(Path(os.devnull))

    assert list(tmp_path.iterdir()) == []
    for wrong in (tmp_path / "no" / "file", tmp_path):
        with pytest.raises(OSError, match=r"No such file|Is a directory"):
            check_writable(wrong)


def test_reader_of_a_named_pipe_gets_the_text(tmp_path: Path) -> None:
    path, texts = tmp_path / "pipe", []
    os.mkfifo(path)
    reader = threading.Thread(
        target=lambda: texts.append(path.read_text()), daemon=True
    )
    reader.start()
    check_writable(path)
    replace_file(path, "text\n")
    reader.join()

    assert texts == ["text\n"]
    assert path.is_fifo()


def test_pipe_without_a_path_of_its_own_is_written_to() -> None:
    reading, writing = os.pipe()
    path = Path(f"/dev/fd/{writing}")  # as is /dev/stdout before a pipe
    check_writable(path)
    replace_file(path, "text\n")
    os.close(writing)

    assert os.read(reading, 100) == b"text\n"
    os.close(reading)


@pytest.mark.process
@pytest.mark.start
def test_standard_output_without_a_buffer_is_written_whole_or_not_silently(
    tmp_path: Path,
) -> None:
    program = (
        "import resource\n"
        "from passgen_runtime.output_files import write_stdout\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "write_stdout('x' * 5000)\n"
    )
    with (tmp_path / "out").open("wb") as out:
        done = subprocess.run(
            [sys.executable, "-u", "-c", program],
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )

    assert done.returncode == 1
    assert "OSError: [Errno 27] File too large" in done.stderr
