"""Items, batches and replies, as the tests of executors write them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from passgen_tools.adaptors.encoded_ir import pack_parts, unpack_parts
from passgen_tools.workers.dispatcher import BatchDone, Dispatcher, ItemLost
from tests.tools.workers.entries import DOUBLED


def encoder(data: Sequence[bytes]) -> Callable[[range], bytes]:
    """Return what makes a batch of items, as entries of the tests read them."""
    return lambda items: pack_parts([data[index] for index in items])


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
    for each in dispatcher.run(entry, b"-", encoder(data), batches(len(data), size)):
        if isinstance(each, BatchDone):
            order += each.items
            done.update(zip(each.items, unpack_parts(each.reply), strict=True))
        else:
            order.append(each.index)
            lost.append(each)
    assert order == list(range(len(data)))
    return done, lost


def expected(data: Sequence[bytes], lost: Iterable[int] = ()) -> dict[int, bytes]:
    """Return the right replies, without those to the items that are lost."""
    gone = set(lost)
    return {
        index: b"-" + each * 2 for index, each in enumerate(data) if index not in gone
    }
