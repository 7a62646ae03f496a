"""Programs of the fork server behave as those that are started truly."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.fork_server.client import START_TRULY
from tests.fork_server.pytest_plugin import (
    STOPS,
    ForkServer,
    pytest_collection_finish,
)

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="the server is Linux's"),
]

SHOW_START = (
    "import os, sys; print(os.getcwd(), sys.argv, os.environ['X'], sys.path[0],"
    " sys.stdin.read(), oct(os.umask(0)), sys.stdout.encoding, __name__)"
)


@pytest.fixture(scope="module")
def server() -> Iterator[ForkServer]:
    server = ForkServer()
    yield server
    assert server.end() == 0
    assert not server.folder.exists()


def python(
    server: ForkServer, *arguments: str, **changed: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [server.folder / "python", *arguments],
        input="typed",
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "X": "x", **changed},
        umask=0o27,
    )


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("program.py").write_text(SHOW_START)
    return "program.py"


def test_a_program_sees_what_it_would_see_after_a_true_start(
    server: ForkServer, program: str
) -> None:
    for arguments in (["-c", SHOW_START, "a"], ["-m", "program", "a"], [program, "a"]):
        forked = python(server, *arguments)
        truly = python(server, *arguments, **{START_TRULY: "1"})
        assert (forked.returncode, forked.stderr) == (0, "")
        assert forked.stdout == truly.stdout


@pytest.mark.parametrize(
    ("code", "ended", "errors"),
    [
        ("raise SystemExit", 0, ""),
        ("raise SystemExit(300)", 300 & 0xFF, ""),
        ("raise SystemExit('no')", 1, "no\n"),
        ("import os; os._exit(7)", 7, ""),
        ("import os; os.abort()", -signal.SIGABRT, ""),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -9, ""),
    ],
)
def test_it_ends_as_it_would(
    code: str, ended: int, errors: str, server: ForkServer
) -> None:
    done = python(server, "-c", code, PYTHONFAULTHANDLER="")
    forked = python(server, "-c", code)

    assert (forked.returncode, forked.stderr) == (ended, errors)
    assert done.returncode == ended


def test_what_is_registered_for_the_end_is_called_after_threads(
    server: ForkServer,
) -> None:
    code = (
        "import atexit, threading, time\n"
        "atexit.register(print, 'end')\n"
        "threading.Thread(target=lambda: (time.sleep(0.1), print('thread'))).start()\n"
        "print('main')"
    )
    assert python(server, "-c", code).stdout == "main\nthread\nend\n"


@pytest.mark.parametrize(
    ("arguments", "changed"),
    [
        (["-W", "error", "-c"], {}),
        (["-I", "-c"], {}),
        (["-c"], {"PYTHONHASHSEED": "1"}),
        (["-c"], {"LC_ALL": "C"}),
    ],
)
def test_what_only_an_interpreter_can_do_starts_truly(
    arguments: list[str], changed: dict[str, str], server: ForkServer
) -> None:
    code = "import sys; print('passgen.cli' in sys.modules)"

    assert python(server, "-c", code).stdout == "True\n"
    assert python(server, *arguments, code, **changed).stdout == "False\n"


def test_modules_of_python_path_are_found(server: ForkServer, program: str) -> None:
    del program
    Path("inner").mkdir()
    Path("inner", "own.py").write_text("NAME = 'own'\n")
    code = "import own; print(own.NAME)"

    assert python(server, "-c", code, PYTHONPATH="inner").stdout == "own\n"


@pytest.fixture
def ignored_signals() -> Iterator[None]:
    """This process ignores signals, as one that a shell starts in the background."""
    handlers = {number: signal.signal(number, signal.SIG_IGN) for number in STOPS}
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("ignored_signals")
def test_programs_heed_signals_that_pytest_ignores() -> None:
    code = f"import signal; print(*map(signal.getsignal, {[*map(int, STOPS)]}))"
    server = ForkServer()  # it would inherit them from a pytest that has workers
    pytest_collection_finish()

    forked = python(server, "-c", code)
    truly = python(server, "-c", code, **{START_TRULY: "1"})

    assert server.end() == 0
    assert forked.stdout == truly.stdout
    assert "default_int_handler" in truly.stdout
    assert "SIG_IGN" not in truly.stdout


def test_a_program_is_killed_with_its_client(server: ForkServer) -> None:
    code = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
    with subprocess.Popen(
        [server.folder / "python", "-c", code], stdout=subprocess.PIPE
    ) as client:
        assert client.stdout is not None
        child = int(client.stdout.readline())
        client.kill()

    assert has_ended(child)


@pytest.mark.slow
def test_the_server_ends_with_a_pytest_that_is_killed() -> None:
    code = (
        "import time; from tests.fork_server.pytest_plugin import ForkServer\n"
        "server = ForkServer(); print(server.folder, flush=True); time.sleep(60)"
    )
    with pytest_alone(code) as pytest_:
        assert pytest_.stdout is not None
        folder = Path(pytest_.stdout.readline().rstrip())
        assert folder.is_dir()
        pytest_.kill()

    end = time.monotonic() + 60
    while folder.exists() and time.monotonic() < end:
        time.sleep(0.05)
    assert not folder.exists()


@contextmanager
def pytest_alone(code: str) -> Iterator[subprocess.Popen[str]]:
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=root, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process


def has_ended(pid: int) -> bool:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.01)
    return False
