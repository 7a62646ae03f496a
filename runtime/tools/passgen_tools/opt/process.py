"""The process of a driver that is a program: its streams, and its end."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from typing import Any, Final, NoReturn

from passgen_runtime.diagnostics import print_message, standard_stream
from passgen_tools.opt.reports import unexpected_error

EXIT_FAILURE: Final = 1
_STANDARD_ERROR: Final = 2


def open_closed_streams() -> None:
    """Open the standard streams that are closed, so that no file gets their number."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= _STANDARD_ERROR:
        pass
    os.close(number)


def flush_native_output() -> None:
    """Write what C and C++ code has printed, which would follow all of the IR."""
    ctypes: Any = sys.modules.get("ctypes")  # MLIR's bindings import it
    if ctypes is not None and os.name == "posix":
        ctypes.CDLL(None).fflush(None)


def end_process(work: Callable[[], int]) -> NoReturn:
    """End this process with the exit code of `work`; report what it raises as a bug."""
    code = EXIT_FAILURE
    # Standard error may be a pipe that its reader has closed: then there is no message.
    with contextlib.suppress(BrokenPipeError):
        try:
            code = work()
        except BrokenPipeError:
            raise
        except BaseException as error:  # noqa: BLE001 - a user sees no traceback
            print_message(unexpected_error(error))
    # The driver has reported streams that cannot be written.
    for stream in (standard_stream("stdout"), standard_stream("stderr")):
        with contextlib.suppress(OSError):
            if stream is not None:
                stream.flush()
    os._exit(code)
