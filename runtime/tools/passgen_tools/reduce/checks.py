"""Checks of texts by a command: in order, several at once, none twice."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from hashlib import blake2b
from typing import Final, Self

from passgen_runtime.errors import PassError
from passgen_tools.check_command import CheckCommand, CheckResult

_SHORTEST_LIMIT_S: Final = 10.0
_LIMIT_RATIO: Final = 10
_PAUSE_S: Final = 0.01


class StoppedError(PassError):
    """The user has stopped a search."""


class Checks:
    """Finds interesting texts; the result does not depend on how many run at once."""

    def __init__(
        self, command: CheckCommand, *, must_fail: bool = False, num_jobs: int = 1
    ) -> None:
        """Check by `command`.

        Args:
            command: judges a text.
            must_fail: whether bad texts are interesting; if not, good ones are.
            num_jobs: how many checks run at once.
        """
        self.num_checks = 0
        self.on_check: Callable[[], object] = lambda: None
        """Is called after each check whose result counts."""

        self.on_end: Callable[[], object] = lambda: None

        self._command = command
        self._interesting = "bad" if must_fail else "good"
        self._num_jobs = num_jobs
        self._pool = ThreadPoolExecutor(num_jobs)
        self._refused: set[bytes] = set()
        self._is_stopped = False

    def __enter__(self) -> Self:
        """Return the checks."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the threads."""
        self._pool.shutdown()
        self.on_end()

    def stop(self) -> None:
        """End the checks that run; those that are asked for later raise an error."""
        self._is_stopped = True
        self._command.stop()

    def is_interesting(self, result: CheckResult) -> bool:
        """Return whether a text is; not if the program took too long or is missing."""
        is_answer = not result.timed_out and not result.found_no_program
        return is_answer and result.verdict == self._interesting

    def check(self, text: str) -> CheckResult:
        """Check one text.

        Without a time limit, the first check sets one: what is smaller may run forever.
        """
        started_s = time.monotonic()
        result = self._run(text)
        took_s = time.monotonic() - started_s
        if self._command.timeout_s is None:
            self._command.timeout_s = max(_SHORTEST_LIMIT_S, _LIMIT_RATIO * took_s)
        self._count()
        return result

    def find_first(self, texts: Iterable[str | None]) -> int | None:
        """Return the index of the first interesting text.

        Args:
            texts: are taken as they are needed; `None` stands for one without a check.
        """
        running: deque[tuple[int, bytes, Future[CheckResult]]] = deque()

        def is_first_interesting() -> bool:
            _, digest, future = running[0]
            is_interesting = self.is_interesting(future.result())
            self._count()
            if not is_interesting:
                self._refused.add(digest)
                running.popleft()
            return is_interesting

        try:
            for index, text in enumerate(texts):
                self._check_stopped()
                digest = blake2b((text or "").encode(errors="replace")).digest()
                if text is None or digest in self._refused:
                    continue
                future = self._pool.submit(self._run, text)
                running.append((index, digest, future))
                if len(running) == self._num_jobs and is_first_interesting():
                    return running[0][0]
            while running:
                if is_first_interesting():
                    return running[0][0]
            return None
        finally:
            self._end([future for _, _, future in running])

    def _run(self, text: str) -> CheckResult:
        """Run a check.

        Raises:
            StoppedError: it is not to run, or was ended.
        """
        self._check_stopped()
        result = self._command.run(text)
        self._check_stopped()
        return result

    def _check_stopped(self) -> None:
        if self._is_stopped:
            raise StoppedError("the search was stopped")

    def _end(self, futures: list[Future[CheckResult]]) -> None:
        """End the programs of `futures`, also those that are only just starting."""
        for future in futures:
            future.cancel()
        while wait(futures, timeout=_PAUSE_S).not_done:
            self._command.end()

    def _count(self) -> None:
        self.num_checks += 1
        self.on_check()
