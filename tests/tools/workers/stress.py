"""Runs batches while random workers are killed at random times.

    python -m tests.tools.workers.stress [--runs 1000] [--seed 0]

In every tenth run, an item kills its worker itself; it must be lost, and no other item
ever. Prints one line for each figure and exits 1 if a run has other replies, or a
process is left.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial

from passgen_tools.adaptors.encoded_ir import unpack_parts
from passgen_tools.workers import ExecutorError, ProcessPool
from passgen_tools.workers.dispatcher import Dispatcher, ItemLost
from tests.tools.workers.batches import batches, encoder, expected
from tests.tools.workers.entries import DOUBLED
from tests.tools.workers.processes import all_have_ended, children

NUM_WORKERS = 2
NUM_ITEMS = 30
BATCH_SIZE = 5
KILLS_EVERY_S = (0.0, 2.0)


@dataclass
class Figures:
    """What has come of all runs."""

    num_kills: int = 0
    num_losses: int = 0
    num_items_lost: int = 0
    longest_wait_s: float = 0.0
    """For one reply."""

    wrong: list[str] = field(default_factory=list)


def stress(num_runs: int, seed: int) -> Figures:
    """Return what comes of runs on one pool."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    figures = Figures()
    with (
        closing(
            Dispatcher(
                partial(ProcessPool, NUM_WORKERS),
                on_event=lambda event: _count(figures, is_loss=event.loss is not None),
            )
        ) as dispatcher,
        _killer(chance, figures),
    ):
        for number in range(num_runs):
            try:
                _run(dispatcher, chance, figures, number)
            except ExecutorError as error:
                figures.wrong.append(f"run {number}: {error}")
    if not all_have_ended(children()):
        figures.wrong.append(f"processes are left: {children()}")
    return figures


def _count(figures: Figures, *, is_loss: bool) -> None:
    figures.num_losses += is_loss


@contextmanager
def _killer(chance: random.Random, figures: Figures) -> Iterator[None]:
    """Kill a random worker at random times while the block runs."""
    has_ended = threading.Event()

    def kill() -> None:
        while not has_ended.wait(chance.uniform(*KILLS_EVERY_S)):
            workers = children()
            if workers:
                with suppress(ProcessLookupError):
                    os.kill(chance.choice(workers), signal.SIGKILL)
                    figures.num_kills += 1

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield
    finally:
        has_ended.set()
        thread.join()


def _run(
    dispatcher: Dispatcher, chance: random.Random, figures: Figures, number: int
) -> None:
    data = [b"sleep 0.005"] * NUM_ITEMS
    guilty: list[int] = []
    if number % 10 == 0:
        guilty.append(chance.randrange(NUM_ITEMS))
        data[guilty[0]] = b"kill SIGKILL"
    done: dict[int, bytes] = {}
    lost: list[int] = []
    begin_s = time.monotonic()
    sizes = batches(NUM_ITEMS, BATCH_SIZE)
    for outcome in dispatcher.run(DOUBLED, b"-", encoder(data), sizes):
        now_s = time.monotonic()
        figures.longest_wait_s = max(figures.longest_wait_s, now_s - begin_s)
        begin_s = now_s
        if isinstance(outcome, ItemLost):
            lost.append(outcome.index)
        else:
            done.update(zip(outcome.items, unpack_parts(outcome.reply), strict=True))
    figures.num_items_lost += len(lost)
    if lost != guilty or done != expected(data, guilty):
        figures.wrong.append(f"run {number}: lost {lost}, guilty {guilty}")


def main() -> int:
    """Print the figures; return whether a run was wrong."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    figures = stress(arguments.runs, arguments.seed)
    lines = [
        f"runs: {arguments.runs}",
        f"workers killed: {figures.num_kills}",
        f"batches sent again, or given up: {figures.num_losses}",
        f"items lost, all of them guilty: {figures.num_items_lost}",
        f"longest wait for a reply: {figures.longest_wait_s:.2f} s",
        f"wrong: {len(figures.wrong)}",
        *figures.wrong,
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    return int(bool(figures.wrong))


if __name__ == "__main__":
    sys.exit(main())
