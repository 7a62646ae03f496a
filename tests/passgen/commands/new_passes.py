"""What tests of `passgen new` run: commands of a user, who has pytest and its plugin."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

RUNTIME = Path(__file__).parents[3] / "runtime"


def run(*command: str) -> tuple[int, str]:
    done = subprocess.run(
        command,
        env={
            **os.environ,
            "MYPYPATH": str(RUNTIME),
            # A user has the extra `test` and no other plugins, which load slowly.
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTEST_PLUGINS": "passgen_tools.testing.pytest_plugin",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def commands(messages: str) -> str:
    """Return what `passgen new` says to do next, as one command."""
    _, _, after = messages.partition("next:\n")
    return " && ".join(map(str.strip, after.partition("then edit:")[0].splitlines()))
