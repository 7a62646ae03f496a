"""`--remarks-filter` and its like: the remarks of passes, printed or as YAML."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Literal

from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.pass_registry import PassRegistry
from passgen_tools.opt.command_line import Flag, choice, destination, text
from passgen_tools.opt.driver_part import DriverPart, DriverRun
from passgen_tools.opt.files import GrowingFile

if TYPE_CHECKING:
    from passgen_runtime.remarks import Remark

_DEFAULT_FILE: Final = "mlir-remarks.yaml"


def _filter(name: str, which: str) -> Flag[str | None]:
    help_ = f"show {which} whose whole category, mostly a pass, matches"
    return text(name, help_, "REGEX")


class RemarksPart(DriverPart):
    """Shows the remarks of passes that the filters accept."""

    filter_all = _filter("remarks-filter", "remarks of each kind")
    filter_passed = _filter("remarks-filter-passed", "passed remarks")
    filter_missed = _filter("remarks-filter-missed", "missed remarks")
    filter_failed = _filter("remarks-filter-failed", "failed remarks")
    filter_analysis = _filter("remarks-filter-analyse", "analysis remarks")
    format: Flag[Literal["emitRemark", "yaml", "bitstream"]] = choice(
        "remark-format",
        "print remarks as diagnostics, or write YAML; bitstream is refused",
        choices=("emitRemark", "yaml", "bitstream"),
        default="emitRemark",
    )
    policy: Flag[Literal["all", "final"]] = choice(
        "remark-policy",
        "show remarks at once, or the last of each name and place at the end",
        choices=("all", "final"),
        default="all",
    )
    file = destination(
        "remarks-output-file",
        f"write YAML to this file, by default {_DEFAULT_FILE}",
        "remarks",
    )

    def check(self, _passes: Callable[[], PassRegistry]) -> None:
        """Check the filters and the format.

        Raises:
            UsageError: a filter is no regular expression, or the format is a bitstream.
        """
        for flag in _FILTERS:
            pattern = self.line.values.get(flag.name) or ""
            try:
                re.compile(pattern)
            except re.error as error:
                message = f"'{pattern}' is no regular expression: {error}"
                raise flag.error(message) from None
        if self.format == "bitstream":
            path = self._path
            message = "LLVM's library alone writes a bitstream: write YAML, and convert"
            command = (
                f"--remark-format=yaml, then: llvm-remarkutil yaml2bitstream {path}"
            )
            raise type(self).format.error(message, f"use {command} -o FILE")

    def emptied_files(self) -> Sequence[str]:
        """Return the file with the YAML of remarks, if there is one."""
        return (self._path,) if self.format == "yaml" and any(self._filters()) else ()

    @contextmanager
    def around_passes(self, run: DriverRun) -> Iterator[None]:
        """Show the remarks, also if a pass fails."""
        filters = self._filters()
        if not any(filters):
            yield
            return
        from passgen_runtime.remarks import RemarkFilter, RemarkReceiver, remark_yaml

        file = GrowingFile(self._path, run.unwritten)

        def show(remark: Remark) -> None:
            if self.format == "yaml":
                file.write(remark_yaml(remark))
                return
            place, callers = remark.location, remark.callers
            run.context.handle(Diagnostic("remark", str(remark), place, (), callers))

        kept: list[Remark] = []
        wanted = RemarkFilter(*filters)
        receive = show if self.policy == "all" else kept.append
        run.manager.add_instrumentation(RemarkReceiver(run.context, receive, wanted))
        try:
            yield
        finally:
            for remark in _last_of_each(kept):
                show(remark)

    @property
    def _path(self) -> str:
        return self.file or _DEFAULT_FILE

    def _filters(self) -> list[str]:
        return [self.line.values.get(flag.name) or "" for flag in _FILTERS]


_FILTERS: Final = (
    RemarksPart.filter_all,
    RemarksPart.filter_passed,
    RemarksPart.filter_missed,
    RemarksPart.filter_failed,
    RemarksPart.filter_analysis,
)
"""In the order of the fields of a `RemarkFilter`."""


def _last_of_each(remarks: list[Remark]) -> list[Remark]:
    """Return the last remark of each name at each place, as MLIR's policy says."""
    last: dict[tuple[str, str, str], Remark] = {}
    for remark in remarks:
        key = remark.location, remark.name, remark.category
        last.pop(key, None)
        last[key] = remark
    return list(last.values())
