"""What the end of a process and the errors of executors say."""

from __future__ import annotations

from concurrent.futures import BrokenExecutor

import pytest

from passgen_tools.processes import Loss
from passgen_tools.processes.losses import loss_of_exit, task_loss


@pytest.mark.parametrize(
    ("code", "memory_ran_out", "text"),
    [
        (-11, False, "worker host:7 was ended by SIGSEGV"),
        (-11, True, "worker host:7 was ended by SIGSEGV"),
        (-9, False, "worker host:7 was ended by SIGKILL"),
        (-9, True, "worker host:7 ran out of memory"),
        (-14, False, "worker host:7 was ended: the time limit has passed"),
        (-45, False, "worker host:7 was ended by signal 45"),
        (3, True, "worker host:7 has exited"),
    ],
)
def test_end_of_a_process_is_put_into_words(
    code: int, text: str, *, memory_ran_out: bool
) -> None:
    assert str(loss_of_exit("host:7", code, memory_ran_out=memory_ran_out)) == text


def test_lack_of_memory_that_is_only_likely_says_so() -> None:
    loss = loss_of_exit("host:7", -9, memory_ran_out=True)

    assert loss.signal == "SIGKILL"
    (note,) = loss.notes
    assert note.startswith("this is likely, not certain: SIGKILL ended it while")


@pytest.mark.parametrize(
    ("codes", "kind", "signal"),
    [
        ("SIGKILL(-9)", "signal", "SIGKILL"),
        ("SIGALRM(-14)", "timeout", ""),
        ("SIGKILL(-9), SIGSEGV(-11)", "worker", ""),
    ],
)
def test_signal_is_read_from_what_loky_says(codes: str, kind: str, signal: str) -> None:
    text = f"A worker process died.\n\nThe exit codes of the workers are {{{codes}}}"
    found = task_loss(BrokenExecutor(text))

    assert found is not None
    assert found.loss == Loss(
        kind="worker" if kind == "worker" else found.loss.kind,
        signal=signal,
        notes=("the executor says: BrokenExecutor: A worker process died.",),
    )
    assert found.loss.kind == kind
    assert found.breaks_executor


def test_error_of_a_task_blames_no_worker() -> None:
    assert task_loss(ValueError("no such thing")) is None
