"""`passgen list`: the passes that specs declare."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from passgen import pass_list, spec_input, spec_parts
from passgen.commands.outcome import Outcome
from passgen.commands.parser import CommandParser
from passgen.model.group import PassGroup
from passgen.spec.schema import PartError

_DESCRIPTION: Final = "List the passes that specs, Passes.td or dumps of them declare."

_EPILOG: Final = """\
examples:
  passgen list specs/*.yaml
  passgen list --json specs/affine.yaml | jq '.groups[].passes[].argument'
"""


@dataclass(slots=True)
class _Arguments(argparse.Namespace):
    specs: list[str] = field(default_factory=list)
    json: bool = False


def run(argv: Sequence[str], _folder: Path | None) -> Outcome:
    """List the passes of the specs in `argv`."""
    parser = CommandParser("passgen list", _DESCRIPTION, _EPILOG)
    parser.add_argument(
        "specs", metavar="SPEC", nargs="+", help="a spec; - reads standard input"
    )
    parser.add_argument(
        "--json", action="store_true", help="print all there is, for programs"
    )
    arguments = parser.parse_args(argv, _Arguments())
    groups: list[PassGroup] = []
    parts: dict[str, PartError] = {}
    for spec in arguments.specs:
        try:
            groups.append(spec_input.read_group(spec))
        except PartError as error:
            parts[spec] = error
    for mistake in spec_parts.mistakes(parts, groups).values():
        raise mistake
    shown = pass_list.as_json if arguments.json else pass_list.text
    return Outcome(text=shown(groups))
