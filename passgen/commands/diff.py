"""`passgen diff`: what changed between two versions for the users of the passes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Final, TypeAlias

from passgen.commands import reporting
from passgen.commands.import_tablegen import add_tablegen_arguments
from passgen.commands.outcome import CommandParser, Outcome
from passgen.commands.reporting import Refusal, ReportArguments
from passgen.finding_rules import DIFF_RULES
from passgen.findings import (
    Versions,
    compare,
    read_group_at,
    read_input,
    report,
    versions_since,
)
from passgen.model import PassGroup
from passgen.source import STDIN
from passgen.spec import PartError

_OLD_AND_NEW: Final = 2


class _DiffArguments(ReportArguments):
    against: str | None = None
    includes: list[str] | None = None
    tool: str | None = None


def run(argv: Sequence[str], _folder: Path | None) -> Outcome:
    """Compare the specs in `argv`."""
    parser = CommandParser("passgen diff")
    parser.add_argument(
        "specs",
        metavar="FILE",
        nargs="*",
        help="OLD and NEW, or with --against the new files, or folders of specs",
    )
    parser.add_argument("--against", metavar="REV", help="compare with a git revision")
    add_tablegen_arguments(parser, "a .td file")
    arguments = reporting.parse(parser, argv, _DiffArguments(), "OLD NEW")
    if arguments.explain is not None:
        return reporting.explanation_of(arguments.explain, DIFF_RULES)
    if arguments.against is None and len(arguments.specs) != _OLD_AND_NEW:
        parser.error(
            f"expected OLD and NEW, found {', '.join(arguments.specs)}; to compare "
            "with a git revision: --against REV SPEC..."
        )
    if arguments.against is not None:
        for spec in arguments.specs:
            if spec == STDIN or spec.endswith(".json"):
                parser.error(f"--against takes specs and .td files, and found '{spec}'")
    if arguments.specs.count(STDIN) > 1:
        parser.error("standard input can be read once")
    pairs, refused = _pairs(arguments)
    is_one_file = arguments.against is not None
    found = [
        finding
        for old, new in pairs
        for finding in compare(old, new, is_one_file=is_one_file)
    ]
    made = report("diff", DIFF_RULES, found, [new for _, new in pairs])
    return reporting.outcome(arguments, made, refused)


_Pair: TypeAlias = tuple[PassGroup, PassGroup]


def _pairs(arguments: _DiffArguments) -> tuple[list[_Pair], list[Refusal]]:
    """Return both versions of each group, and the files that cannot be used."""
    revision = arguments.against
    includes, tool = arguments.includes or (), arguments.tool
    read_now = partial(read_input, includes=includes, tool=tool)
    if revision is not None:
        listed = (versions_since(revision, spec) for spec in arguments.specs)
        versions = dict.fromkeys(chain.from_iterable(listed))
        read_then = partial(read_group_at, revision, includes=includes, tool=tool)
        read_both = partial(_then_and_now, read_then, read_now)
        pairs, refused = reporting.read_each(versions, read_both)
        return pairs, reporting.without_parts(refused, chain.from_iterable(pairs))
    groups, refused = reporting.read_each(arguments.specs, read_now)
    return [] if refused else [(groups[0], groups[1])], refused


def _then_and_now(
    read_then: Callable[[str], PassGroup],
    read_now: Callable[[str], PassGroup],
    versions: Versions,
) -> _Pair:
    """Return both versions of a group; one that does not exist declares nothing.

    Raises:
        PartError: neither declares anything.
    """
    old = new = part = None
    try:
        if versions.new is not None:
            new = read_now(versions.new)
    except PartError as error:
        part = error
    try:
        if versions.old is not None:
            old = read_then(versions.old)
    except PartError as error:
        part = part or error
    if old is not None:
        return old, new or _without_group(old)
    if new is not None:
        return _without_group(new), new
    assert part is not None
    raise part


def _without_group(group: PassGroup) -> PassGroup:
    return replace(group, passes=(), pipelines=(), bundles=(), ignores=())
