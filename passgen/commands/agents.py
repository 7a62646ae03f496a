"""`passgen agents`: the page for agents that write passes."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from passgen import resources
from passgen.commands.outcome import CommandParser, Outcome


def run(argv: Sequence[str], _folder: Path | None) -> Outcome:
    """Return the page."""
    CommandParser("passgen agents").parse_args(argv, argparse.Namespace())
    page = resources.agents_page().read_text(encoding="utf-8")
    return Outcome(text=page[page.index("# ") :])  # the comment is for the search
