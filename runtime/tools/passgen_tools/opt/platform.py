"""Platforms without threads, such as Python in a browser."""

from __future__ import annotations

import sys
from typing import Final

_WITHOUT_THREADS: Final = {
    "emscripten": "Python in a browser",
    "wasi": "Python in WebAssembly",
}


def why_no_threads(platform: str = sys.platform) -> str | None:
    """Return why `platform` can start neither a thread nor a process; `None` if it can.

    The name tells: `os.fork` and `threading` exist everywhere, and fail when called.
    """
    name = _WITHOUT_THREADS.get(platform)
    return name and f"{name} has neither threads nor processes"
