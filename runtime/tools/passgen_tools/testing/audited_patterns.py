"""Whether all testers of a session of pytest audit patterns.

The plug-in sets it, and every project loads the plug-in: the module imports little.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Final

AUDITS_PATTERNS: Final = ContextVar("audits_patterns", default=False)
"""The setting `mlir_audit_patterns`."""
