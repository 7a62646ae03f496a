"""`passgen lsp`: a language server for editors."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from passgen.commands.outcome import EXIT_WRONG, CommandParser, Outcome

_MISSING: Final = """\
passgen lsp: error: it needs pygls, which cannot be imported
note: install the extra 'lsp' of mlir-passgen: python -m pip install pygls"""


def run(argv: Sequence[str], _folder: Path | None) -> Outcome:
    """Answer an editor on standard input and output, until it ends the server."""
    CommandParser("passgen lsp").parse_args(argv, Namespace())
    if find_spec("pygls") is None:
        return Outcome(messages=(_MISSING,), code=EXIT_WRONG)
    from passgen.language_server import serve  # noqa: PLC0415 - an extra

    serve()
    return Outcome()
