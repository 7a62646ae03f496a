from __future__ import annotations

import pytest

from passgen_runtime.executors import (
    BatchEvent,
    Dispatcher,
    ItemDone,
    ItemLost,
    process_pool,
)

ENTRY = "tests.runtime.executors.entries:doubled"


@pytest.mark.process
@pytest.mark.slow
def test_only_the_item_that_ends_its_worker_is_lost() -> None:
    items = [b"a", b"b", b"kill SIGSEGV", b"c", b"d"]
    events: list[BatchEvent] = []

    with Dispatcher(process_pool(2), on_event=events.append) as dispatcher:
        replies = list(
            dispatcher.run(
                ENTRY,
                b"-",
                [item.strip for item in items],
                [range(4), range(4, 5)],
            )
        )

    done = {each.index: each.reply for each in replies if isinstance(each, ItemDone)}
    (lost,) = (each for each in replies if isinstance(each, ItemLost))
    assert [each.index for each in replies] == [0, 1, 2, 3, 4]
    assert done == {0: b"-aa", 1: b"-bb", 3: b"-cc", 4: b"-dd"}
    assert (lost.index, lost.loss.kind, lost.loss.signal) == (2, "signal", "SIGSEGV")
    assert lost.attempts == 3
    assert sum(each.loss is not None for each in events) == 5
