"""Reproducers: there when the process dies, gone when nothing failed, never broken."""

from __future__ import annotations

import signal
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

import pytest

from passgen_runtime import (
    OperationPass,
    PassFailure,
    PassOptions,
    SchedulingError,
    parse_pass_manager,
)
from passgen_runtime.instrumentations.crash_reproducer import (
    enable_crash_reproducer_generation,
)
from passgen_runtime.instrumentations.reproducer import (
    Reproducer,
    read_reproducer,
)
from passgen_runtime.instrumentations.reproducer_destination import ReproducerError
from passgen_runtime.runners import Threads
from tests.deadly_driver import deadly_driver
from tests.passgen_test_opt.registry import REGISTRY, make_context
from tests.recording import Running, Session

TWO = """\
builtin.module {
  func.func @a() {
    func.return
  }
  func.func @b() {
    func.return
  }
}"""
RESOURCE = """\

{-#
  external_resources: {
    mlir_reproducer: {
      pipeline: "%s",
      disable_threading: %s,
      verify_each: %s
    }
  }
#-}
"""
FAILING = "builtin.module(func.func(cse,test-pass-failure))"
PRINTED = "builtin.module(func.func(cse,test-pass-failure{gen-diagnostics=false}))"


def run(
    path: object,
    pipeline: str,
    *,
    local: bool = False,
    threads: Literal["", "manager", "run"] = "",
    is_verified: bool = False,
) -> list[str]:
    """Run `pipeline` on `TWO`; return what is said."""
    context = make_context(allow_unregistered=False)
    said: list[str] = []
    context.diagnostic_handler = lambda diagnostic: said.append(str(diagnostic))
    manager = parse_pass_manager(pipeline, context, REGISTRY)
    runner = Threads(max_workers=2) if threads else None
    if runner is not None and threads == "manager":
        manager.runner = runner
    enable_crash_reproducer_generation(
        manager,
        path,  # type: ignore[arg-type] # any kind
        local=local,
        is_verified=is_verified,
    )
    try:
        manager.run(context.parse(TWO, "two.mlir"), runner)
    except PassFailure as error:
        said.append(f"failed: {error.pass_name}")
    return said


@pytest.mark.parametrize("is_verified", [False, True])
def test_reproducer_of_a_failure(tmp_path: Path, *, is_verified: bool) -> None:
    path = tmp_path / "r.mlir"

    said = run(path, FAILING, is_verified=is_verified)

    assert path.read_text() == f"{TWO}\n{RESOURCE % (PRINTED, 'true', 'true')}"
    assert said[0].splitlines() == [
        (
            "two.mlir:2:3: error: Failures have been detected while processing an MLIR "
            "pass pipeline"
        ),
        (
            "two.mlir:2:3: note: Pipeline failed while executing [`TestFailurePass` on "
            f"'func.func' operation: @a]: reproducer generated at `{path}`"
        ),
    ]
    assert said[1:] == ["failed: TestFailurePass"]


@pytest.mark.parametrize("threads", ["manager", "run"])
def test_reproducer_of_a_failure_in_threads(
    tmp_path: Path, threads: Literal["manager", "run"]
) -> None:
    path = tmp_path / "r.mlir"

    said = run(path, FAILING, threads=threads)

    assert path.read_text() == f"{TWO}\n{RESOURCE % (PRINTED, 'false', 'true')}"
    assert len(said) == 2
    assert f"reproducer generated at `{path}`" in said[0]


def test_local_reproducer_holds_the_ir_before_the_pass(tmp_path: Path) -> None:
    path = tmp_path / "r.mlir"
    pipeline = "builtin.module(func.func(test-pass-create-invalid-ir,cse))"

    said = run(path, pipeline, local=True)

    broken = (
        "builtin.module(func.func(test-pass-create-invalid-ir{emit-invalid-ir=true "
        "signal-pass-failure=false}))"
    )
    assert path.read_text() == f"{TWO}\n{RESOURCE % (broken, 'true', 'true')}"
    assert "executing `TestInvalidIRPass` on 'func.func' operation: @a:" in said[1]


def test_local_reproducer_of_a_pass_whose_dynamic_pipeline_succeeded(
    tmp_path: Path,
) -> None:
    path = tmp_path / "r.mlir"

    class RunAndFail(OperationPass[PassOptions]):
        argument = "run-and-fail"

        def run_on_operation(self) -> None:
            inner = parse_pass_manager("builtin.module(cse)", self.context, REGISTRY)
            assert self.run_pipeline(inner, self.operation)
            self.signal_pass_failure()

    context = make_context(allow_unregistered=False)
    context.diagnostic_handler = lambda _: None
    manager = parse_pass_manager("builtin.module()", context, REGISTRY)
    manager.add_pass(RunAndFail())
    enable_crash_reproducer_generation(manager, path, local=True)
    with pytest.raises(PassFailure):
        manager.run(context.parse(TWO, "two.mlir"))

    found = read_reproducer(path.read_text(), "r.mlir")

    assert found == Reproducer(
        "builtin.module(run-and-fail)", disable_threading=True, verify_each=True
    )


def test_success_leaves_no_reproducer(tmp_path: Path) -> None:
    for local in (False, True):
        assert run(tmp_path / "r.mlir", "builtin.module(cse)", local=local) == []
    assert list(tmp_path.iterdir()) == []


def test_success_leaves_an_earlier_reproducer_alone(tmp_path: Path) -> None:
    path = tmp_path / "r.mlir"
    run(path, FAILING)
    before = path.read_text()

    run(path, "builtin.module(cse)")

    assert path.read_text() == before


@pytest.mark.parametrize("threads", ["manager", "run"])
def test_error_local_reproducer_with_threads(
    tmp_path: Path, threads: Literal["manager", "run"]
) -> None:
    with pytest.raises(SchedulingError, match="without disabling mutli-threading"):
        run(tmp_path / "r.mlir", FAILING, local=True, threads=threads)


def test_error_unwritable_before_any_pass(tmp_path: Path) -> None:
    path = tmp_path / "no" / "r.mlir"

    with pytest.raises(ReproducerError) as error:
        run(path, FAILING)

    assert str(error.value) == (
        "Failed to create reproducer stream: cannot open output file "
        f"'{path}': No such file or directory"
    )


class Stream:
    """A user's own stream."""

    description = "the archive"

    def __init__(self, kept: list[str]) -> None:
        self.kept = kept

    def write(self, text: str) -> None:
        self.kept.append(text)


def test_stream_of_the_user_is_asked_for_on_failure_only() -> None:
    kept: list[str] = []

    assert run(lambda: Stream(kept), "builtin.module(cse)") == []
    assert kept == []

    said = run(lambda: Stream(kept), FAILING)

    assert kept == [f"{TWO}\n{RESOURCE % (PRINTED, 'true', 'true')}"]
    assert "reproducer generated at `the archive`" in said[0]


def test_stream_of_the_user_that_fails_is_no_other_failure() -> None:
    def refuse() -> Stream:
        raise OSError("the archive is closed")

    said = run(refuse, FAILING)

    assert "failed to create output stream: OSError: the archive is closed" in said[0]
    assert said[1] == "failed: TestFailurePass"


@pytest.mark.parametrize("local", [False, True], ids=["full", "local"])
def test_runs_at_the_same_time_are_reproduced_one_by_one(
    tmp_path: Path, *, local: bool
) -> None:
    met = threading.Barrier(2, timeout=10)

    def fail(pass_: Running) -> None:
        met.wait()  # both have begun
        pass_.signal_pass_failure()
        met.wait()

    session = Session()
    session.manager.add_pass(session.step("P", fail, argument="p"))
    path = tmp_path / "r.mlir"
    enable_crash_reproducer_generation(session.manager, path, local=local)

    def run_one() -> None:
        with pytest.raises(PassFailure, match="pass 'p' failed"):
            session.manager.copy().run(session.context.parse("", "input.mlir"))

    with ThreadPoolExecutor(2) as pool:
        for run_ in [pool.submit(run_one) for _ in range(2)]:
            run_.result()

    subject = "`P` on 'builtin.module' operation"
    executed = subject if local else f"[{subject}]"
    said = (
        f"Pipeline failed while executing {executed}: reproducer generated at `{path}`"
    )
    assert [each.splitlines()[-1] for each in session.diagnostics] == [
        f"input.mlir:0:0: note: {said}"
    ] * 2
    assert read_reproducer(path.read_text(), "r.mlir") is not None


# What ends the whole process.

DEATHS = {
    "os._exit": ("os._exit(0)", 1, 0),
    "sys.exit": ("sys.exit(0)", 1, 1),
    "segmentation fault": ("ctypes.string_at(0)", 1, -signal.SIGSEGV),
    "kill": ("os.kill(os.getpid(), signal.SIGKILL)", 1, -signal.SIGKILL),
    "abort": ("os.abort()", 1, -signal.SIGABRT),
    "memory": ("raise MemoryError", 1, 1),
}
"""By kind: what the pass does, the exit code with a reproducer, and without.

With one, the driver outlives its passes, as `mlir-opt` does.
"""


@pytest.mark.process
@pytest.mark.parametrize("kind", DEATHS)
@pytest.mark.parametrize("local", [False, True], ids=["full", "local"])
def test_process_that_dies_leaves_a_reproducer_that_dies_again(
    tmp_path: Path, kind: str, *, local: bool
) -> None:
    death, survived, died = DEATHS[kind]
    driver = deadly_driver(tmp_path, death)
    (tmp_path / "two.mlir").write_text(TWO)
    flags = ["--mlir-disable-threading", "--mlir-pass-pipeline-local-reproducer"]

    def start(*arguments: str) -> int:
        return subprocess.run(
            [*driver, *arguments],
            cwd=tmp_path,
            capture_output=True,
            check=False,
        ).returncode

    code = start(
        "two.mlir",
        "--pass-pipeline=builtin.module(func.func(cse,deadly),symbol-dce)",
        "--mlir-pass-pipeline-crash-reproducer=r.mlir",
        *(flags if local else []),
    )
    text = (tmp_path / "r.mlir").read_text()
    found = read_reproducer(text, "r.mlir")

    assert code == survived
    assert found is not None
    assert found.pipeline == (
        "builtin.module(func.func(deadly))"
        if local
        else "builtin.module(func.func(cse,deadly),symbol-dce)"
    )
    assert text.endswith("#-}\n")
    assert start("r.mlir", "--run-reproducer") == died
    assert [path.name for path in tmp_path.glob(".*")] == []
