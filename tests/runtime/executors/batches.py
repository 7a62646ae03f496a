"""Items, batches and replies, as the tests of executors write them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from passgen_runtime.executors import Dispatcher, ItemDone, ItemLost
from tests.runtime.executors.entries import DOUBLED


def items(data: Iterable[bytes]) -> list[Callable[[], bytes]]:
    """Return what makes each of the items."""
    return [partial(bytes, each) for each in data]


def batches(num_items: int, size: int) -> list[range]:
    """Return the indices of items in batches of one size."""
    return [
        range(begin, min(begin + size, num_items))
        for begin in range(0, num_items, size)
    ]


def run(
    dispatcher: Dispatcher, data: Sequence[bytes], size: int, entry: str = DOUBLED
) -> tuple[dict[int, bytes], list[ItemLost]]:
    """Return the replies to items by index, and those that are lost; in order."""
    done: dict[int, bytes] = {}
    lost: list[ItemLost] = []
    order: list[int] = []
    for reply in dispatcher.run(entry, b"-", items(data), batches(len(data), size)):
        order.append(reply.index)
        if isinstance(reply, ItemDone):
            done[reply.index] = reply.reply
        else:
            lost.append(reply)
    assert order == list(range(len(data)))
    return done, lost


def expected(data: Sequence[bytes], lost: Iterable[int] = ()) -> dict[int, bytes]:
    """Return the right replies, without those to the items that are lost."""
    gone = set(lost)
    return {
        index: b"-" + each * 2 for index, each in enumerate(data) if index not in gone
    }
