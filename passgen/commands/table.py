"""The table of commands."""

from __future__ import annotations

from typing import Final

COMMANDS: Final = {
    "agents": "print how to write a pass, for a language model",
    "diff": "report the changes that concern users of passes",
    "drift": "find where specs and implementations differ",
    "format": "bring specs into the normal layout",
    "import": "write a spec from a Passes.td, rewrites, or passes of xDSL",
    "lint": "check the style of specs",
    "list": "list the passes that specs declare",
    "lsp": "answer editors, as a language server",
    "new": "write a new pass that runs, with a test",
    "site": "write a documentation site about passes",
    "watch": "renew files whenever a spec changes",
}
"""The line of each command in `passgen --help`; without one, `generate` is run."""
