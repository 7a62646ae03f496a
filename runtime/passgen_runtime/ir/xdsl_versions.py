"""The versions of xDSL that are supported, and all that differs between them.

A function here hides a difference. It asks xDSL what it has, since a version from a
checkout says little, and its docstring names the version that has changed it. Importing
this module does not import xDSL.
"""

from __future__ import annotations

import re
from typing import Any, Final

from passgen_runtime.errors import PassError

OLDEST_XDSL: Final = "0.72"
"""The oldest version that is supported."""

NEWEST_XDSL: Final = "0.75"
"""The newest version that the tests have run on; a newer one may work, too."""


class XDSLVersionError(PassError, ImportError):
    """The installed version of xDSL is older than those that are supported."""


def installed_xdsl() -> str | None:
    """Return the version of xDSL that is installed, `None` if there is none."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - slow

    try:
        return version("xdsl")
    except PackageNotFoundError:
        return None


def require_supported_xdsl() -> None:
    """Check that xDSL is not too old.

    Raises:
        XDSLVersionError: it is.
    """
    from xdsl import irdl  # noqa: PLC0415 - see the docstring of the module

    # 0.72 has added this class: versions that have it need not be looked up.
    if not hasattr(irdl, "VerificationContext"):
        require_supported(installed_xdsl())


def require_supported(version: str | None) -> None:
    """Check that a version of xDSL is not too old.

    Raises:
        XDSLVersionError: it is.
    """
    if version is not None and _minor(version) < _minor(OLDEST_XDSL):
        raise XDSLVersionError(
            f"xDSL {version} is installed, expected {OLDEST_XDSL} or newer: "
            f"pip install 'xdsl>={OLDEST_XDSL}'"
        )


def note_of_untried(version: str | None) -> str | None:
    """Return a line about a version of xDSL that no test has run on, if it is newer."""
    if version is None or _minor(version) <= _minor(NEWEST_XDSL):
        return None
    return f"xDSL {version} is newer than {NEWEST_XDSL}, the newest version tried"


def _minor(version: str) -> tuple[int, ...]:
    """Return the numbers that decide; a version without them is as the newest tried."""
    numbers = re.match(r"(\d+)\.(\d+)", version)
    return tuple(map(int, numbers.groups())) if numbers else _minor(NEWEST_XDSL)


def number_of(value: Any) -> Any:  # noqa: ANN401 - values of the interpreter
    """Return the number that a value of xDSL's interpreter stands for.

    Since 0.75, a scalar is an `IntegerAttr` or a `FloatAttr`; before, it is a number.
    Other values are returned as they are.
    """
    from xdsl.dialects.builtin import FloatAttr, IntegerAttr  # noqa: PLC0415

    return value.value.data if isinstance(value, IntegerAttr | FloatAttr) else value


def scalar_of(number: float, type_: Any) -> Any:  # noqa: ANN401 - as above
    """Return the value of xDSL's interpreter, with an index of 64 bits, for a number.

    Since 0.75, a scalar is an `IntegerAttr` or a `FloatAttr`; before, it is a number.
    """
    from xdsl.interpreters import builtin  # noqa: PLC0415

    scalar_attr = getattr(builtin, "scalar_attr", None)
    return number if scalar_attr is None else scalar_attr(number, type_, 64)
