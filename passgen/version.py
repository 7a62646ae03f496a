"""The version of the distribution, which the build reads here.

Reading it from the metadata of the installation would take longer than everything else
that `passgen --version` does.
"""

from __future__ import annotations

__version__ = "0.1.0"
