"""The lexer of console blocks: a command after `$ `, and output without highlighting.

Pygments' own lexer takes each line that begins with `%`, `#` or `$` for a command, but
so begin lines of IR.
"""

from __future__ import annotations

import re

from pygments.lexers.shell import BashSessionLexer
from sphinx.application import Sphinx


class ConsoleLexer(BashSessionLexer):
    """A lexer with the prompt `$ ` only."""

    _ps1rgx = re.compile(r"^(\$ )(.*\n?)")


def setup(app: Sphinx) -> dict[str, bool]:
    """Use this lexer for `console` blocks."""
    app.add_lexer("console", ConsoleLexer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
