"""Warnings about passes and options whose declarations call them deprecated.

`import passgen_runtime` leaves this module out: most runs use nothing deprecated.
"""

from __future__ import annotations

import inspect
import warnings
from typing import Final

_OWN: Final = (__package__, "passgen_rules")
"""The packages whose lines no author wrote."""


def warn(subject: str, reason: str, declared_in: str) -> None:
    """Warn that `subject` is deprecated, at the nearest line that an author wrote.

    Args:
        subject: a pass or an option.
        reason: the text of its declaration, which says what to use instead.
        declared_in: the module that declares it; calls in there are skipped.
    """
    level = nearest = 1
    frame = inspect.currentframe()
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if module.partition(".")[0] not in _OWN:
            nearest = level
            if module != declared_in:
                break
        frame = frame.f_back
        level += 1
    message = f"{subject} is deprecated: {reason}"
    warnings.warn(message, DeprecationWarning, stacklevel=nearest)
