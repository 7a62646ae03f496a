"""A spec in a folder, to be compared with other versions of it by `passgen diff`."""

from __future__ import annotations

from passgen import cli

PASSES = """\
passes:
  UnrollLoops:
    argument: unroll-loops
    summary: Unroll loops
"""
OLD = PASSES + "    options: [{name: factor, argument: factor, type: uint32}]\n"


def run(*argv: str) -> int:
    return cli.main(["diff", *argv])
