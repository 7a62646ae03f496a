"""Tools for people who write passes: the driver, records, reports, searches, tests.

They stand on `passgen_runtime`, which never imports them: a compiler ships without.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from passgen_tools.pipeline_run import RunResult, run

__all__ = ["RunResult", "run"]


def __getattr__(name: str) -> object:
    """Import what a prompt or a notebook needs of this package, and no tool does."""
    if name in __all__:
        from passgen_tools import pipeline_run  # noqa: PLC0415 - slow to import

        return getattr(pipeline_run, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
