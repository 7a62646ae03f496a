"""Entries that workers of the tests import."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence


def doubled(header: bytes, items: Sequence[bytes]) -> list[bytes]:
    """Return `header` and twice each item; some items do harm."""
    return [header + _reply(item) for item in items]


def _reply(item: bytes) -> bytes:
    verb, _, argument = item.decode().partition(" ")
    match verb:
        case "kill":
            os.kill(os.getpid(), getattr(signal, argument))
        case "exit":
            os._exit(int(argument))
        case "sleep":
            time.sleep(float(argument))
        case "memory":
            raise MemoryError
        case "raise":
            raise ValueError(argument)
        case "spin":
            while True:
                pass
    return item * 2
