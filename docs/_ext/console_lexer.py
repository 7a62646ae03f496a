"""The lexer of console blocks: a command after `$ `, and output that stays as it is.

Pygments' own takes each line for a command that begins with `%`, `#` or `$`, as lines
of IR do.
"""

from __future__ import annotations

import re

from pygments.lexers.shell import BashSessionLexer
from sphinx.application import Sphinx


class ConsoleLexer(BashSessionLexer):
    """Knows one prompt."""

    _ps1rgx = re.compile(r"^(\$ )(.*\n?)")


def setup(app: Sphinx) -> dict[str, bool]:
    """Let `console` blocks be read by this lexer."""
    app.add_lexer("console", ConsoleLexer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
