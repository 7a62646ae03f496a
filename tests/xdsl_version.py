"""The xDSL that tests run on: a few are about what only some versions do."""

from __future__ import annotations

import re
from typing import Final

from passgen_runtime.ir.xdsl_versions import installed_xdsl

XDSL: Final = tuple(map(int, re.findall(r"\d+", installed_xdsl() or "")[:2]))
"""Its version, such as `(0, 74)`."""
